package engine

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// TestWatchingChangesNothing runs every case with nobody listening, twice, and with an observer and the checks.
func TestWatchingChangesNothing(t *testing.T) {
	for _, name := range caseNames(t) {
		plain, err := runBundle(t, name)
		if err != nil {
			continue // refused: TestCases
		}
		again, err := runBundle(t, name)
		if err != nil {
			t.Fatal(err)
		}
		watched, err := runBundle(t, name, func(in *Input) {
			in.Check = true
			in.Observer = &Observer{Progress: func(Progress) {}, Flow: func(FinishedFlow) {}}
		})
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash != plain.Hash || watched.Hash != plain.Hash {
			t.Errorf("%s: hashes %s, again %s, watched %s", name, plain.Hash, again.Hash, watched.Hash)
		}
	}
}

// TestObserverSeesEveryFlow compares the flows that the observer is told of with the result.
func TestObserverSeesEveryFlow(t *testing.T) {
	in := nested(200, 5)
	latency := newSummary(DefaultLimits.KeptSamples, "1", "flow")
	completed, lastEnd := int64(0), int64(0)
	in.Observer = &Observer{Flow: func(f FinishedFlow) {
		if end := f.StartNs + f.DurationNs; end < lastEnd {
			t.Errorf("a flow that ended at %d after one at %d", end, lastEnd)
		} else {
			lastEnd = end
		}
		if f.Completed {
			completed++
			latency.add(f.DurationNs)
		}
	}}
	r := mustRun(t, in)
	var buffer []int64
	if diff := cmp.Diff(r.Flow.Latency, latency.result(&buffer)); diff != "" || completed != r.Flow.Completed {
		t.Errorf("%d completed flows, want %d; latency (-result +seen):\n%s", completed, r.Flow.Completed, diff)
	}
}

// TestProgressMovesOn looks at the reports of a run with more than enough events for several.
func TestProgressMovesOn(t *testing.T) {
	in := nested(200, 20)
	var seen []Progress
	in.Observer = &Observer{Progress: func(p Progress) { seen = append(seen, p) }}
	r := mustRun(t, in)
	if want := int(r.Events / pollEvery); len(seen) != want {
		t.Errorf("%d reports for %d events, want %d", len(seen), r.Events, want)
	}
	var before Progress
	for _, p := range seen {
		if p.Events != before.Events+pollEvery || p.VirtualNs < before.VirtualNs || p.Done < before.Done || p.Done > 1 {
			t.Errorf("%+v after %+v", p, before)
		}
		before = p
	}
}

// TestCancelStopsSoon cancels a long run and expects the error of the context before the next report, and within 200 ms unless
// the machine is busy each time.
func TestCancelStopsSoon(t *testing.T) {
	least := time.Hour
	for n := 0; n == 0 || n < 20 && least > 200*time.Millisecond; n++ {
		least = min(least, cancelled(t))
	}
	if least > 200*time.Millisecond {
		t.Errorf("stopped %v after the cancel", least)
	}
}

// cancelled is how long a run went on after it was cancelled.
func cancelled(t *testing.T) time.Duration {
	t.Helper()
	in := nested(1000, 3600)
	ctx, cancel := context.WithCancelCause(t.Context())
	var at time.Time
	in.Observer = &Observer{Progress: func(p Progress) {
		switch {
		case p.Events == 10*pollEvery:
			at = time.Now()
			cancel(errors.New("enough"))
		case p.Events > 10*pollEvery:
			t.Errorf("it goes on after the cancel, with event %d", p.Events)
		}
	}}
	if _, err := Run(ctx, in); !errors.Is(err, context.Canceled) || at.IsZero() {
		t.Fatalf("error %v, want that of the context", err)
	}
	return time.Since(at)
}

// TestNoAllocationPerEvent compares the allocations of a long run with those of a short one, with everything that a
// scenario can have (the case steps-all-overload, of which the duration grows).
func TestNoAllocationPerEvent(t *testing.T) {
	count := func(seconds float64) (allocations float64, events int64) {
		in, err := bundleOf(t, "steps-all-overload")
		if err != nil {
			t.Fatal(err)
		}
		in.Profile.Arrivals.DurationSeconds = seconds
		in.Limits = DefaultLimits
		in.Limits.KeptSamples = 1000 // a summary grows by doubling: that is the start
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := mustRun(t, in)
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs), r.Events
	}
	count(20) // what the packages allocate once
	few, fewEvents := count(20)
	many, manyEvents := count(120)
	if perEvent := (many - few) / float64(manyEvents-fewEvents); perEvent > 0.001 {
		t.Errorf("%.5f allocations per event: %v for %d events, %v for %d", perEvent, few, fewEvents, many, manyEvents)
	}
}

// TestLimitsInsideARun puts each limit at what a run needs, which passes, and one below, which refuses it (E68).
func TestLimitsInsideARun(t *testing.T) {
	in := mm1(100, 2, 1, 500)
	in.Profile.Arrivals.Kind = domain.ArrivalsConstant // 200 calls
	in.Profile.ServiceTimes[0].Time = domain.Time{Kind: domain.TimeFixed, Ms: 25}
	// Every 25 ms a call ends, every 10 ms one comes: at 2 s, 200 came and 79 or 80 are served. Timers last 0.5 s.
	for _, c := range []struct {
		name  string
		needs int64
		set   func(*Limits, int64)
	}{
		{limitEvents, 200 + 200 + 200, func(l *Limits, n int64) { l.Events = n }}, // arrivals, ends, timeouts
		{limitQueued, 120, func(l *Limits, n int64) { l.Queued = n }},             // the call at 1.99 s finds 119 waiting
		{limitPending, 52, func(l *Limits, n int64) { l.Pending = n }},            // 50 timers, an end, an arrival
	} {
		in.Limits = DefaultLimits
		c.set(&in.Limits, c.needs)
		if _, err := Run(t.Context(), in); err != nil {
			t.Errorf("%s at %d: %v", c.name, c.needs, err)
		}
		c.set(&in.Limits, c.needs-1)
		_, err := Run(t.Context(), in)
		var refusal *domain.RefusedError
		if !errors.As(err, &refusal) || refusal.Type != domain.StressTooLarge || refusal.Issues[0].Limit != c.name {
			t.Errorf("%s at %d: %v, want a refusal by this limit", c.name, c.needs-1, err)
		}
	}
}
