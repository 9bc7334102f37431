package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// stated is what a result says of an input, after some changes to it.
func stated(t *testing.T, change func(*Input)) Result {
	t.Helper()
	in := shop()
	change(&in)
	p, err := prepare(in)
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	p.state(&r)
	return r
}

func assumed(r Result, prefix string) []Assumption {
	return slices.DeleteFunc(r.Assumptions, func(a Assumption) bool { return !strings.HasPrefix(a.Key, prefix) })
}

func TestOutagesAreNumberedByTime(t *testing.T) {
	r := stated(t, func(in *Input) {
		in.Profile.Outages = []domain.Outage{
			{Target: "web", FromSeconds: 5, ToSeconds: 6},
			{Target: "other", ToSeconds: 1}, // not of the flow
			{Target: "web", FromSeconds: 1, ToSeconds: 9},
			{Target: "dead", FromSeconds: 2, ToSeconds: 3},
			{Target: "web", FromSeconds: 1, ToSeconds: 2},
			{Target: "mailer", FromSeconds: 4, ToSeconds: 5},
		}
	})
	declared := func(key string, seconds float64) Assumption {
		return Assumption{Key: key, Value: seconds, Label: domain.LabelDeclared}
	}
	want := []Assumption{
		declared("outage.dead[0].fromSeconds", 2), declared("outage.dead[0].toSeconds", 3),
		declared("outage.mailer[0].fromSeconds", 4), declared("outage.mailer[0].toSeconds", 5),
		declared("outage.web[0].fromSeconds", 1), declared("outage.web[0].toSeconds", 2),
		declared("outage.web[1].fromSeconds", 1), declared("outage.web[1].toSeconds", 9),
		declared("outage.web[2].fromSeconds", 5), declared("outage.web[2].toSeconds", 6),
	}
	if diff := cmp.Diff(want, assumed(r, "outage.")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if r.UnusedInputs != 1 {
		t.Errorf("%d unused inputs, want 1", r.UnusedInputs)
	}
}

// TestUnusedInputs adds one entry that the flow does not use to each of the lists (E56); an override cannot be one.
func TestUnusedInputs(t *testing.T) {
	r := stated(t, func(in *Input) {
		p := &in.Profile
		p.Resources = append(p.Resources, domain.Resource{ElementID: "mailer", Concurrency: 1}) // only its consumers work
		p.ServiceTimes = append(p.ServiceTimes, domain.ServiceTime{Target: "idle", Time: domain.Time{Kind: domain.TimeFixed}})
		p.Subscriptions = append(p.Subscriptions, domain.SubscriptionInput{SubscriptionID: "none", Consumers: 1})
		p.Branches = append(p.Branches, domain.BranchInput{StepID: "none"})
		p.Outages = []domain.Outage{{Target: "idle", ToSeconds: 1}}
	})
	if r.UnusedInputs != 5 {
		t.Errorf("%d unused inputs, want 5", r.UnusedInputs)
	}
	for _, prefix := range []string{"mailer", "idle", "none", "branch.none", "outage"} {
		if got := assumed(r, prefix); len(got) > 0 {
			t.Errorf("an unused input is assumed: %v", got)
		}
	}
}

// TestOverriddenValues has one field of each sort: replaced, stated and equal, left to the model (E60).
func TestOverriddenValues(t *testing.T) {
	r := stated(t, func(in *Input) {
		in.Profile.Overrides = []domain.Override{{
			Target: "mail", BackoffMs: ms(10), MaxAttempts: times(5),
			Origin: domain.Origin{Label: domain.LabelMeasured, MeasurementRef: "m-1"},
		}, {Target: "buy", TimeoutMs: ms(0)}}
		in.Doubts = map[string]Doubt{"m-1": {Stale: true}}
	})
	want := []OverrideResult{{"buy", "timeoutMs", 100, 0}, {"mail", "maxAttempts", 2, 5}}
	if diff := cmp.Diff(want, r.Overrides); diff != "" {
		t.Errorf("overrides: -want +got\n%s", diff)
	}
	stale := true
	fields := []Assumption{
		{Key: "mail.backoffMs", Value: 10.0, Label: domain.LabelMeasured, MeasurementRef: "m-1", MeasurementStale: &stale},
		{Key: "mail.maxAttempts", Value: 5.0, Label: domain.LabelMeasured, MeasurementRef: "m-1", MeasurementStale: &stale},
		{Key: "buy.backoffMs", Value: 10.0, Label: domain.LabelModel},
		{Key: "buy.maxAttempts", Value: 2.0, Label: domain.LabelModel},
		{Key: "buy.timeoutMs", Value: 0.0, Label: domain.LabelDeclared},
	}
	for _, f := range fields {
		got := r.Assumptions[slices.IndexFunc(r.Assumptions, func(a Assumption) bool { return a.Key == f.Key })]
		if diff := cmp.Diff(f, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", f.Key, diff)
		}
	}
}

// TestConfidence is the two tables of the page, for version 3 and for version 2.
func TestConfidence(t *testing.T) {
	for _, c := range []struct {
		name       string
		change     func(*Input)
		want3      Confidence
		want2      Confidence
		staleCount int
	}{
		{
			"all measured and known", func(in *Input) { in.Doubts = map[string]Doubt{"m-1": {}} },
			Confidence{"medium", "measured"},
			Confidence{"medium", "measured"},
			0,
		},
		{"an unknown measurement", func(*Input) {}, Confidence{"low", "in-doubt"}, Confidence{"medium", "measured"}, 0},
		{
			"a stale measurement", func(in *Input) { in.Doubts = map[string]Doubt{"m-1": {InDoubt: true, Stale: true}} },
			Confidence{"low", "in-doubt"},
			Confidence{"medium", "measured"},
			6,
		},
		{
			"one declared, others in doubt", func(in *Input) { in.Profile.ServiceTimes[2].Origin = domain.Origin{} },
			Confidence{"low", "declared"},
			Confidence{"low", "declared"},
			0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r3 := stated(t, c.change)
			r2 := stated(t, func(in *Input) { c.change(in); in.Version = 2 })
			if r3.EngineVersion != 3 || r2.EngineVersion != 2 {
				t.Errorf("versions %d and %d", r3.EngineVersion, r2.EngineVersion)
			}
			if r3.Confidence != c.want3 || r2.Confidence != c.want2 {
				t.Errorf("confidence %v and %v, want %v and %v", r3.Confidence, r2.Confidence, c.want3, c.want2)
			}
			if n := countStale(t, r3, r2); n != c.staleCount {
				t.Errorf("%d stale assumptions, want %d", n, c.staleCount)
			}
		})
	}
}

// countStale counts the stale assumptions of version 3 and expects that exactly the measured ones state it, in version 2 none.
func countStale(t *testing.T, r3, r2 Result) int {
	t.Helper()
	n := 0
	for i, a := range r3.Assumptions {
		if (a.MeasurementStale != nil) != (a.Label == domain.LabelMeasured) || r2.Assumptions[i].MeasurementStale != nil {
			t.Errorf("staleness of %v, in version 2 %v", a, r2.Assumptions[i])
		}
		if a.MeasurementStale != nil && *a.MeasurementStale {
			n++
		}
	}
	return n
}

func TestNotModelledNamesWhatTheScenarioHas(t *testing.T) {
	thing := []jsontext.Value{jsontext.Value("{}")}
	for _, c := range []struct {
		faults, assertions []jsontext.Value
		want               []string
	}{
		{nil, nil, []string{"cancellation"}},
		{thing, nil, []string{"cancellation", "scenario-faults"}},
		{nil, thing, []string{"cancellation", "scenario-assertions"}},
		{thing, thing, []string{"cancellation", "scenario-faults", "scenario-assertions"}},
	} {
		r := stated(t, func(in *Input) { in.Scenario.Faults, in.Scenario.Assertions = c.faults, c.assertions })
		if diff := cmp.Diff(c.want, r.NotModelled[14:]); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if want := (ScenarioHas{len(c.faults) > 0, len(c.assertions) > 0}); r.ScenarioHas != want {
			t.Errorf("%v, want %v", r.ScenarioHas, want)
		}
	}
}

func TestSeedOfTheResultHasNoLeadingZeros(t *testing.T) {
	if r := stated(t, func(*Input) {}); r.Seed != "7" {
		t.Errorf("seed %q", r.Seed)
	}
}
