package engine

import (
	"math"
	"testing"

	"github.com/proofload/proofload/domain"
)

const draws = 200_000

// drawn has mean and variance of many service times in ms.
func drawn(s sampler) (mean, variance float64) {
	var w welford
	for range draws {
		w.add(s.draw())
	}
	return w.mean / 1e6, w.m2 / w.n / 1e12
}

// TestSamplersHaveTheirMeanAndVariance compares with the formulas, the mean within 3.29 standard errors (99.9 %).
func TestSamplersHaveTheirMeanAndVariance(t *testing.T) {
	sigma := math.Log(40.0/15.0) / 1.6448536269514722
	lognormal := 15 * math.Exp(sigma*sigma/2)
	for _, c := range []struct {
		time           domain.Time
		mean, variance float64
	}{
		{domain.Time{Kind: domain.TimeFixed, Ms: 20.8}, 20.8, 0},
		{domain.Time{Kind: domain.TimeExponential, MeanMs: 10}, 10, 100},
		{domain.Time{Kind: domain.TimeUniform, MinMs: 2, MaxMs: 8}, 5, 3},
		{domain.Time{Kind: domain.TimeLognormal, MedianMs: 15, P95Ms: 40}, lognormal, lognormal * lognormal * math.Expm1(sigma*sigma)},
	} {
		mean, variance := drawn(newSampler(c.time, "11", "op"))
		if math.Abs(mean-c.mean) > 3.29*math.Sqrt(c.variance/draws)+1e-9 {
			t.Errorf("%s: mean %v, want %v", c.time.Kind, mean, c.mean)
		}
		if math.Abs(variance-c.variance) > 0.05*c.variance {
			t.Errorf("%s: variance %v, want %v", c.time.Kind, variance, c.variance)
		}
	}
}

// TestLognormalHasItsPercentiles counts samples up to the median and the 95th percentile, within 3.29 standard errors.
func TestLognormalHasItsPercentiles(t *testing.T) {
	s := newSampler(domain.Time{Kind: domain.TimeLognormal, MedianMs: 15, P95Ms: 40}, "5", "op")
	median, p95 := 0.0, 0.0
	for range draws {
		ns := s.draw()
		if ns <= 15_000_000 {
			median++
		}
		if ns <= 40_000_000 {
			p95++
		}
	}
	for _, c := range []struct{ got, want float64 }{{median / draws, 0.5}, {p95 / draws, 0.95}} {
		if math.Abs(c.got-c.want) > 3.29*math.Sqrt(c.want*(1-c.want)/draws) {
			t.Errorf("a share of %v, want %v", c.got, c.want)
		}
	}
}

func TestFixedTimeDrawsNothing(t *testing.T) {
	s := newSampler(domain.Time{Kind: domain.TimeFixed, Ms: 0.0000015}, "1", "op")
	before := s
	if got := s.draw(); got != 2 || s != before || !s.constant() {
		t.Errorf("drew %d ns", got)
	}
	if random := newSampler(domain.Time{Kind: domain.TimeUniform, MinMs: 1, MaxMs: 1}, "1", "op"); random.constant() {
		t.Error("a uniform time is said to be constant")
	}
}

func TestSamplesAreCapped(t *testing.T) {
	for ms, want := range map[float64]int64{
		0: 0, 1e-6: 1, 86_399_999.999999: 86_399_999_999_999, 86_400_000: 86_400_000_000_000,
		86_400_001: 86_400_000_000_000, math.Inf(1): 86_400_000_000_000,
	} {
		if got := sampleNs(ms); got != want {
			t.Errorf("sampleNs(%v) = %d, want %d", ms, got, want)
		}
	}
	wide := newSampler(domain.Time{Kind: domain.TimeLognormal, MedianMs: 5e-324, P95Ms: 3_600_000}, "1", "op")
	for range 1000 {
		if ns := wide.draw(); ns < 0 || ns > longestNs {
			t.Fatalf("drew %d ns", ns)
		}
	}
}

func TestChooser(t *testing.T) {
	for _, certain := range []float64{0, 1} {
		c := newChooser(certain, "1", "step")
		before := c
		if c.then() != (certain == 1) || c != before {
			t.Errorf("a probability of %v draws or errs", certain)
		}
	}
	c := newChooser(0.3, "1", "step")
	then := 0.0
	for range draws {
		if c.then() {
			then++
		}
	}
	if math.Abs(then/draws-0.3) > 3.29*math.Sqrt(0.3*0.7/draws) {
		t.Errorf("a share of %v, want 0.3", then/draws)
	}
}

func TestSamplersAllocateNothing(t *testing.T) {
	for _, kind := range []string{domain.TimeFixed, domain.TimeExponential, domain.TimeLognormal, domain.TimeUniform} {
		s := newSampler(domain.Time{Kind: kind, Ms: 1, MeanMs: 1, MedianMs: 1, P95Ms: 2, MaxMs: 3}, "1", "op")
		if n := testing.AllocsPerRun(1000, func() { s.draw() }); n != 0 {
			t.Errorf("%s: %v allocations for a draw", kind, n)
		}
	}
}

func BenchmarkExponential(b *testing.B) {
	s := newSampler(domain.Time{Kind: domain.TimeExponential, MeanMs: 10}, "1", "op")
	for b.Loop() {
		s.draw()
	}
}
