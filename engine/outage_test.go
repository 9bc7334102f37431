package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeSpans(t *testing.T) {
	for name, c := range map[string]struct{ windows, want []span }{
		"none":              {nil, nil},
		"sorts":             {[]span{{30, 40}, {10, 20}}, []span{{10, 20}, {30, 40}}},
		"overlap":           {[]span{{10, 20}, {15, 30}}, []span{{10, 30}}},
		"touch":             {[]span{{10, 20}, {20, 30}}, []span{{10, 30}}},
		"one inside":        {[]span{{10, 50}, {20, 30}, {40, 60}}, []span{{10, 60}}},
		"empty after round": {[]span{{10, 10}, {20, 30}}, []span{{20, 30}}},
	} {
		if diff := cmp.Diff(c.want, mergeSpans(c.windows), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOutageIsHalfOpen asks at the edges: on at from, off at to (E6).
func TestOutageIsHalfOpen(t *testing.T) {
	o := outage{spans: mergeSpans([]span{{10, 20}, {30, 40}})}
	for _, c := range []struct {
		at   int64
		want bool
	}{{0, false}, {9, false}, {10, true}, {10, true}, {19, true}, {20, false}, {29, false}, {30, true}, {40, false}, {90, false}} {
		if got := o.at(c.at); got != c.want {
			t.Errorf("at %d: %v, want %v", c.at, got, c.want)
		}
	}
}
