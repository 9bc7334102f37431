package engine

import (
	"context"
	"testing"

	"github.com/proofload/proofload/domain"
)

// These bundles are for rules that no case of testdata/cases holds down. What is expected is worked out by hand, and
// both engines must agree on the whole document.

// steady is a flow of calls at one element with one worker: an arrival every gapMs, fixed times.
func steady(seconds, gapMs, serviceMs float64, steps ...domain.Step) Input {
	in := mm1(1000/gapMs, seconds, 1, 0)
	in.Profile.Arrivals.Kind = domain.ArrivalsConstant
	in.Profile.ServiceTimes[0].Time = domain.Time{Kind: domain.TimeFixed, Ms: serviceMs}
	in.Scenario.Steps, in.Limits = steps, DefaultLimits
	return in
}

func callOf(id, operationID string, onError ...domain.Step) domain.Step {
	return domain.Step{ID: id, Kind: domain.StepCall, OperationID: operationID, OnError: onError}
}

func runBoth(t *testing.T, in Input) *Result {
	t.Helper()
	in.Check = true
	result, err := Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if twin := mustRunTwin(t, in); twin.Hash != result.Hash {
		t.Error("the twin's document differs")
	}
	return result
}

// At 100 ms the first call ends. The second, which waits, fails at the worker and takes the only worker of "last" in
// its onError; the first flow goes on after that and is turned away (E30).
func TestWorkThatFailedAtTheWorkerGoesOnFirst(t *testing.T) {
	in := steady(0.1, 50, 100, callOf("a", "op", callOf("b", "last")), callOf("c", "last"))
	full := 0
	in.Model.Elements = append(in.Model.Elements, domain.Element{ID: "end", Kind: domain.KindService})
	in.Model.Operations = append(in.Model.Operations, domain.Operation{ID: "last", ElementID: "end", Retry: domain.Retry{MaxAttempts: 1}})
	in.Profile.Resources = append(in.Profile.Resources, domain.Resource{ElementID: "end", Concurrency: 1, QueueCapacity: &full})
	last10 := domain.ServiceTime{Target: "last", Time: domain.Time{Kind: domain.TimeFixed, Ms: 10}}
	in.Profile.ServiceTimes = append(in.Profile.ServiceTimes, last10)
	in.Profile.Outages = []domain.Outage{{Target: "op", FromSeconds: 0.06, ToSeconds: 0.2}}
	r := runBoth(t, in)
	last := r.Operations[0]
	// The second flow's onError succeeds at 110 ms; its own step "c" follows and ends at 120 ms: 70 ms after its start.
	if last.Rejected != 1 || last.Succeeded != 2 || r.Flow.Failed != 1 || r.Flow.Completed != 1 || *r.Flow.Latency.MaxMs != 70 {
		t.Errorf("flow %+v, last %+v", r.Flow, last)
	}
}

// The queue grows to 6 in each period of 100 ms and an outage of 2 ms fails all that waits when the call of 96 ms ends;
// no arrival falls into it. Nothing varies, so the bound is 2. Six periods are equally deep: the first four are listed
// (E43).
func TestOfEqualBacklogsTheEarlierAreListed(t *testing.T) {
	in := steady(0.6, 10, 24, callOf("a", "op"))
	for k := range 6 {
		from := (float64(k)*100 + 95) / 1000
		in.Profile.Outages = append(in.Profile.Outages, domain.Outage{Target: "op", FromSeconds: from, ToSeconds: from + 0.002})
	}
	e := runBoth(t, in).Elements[0]
	if e.Noise.Bound != 2 || len(e.BacklogWindows) != 4 || !e.BacklogWindowsFull {
		t.Fatalf("bound %d, backlogs %+v", e.Noise.Bound, e.BacklogWindows)
	}
	for k, w := range e.BacklogWindows {
		start := float64(k) * 100
		if w.StartMs != start+10 || *w.EndMs != start+96 || w.MaxDepth != 6 || w.MaxAtMs != start+90 {
			t.Errorf("backlog %d is %+v until %v", k, w, *w.EndMs)
		}
	}
}

// The last possible point of a run of 1 s is at 240 * 9 ms (E57, E59).
func TestASeriesThatEndsWithTheRunIsNotTruncated(t *testing.T) {
	for _, c := range []struct {
		serviceMs float64
		truncated bool
	}{{2160, false}, {2160.000001, true}} {
		s := runBoth(t, steady(1, 1000, c.serviceMs, callOf("a", "op"))).Series
		if s.Truncated != c.truncated || len(s.PointsMs) != 240 {
			t.Errorf("service of %v ms: truncated %v, %d points", c.serviceMs, s.Truncated, len(s.PointsMs))
		}
	}
}

// The end of the second call of a flow is scheduled after the arrival that falls on the same instant, so that arrival
// finds the worker busy and is turned away; the one after it finds it free (E2).
func TestEventsOfOneInstantGoInTheOrderOfScheduling(t *testing.T) {
	in := steady(0.6, 30, 15, callOf("a", "op"), callOf("b", "op"))
	full := 0
	in.Profile.Resources[0].QueueCapacity = &full
	r := runBoth(t, in)
	if r.Flow.Completed != 10 || r.Flow.Failed != 10 {
		t.Errorf("%d flows completed and %d failed, want 10 and 10", r.Flow.Completed, r.Flow.Failed)
	}
}
