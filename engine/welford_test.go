package engine

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestWelford compares with the two-pass formula.
func TestWelford(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(1, 7_200_000_000_000), 2, 200).Draw(t, "samples")
		var w welford
		sum, squares := 0.0, 0.0
		for _, ns := range samples {
			w.add(ns)
			sum += float64(ns)
		}
		mean := sum / float64(len(samples))
		for _, ns := range samples {
			squares += (float64(ns) - mean) * (float64(ns) - mean)
		}
		if want := squares / float64(len(samples)) / (mean * mean); math.Abs(w.cv2()-want) > 1e-9*(1+want) {
			t.Fatalf("cv² %v, want %v", w.cv2(), want)
		}
	})
}

func TestCoefficientWithoutAValueIsOne(t *testing.T) {
	for _, c := range []struct {
		samples []int64
		want    float64
	}{{nil, 1}, {[]int64{5}, 1}, {[]int64{0, 0, 0}, 1}, {[]int64{5, 5}, 0}, {[]int64{0, 10}, 1}, {[]int64{1, 3}, 0.25}} {
		var w welford
		for _, ns := range c.samples {
			w.add(ns)
		}
		if got := w.cv2(); got != c.want {
			t.Errorf("cv² of %v is %v, want %v", c.samples, got, c.want)
		}
	}
}
