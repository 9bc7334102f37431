package engine

import (
	"bytes"
	"context"
	"flag"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// checkBundles checks a property on random bundles: 100, or PROOFLOAD_SOAK_BUNDLES of them (make soak).
func checkBundles(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	checks := "100"
	if n := os.Getenv("PROOFLOAD_SOAK_BUNDLES"); n != "" {
		checks = n
	}
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, property)
}

// logBundle shows the input of a failure, in a form that is a case file.
func logBundle(t *rapid.T, in Input) {
	bundle := map[string]any{"model": in.Model, "scenario": in.Scenario, "profile": in.Profile}
	data, err := json.Marshal(bundle, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("version %d, limits %+v, bundle:\n%s", in.Version, in.Limits, data)
}

// TestRandomBundlesEqualTheTwin compares whole outcomes of the engine and of the twin, refusals too.
func TestRandomBundlesEqualTheTwin(t *testing.T) {
	seen := map[string]int{}
	checkBundles(t, func(t *rapid.T) {
		in := randomInput(t, false)
		result, err := runTwin(in)
		want := outcomeOf(t, result, err)
		in.Check = true
		result, err = Run(context.Background(), in)
		got := outcomeOf(t, result, err)
		if diff := difference(t, want, got); diff != "" {
			logBundle(t, in)
			t.Fatalf("the engine differs from the twin (-twin +engine):\n%s", diff)
		}
		seen[kindOf(want)]++
	})
	t.Logf("outcomes: %v", seen)
}

// kindOf sorts outcomes for the log of a test.
func kindOf(o outcome) string {
	switch {
	case o.Result == nil && o.Issues[0].Limit != "":
		return "over " + o.Issues[0].Limit
	case o.Result == nil:
		return o.Issues[0].Code
	case !o.Drain.Drained:
		return "not drained"
	case o.Flow.Latency.Reservoir:
		return "reservoir"
	default:
		return "result"
	}
}

// TestRandomBundlesTwice runs a bundle twice, watched and not: the same document, nothing lost (Check).
func TestRandomBundlesTwice(t *testing.T) {
	checkBundles(t, func(t *rapid.T) {
		in := randomInput(t, false)
		first, firstErr := Run(context.Background(), in)
		flows := int64(0)
		in.Check = true
		in.Observer = &Observer{Progress: func(Progress) {}, Flow: func(FinishedFlow) { flows++ }}
		second, secondErr := Run(context.Background(), in)
		if diff := difference(t, outcomeOf(t, first, firstErr), outcomeOf(t, second, secondErr)); diff != "" {
			logBundle(t, in)
			t.Fatalf("a second run differs:\n%s", diff)
		}
		if first == nil {
			return
		}
		a, errA := first.Document()
		b, errB := second.Document()
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("two documents of one input differ: %v, %v", errA, errB)
		}
		if ended := totalOf(first.Series.Flow.Completed) + totalOf(first.Series.Flow.Failed); !first.Series.Truncated && flows != ended {
			t.Fatalf("the observer saw %d flows end, the series %d", flows, ended)
		}
	})
}

func totalOf(counts []int64) int64 {
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	return total
}
