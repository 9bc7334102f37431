package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// grow lets a queue grow to a depth in steps of one ns and become empty again.
func grow(b *backlog, from, depth int64) {
	for d := range depth {
		b.grew(from+d, d+1, true)
	}
	b.emptied(from + depth)
}

// TestBacklogKeepsTheHighestFour drops the lowest period, and of equal ones the later (E43).
func TestBacklogKeepsTheHighestFour(t *testing.T) {
	b := newBacklog()
	for i, depth := range []int64{5, 3, 9, 3, 1, 7, 3, 9, 4} {
		grow(&b, int64(i+1)*1_000_000, depth)
	}
	type listed struct {
		StartMs  float64
		MaxDepth int64
	}
	for _, c := range []struct {
		bound int64
		want  []listed
	}{
		{2, []listed{{1, 5}, {3, 9}, {6, 7}, {8, 9}}},
		{6, []listed{{3, 9}, {6, 7}, {8, 9}}},
		{10, nil},
	} {
		var got []listed
		for _, w := range b.windows(c.bound, false) {
			got = append(got, listed{w.StartMs, w.MaxDepth})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("bound %d (-want +got):\n%s", c.bound, diff)
		}
	}
}

// TestBacklogAtTheEdgesOfTheWindow counts depths inside the window only, and the one that is found when it opens (E42).
func TestBacklogAtTheEdgesOfTheWindow(t *testing.T) {
	b := newBacklog()
	for d := range int64(6) {
		b.grew(d, d+1, false)
	}
	b.opened(1_000_000, 3) // three have left meanwhile
	b.grew(2_000_000, 4, true)
	b.grew(3_000_000, 5, false) // after the window
	want := []BacklogWindow{{StartMs: 0, MaxDepth: 4, MaxAtMs: 2}}
	if diff := cmp.Diff(want, b.windows(2, true)); diff != "" {
		t.Errorf("still waiting (-want +got):\n%s", diff)
	}
	if b.max != 4 {
		t.Errorf("greatest depth %d, want 4", b.max)
	}
}
