package engine

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// scannedDepth looks at every depth from 2 on, as the page words the rule.
func scannedDepth(n int64, w, v float64, limit int64) int64 {
	s := exp(-(1 - w) / v)
	if s == 1 {
		return limit
	}
	starts := float64(float64(n)*(1-s)) + 1/(1-s)
	for d := int64(2); d < limit; d++ {
		above := exp(float64(-float64(d-1)*(1-w)) / v)
		if starts*(1-s)*above/(1-exp(float64(-float64(d)*(1-w))/v)) <= 0.01 {
			return d
		}
	}
	return limit
}

// TestNoiseBoundIsTheSmallestDepth holds the bisection to the plain scan.
func TestNoiseBoundIsTheSmallestDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 5_000_000).Draw(t, "n")
		u := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0.95, 1.0001)).Draw(t, "u")
		v := rapid.OneOf(rapid.Float64Range(0.01, 3), rapid.Float64Range(1e-9, 1e4)).Draw(t, "v")
		limit := rapid.SampledFrom([]int64{11, 2000, 20_001}).Draw(t, "limit")
		upper, bound := noiseBound(n, u, v, limit)
		if want := scannedDepth(n, upper, v, fullLoadDepth(n, v, limit)); bound != want {
			t.Fatalf("bound %d, by a scan %d (upper %v)", bound, want, upper)
		}
	})
}

func TestNoiseBoundAtTheEdges(t *testing.T) {
	const limit = 250_001
	for _, c := range []struct {
		name  string
		n     int64
		u, v  float64
		limit int64
		upper float64
		bound int64
	}{
		{"no work", 0, 0.4, 1, limit, 0.4, 2},
		{"no work and more than full", 0, 1.5, 1, limit, 1, 2},
		{"nothing varies", 1000, 0.9, 0, limit, 0.9, 2},
		{"idle", 1000, 0, 1, limit, 0, 12},       // s = 1 / e: 0.0182 at depth 11, 0.0067 at depth 12
		{"full load", 5000, 1, 1, limit, 1, 258}, // 2.576 * 100 = 257.6
		{"full load, over the limit", 5000, 1, 1, 51, 1, 51},
		{"s is 1 in double", 200_000, 0.999999, 1e12, limit, 1, limit},
		{"one arrival", 1, 0.5, 1e-3, limit, 0.5 * (1 + 2.326*math.Sqrt(0.002)), 2},
	} {
		upper, bound := noiseBound(c.n, c.u, c.v, c.limit)
		if math.Abs(upper-c.upper) > 1e-15 || bound != c.bound {
			t.Errorf("%s: %v, %d, want %v, %d", c.name, upper, bound, c.upper, c.bound)
		}
	}
}

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		middle, end, bound int64
		grows              bool
		perSecond          float64
	}{{10, 19, 10, false, 0}, {10, 20, 10, true, 2}, {20, 10, 2, false, 0}, {0, 294, 68, true, 58.8}} {
		g := growth(c.middle, c.end, c.bound, 10_000_000_000)
		if g.Grows != c.grows || (g.PerSecond != nil) != c.grows || c.grows && *g.PerSecond != c.perSecond {
			t.Errorf("%+v gives %+v", c, g)
		}
	}
}

func TestSaturation(t *testing.T) {
	for _, c := range []struct {
		turnedAway, depth int64
		want              []string
	}{{0, 9, []string{}}, {1, 9, []string{TurnsWorkAway}}, {0, 10, []string{ReachesNoiseBound}}, {3, 11, []string{TurnsWorkAway, ReachesNoiseBound}}} {
		saturated, because := saturation(c.turnedAway, c.depth, 10)
		if saturated != (len(c.want) > 0) || !slices.Equal(because, c.want) {
			t.Errorf("%+v gives %v, %v", c, saturated, because)
		}
	}
}

func BenchmarkNoiseBound(b *testing.B) {
	for b.Loop() {
		noiseBound(5_000_000, 0.99, 1, 250_001)
	}
}
