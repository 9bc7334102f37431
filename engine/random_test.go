package engine

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// checks is the number of random bundles: 100, or PROOFLOAD_SOAK_BUNDLES (make soak).
func checks() int {
	if n, err := strconv.Atoi(os.Getenv("PROOFLOAD_SOAK_BUNDLES")); err == nil {
		return n
	}
	return 100
}

// checkBundles checks a property on random bundles.
func checkBundles(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(checks()), "rapid.nofailfile": "true"} {
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
		for _, what := range reachedBy(want) {
			seen[what]++
		}
	})
	t.Logf("reached: %v", seen)
	if checks() >= 2000 {
		for _, what := range reachable {
			if seen[what] == 0 {
				t.Errorf("no bundle reached %q", what)
			}
		}
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
