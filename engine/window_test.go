package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuartersRoundDown cuts windows whose length four does not divide (E23).
func TestQuartersRoundDown(t *testing.T) {
	for _, length := range []int64{4, 5, 6, 7, 1_000_000, 1_000_003, 3_600_000_000_001} {
		for k := range int64(5) {
			if got, want := quarter(length, k), length*k/4; got != want {
				t.Errorf("quarter %d of %d ends at %d, want %d", k, length, got, want)
			}
		}
	}
}

// TestWindowEdges lists what is looked at, and before which events (E9, E17, E42, E44).
func TestWindowEdges(t *testing.T) {
	want := []edge{
		{windowOpens, 100, 99},
		{quarterEnds, 102, 102},
		{quarterEnds + 1, 105, 105},
		{quarterEnds + 2, 107, 107},
		{windowCloses, 110, 109},
		{arrivalsEnd, 110, 110},
	}
	if diff := cmp.Diff(want, windowEdges(100, 110), cmp.AllowUnexported(edge{})); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

// TestIntegralsAreExact follows a pool of two workers through the parts of a run (E37).
func TestIntegralsAreExact(t *testing.T) {
	r := resource{workers: 2}
	r.depth, r.busy = 3, 2
	r.endPart(beforeWindow, 10)
	r.sumUntil(14)
	r.depth = 1
	r.endPart(firstQuarter, 20)
	r.busy = 0
	r.endPart(firstQuarter+1, 25)
	want := [parts]integrals{{30, 20}, {3*4 + 1*6, 20}, {5, 0}}
	if diff := cmp.Diff(want, r.area.parts, cmp.AllowUnexported(integrals{})); diff != "" {
		t.Errorf("integrals (-want +got):\n%s", diff)
	}
	if got := r.inWindow(); got != (integrals{23, 20}) {
		t.Errorf("in the window %+v", got)
	}
}

// TestSeriesEndsWithTheRun cuts the points at the end of the run and of the arrivals (E57, E59).
func TestSeriesEndsWithTheRun(t *testing.T) {
	for _, c := range []struct {
		durationNs, endNs int64
		interval, points  int64
		truncated         bool
	}{
		{1_000_000, 0, 1, 1, false},               // 1 ms
		{120_000_000, 0, 1, 120, false},           // exactly 120 points
		{120_000_001, 0, 2, 61, false},            // rounded up to 2 ms
		{120_000_000, 120_000_001, 1, 121, false}, // ends after the arrivals
		{120_000_000, 240_000_000, 1, 240, false}, // on the last point
		{120_000_000, 240_000_001, 1, 240, true},  // after it
		{3_600_000_000_000, 7_200_000_000_000, 30_000, 240, false},
	} {
		s := newSeries(c.durationNs, DefaultLimits.SeriesPoints, 0)
		for range s.limit {
			s.flow.Started, s.flow.Completed = append(s.flow.Started, 0), append(s.flow.Completed, 0)
			s.flow.Failed, s.flow.InFlight = append(s.flow.Failed, 0), append(s.flow.InFlight, 0)
		}
		got := s.result(c.endNs, c.durationNs, nil)
		if got.IntervalMs != c.interval || int64(len(got.PointsMs)) != c.points || got.Truncated != c.truncated {
			t.Errorf("%+v: interval %d ms, %d points, truncated %v", c, got.IntervalMs, len(got.PointsMs), got.Truncated)
		}
	}
}
