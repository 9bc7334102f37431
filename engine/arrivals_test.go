package engine

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/proofload/proofload/domain"
)

// instants are all arrivals of a process in ns.
func instants(a domain.Arrivals, seed string) []int64 {
	p := newArrivals(a, seed)
	var list []int64
	for at, ok := p.next(); ok; at, ok = p.next() {
		list = append(list, at)
	}
	return list
}

func TestConstantArrivals(t *testing.T) {
	a := domain.Arrivals{Kind: domain.ArrivalsConstant, RatePerSecond: 3, DurationSeconds: 2}
	want := []int64{0, 333_333_333, 666_666_667, 1_000_000_000, 1_333_333_333, 1_666_666_667}
	if diff := cmp.Diff(want, instants(a, "1")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestArrivalsFollowTheirRate compares counts with the integral of the rate over three parts of the duration. A Poisson
// count differs by more than 3.29 of its standard deviation with a chance of 0.1 %.
func TestArrivalsFollowTheirRate(t *testing.T) {
	bursts := []domain.Burst{
		{FromSeconds: 0, ToSeconds: 100, RatePerSecond: 400}, {FromSeconds: 100, ToSeconds: 200, RatePerSecond: 0},
	}
	for _, c := range []struct {
		name string
		a    domain.Arrivals
		want [3]float64 // in 100 s each
	}{
		{"poisson", domain.Arrivals{Kind: domain.ArrivalsPoisson, RatePerSecond: 200}, [3]float64{20_000, 20_000, 20_000}},
		{"ramp up", domain.Arrivals{Kind: domain.ArrivalsRamp, ToRatePerSecond: 300}, [3]float64{5_000, 15_000, 25_000}},
		{"ramp down", domain.Arrivals{Kind: domain.ArrivalsRamp, RatePerSecond: 300}, [3]float64{25_000, 15_000, 5_000}},
		{"flat ramp", domain.Arrivals{Kind: domain.ArrivalsRamp, RatePerSecond: 100, ToRatePerSecond: 100}, [3]float64{10_000, 10_000, 10_000}},
		{"burst", domain.Arrivals{Kind: domain.ArrivalsBurst, RatePerSecond: 50, Bursts: bursts}, [3]float64{40_000, 0, 5_000}},
	} {
		c.a.DurationSeconds = 300
		var got [3]float64
		for _, at := range instants(c.a, "7") {
			got[at/100_000_000_000]++
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 3.29*math.Sqrt(c.want[i]) {
				t.Errorf("%s: %v arrivals in part %d, want %v", c.name, got[i], i, c.want[i])
			}
		}
		if sum := c.want[0] + c.want[1] + c.want[2]; math.Abs(meanArrivals(c.a)-sum) > 1e-6 {
			t.Errorf("%s: mean %v, want %v", c.name, meanArrivals(c.a), sum)
		}
	}
}

func TestMeanArrivalsOfConstant(t *testing.T) {
	if got := meanArrivals(domain.Arrivals{Kind: domain.ArrivalsConstant, RatePerSecond: 12.5, DurationSeconds: 8}); got != 100 {
		t.Errorf("mean %v, want 100", got)
	}
}

func TestGapsOfPoissonAreExponential(t *testing.T) {
	var w welford
	last := int64(0)
	for _, at := range instants(domain.Arrivals{Kind: domain.ArrivalsPoisson, RatePerSecond: 1000, DurationSeconds: 100}, "3") {
		w.add(at - last)
		last = at
	}
	if math.Abs(w.cv2()-1) > 0.05 { // its standard error is sqrt(8 / 100 000), 0.009
		t.Errorf("cv² of the gaps is %v, want 1", w.cv2())
	}
}

func arrivalsGen() *rapid.Generator[domain.Arrivals] {
	return rapid.Custom(func(t *rapid.T) domain.Arrivals {
		rate := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-9, 3000), rapid.Just(1e-300))
		a := domain.Arrivals{
			Kind:            rapid.SampledFrom([]string{domain.ArrivalsConstant, domain.ArrivalsPoisson, domain.ArrivalsRamp, domain.ArrivalsBurst}).Draw(t, "kind"),
			RatePerSecond:   rate.Draw(t, "rate"),
			ToRatePerSecond: rate.Draw(t, "to"),
			DurationSeconds: rapid.Float64Range(0.001, 3).Draw(t, "duration"),
		}
		if a.Kind != domain.ArrivalsBurst && a.RatePerSecond == 0 {
			a.RatePerSecond = 1
		}
		for edge := 0.0; edge < a.DurationSeconds && len(a.Bursts) < 20; {
			b := domain.Burst{FromSeconds: edge, RatePerSecond: rate.Draw(t, "burst")}
			b.ToSeconds = min(a.DurationSeconds, edge+rapid.Float64Range(0.01, 1).Draw(t, "length"))
			a.Bursts = append(a.Bursts, b)
			edge = b.ToSeconds + rapid.SampledFrom([]float64{0, 0.25}).Draw(t, "pause")
		}
		return a
	})
}

// TestArrivalsStayInTheDuration holds for every pattern: time never goes back, the end is open, twice gives the same.
func TestArrivalsStayInTheDuration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, seed := arrivalsGen().Draw(t, "arrivals"), rapid.StringMatching("[1-9][0-9]{0,17}").Draw(t, "seed")
		list := instants(a, seed)
		last := int64(0)
		for _, at := range list {
			if at < last || at >= secondsToNs(a.DurationSeconds) {
				t.Fatalf("an arrival at %d after one at %d, duration %v s", at, last, a.DurationSeconds)
			}
			last = at
		}
		if diff := cmp.Diff(list, instants(a, seed)); diff != "" {
			t.Fatalf("a second process differs\n%s", diff)
		}
	})
}

func TestNoArrivalAtRateZero(t *testing.T) {
	zero := []domain.Burst{{FromSeconds: 1, ToSeconds: 2}}
	if got := instants(domain.Arrivals{Kind: domain.ArrivalsBurst, Bursts: zero, DurationSeconds: 10}, "1"); len(got) > 0 {
		t.Errorf("arrivals at %v", got)
	}
}

func TestArrivalsAllocateNothing(t *testing.T) {
	for _, kind := range []string{domain.ArrivalsConstant, domain.ArrivalsPoisson, domain.ArrivalsRamp, domain.ArrivalsBurst} {
		p := newArrivals(domain.Arrivals{
			Kind: kind, RatePerSecond: 10, ToRatePerSecond: 20, DurationSeconds: 3600,
			Bursts: []domain.Burst{{FromSeconds: 1, ToSeconds: 2, RatePerSecond: 100}},
		}, "1")
		if n := testing.AllocsPerRun(1000, func() { p.next() }); n != 0 {
			t.Errorf("%s: %v allocations for an arrival", kind, n)
		}
	}
}

// TestBurstInstantAtAnEdge has an area that is exactly that at the end of a segment: the arrival lies in the next one (E36).
func TestBurstInstantAtAnEdge(t *testing.T) {
	p := newArrivals(domain.Arrivals{
		Kind: domain.ArrivalsBurst, RatePerSecond: 2, DurationSeconds: 10,
		Bursts: []domain.Burst{{FromSeconds: 1, ToSeconds: 3}},
	}, "1")
	for _, c := range []struct {
		area float64
		want int64
	}{{1, 500_000_000}, {2, 3_000_000_000}, {15, 9_500_000_000}, {16, never}} {
		if p.area = c.area; p.burstInstant() != c.want {
			t.Errorf("area %v at another instant than %d", c.area, c.want)
		}
	}
}

// TestRampInstantAtItsEnds has areas that the rate never gives (E15).
func TestRampInstantAtItsEnds(t *testing.T) {
	down := arrivalProcess{rate: 10, slope: -1} // reaches 0 after 10 s with an area of 50
	for area, want := range map[float64]int64{0: 0, 18: 2_000_000_000, 50: 10_000_000_000, 50.001: never} {
		if down.area = area; down.rampInstant() != want {
			t.Errorf("area %v at %d, want %d", area, down.rampInstant(), want)
		}
	}
	up := arrivalProcess{slope: 1}
	if got := up.rampInstant(); got != never {
		t.Errorf("rate 0 and area 0 at %d", got)
	}
}

// TestTimeNeverGoesBack starts a process at an instant that its next arrival is before (E15).
func TestTimeNeverGoesBack(t *testing.T) {
	p := arrivalProcess{kind: constantArrivals, rate: 10, last: 7, end: 100}
	if at, ok := p.next(); at != 7 || !ok {
		t.Errorf("an arrival at %d after one at 7", at)
	}
}
