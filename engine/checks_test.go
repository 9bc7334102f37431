package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// shop is a checked input with an operation, a store, a subscription, a branch and what the flow does not use.
func shop() Input {
	retry := domain.Retry{MaxAttempts: 2, BackoffMs: 10}
	write := []domain.Step{{ID: "put", Kind: domain.StepWrite, ElementID: "db"}}
	label := domain.Origin{Label: domain.LabelMeasured, MeasurementRef: "m-1"}
	one := domain.Time{Kind: domain.TimeFixed, Ms: 1}
	return Input{
		Model: domain.Model{
			Elements: []domain.Element{
				{ID: "web", Kind: domain.KindService}, {ID: "db", Kind: domain.KindStore}, {ID: "mailer", Kind: domain.KindService},
			},
			Operations: []domain.Operation{
				{ID: "buy", ElementID: "web", TimeoutMs: 100, Retry: retry}, {ID: "idle", ElementID: "mailer", Retry: retry},
			},
			Channels:      []domain.Channel{{ID: "mails"}, {ID: "dead"}, {ID: "other"}},
			Subscriptions: []domain.Subscription{{ID: "mail", ChannelID: "mails", ElementID: "mailer", Retry: retry, DeadLetterChannelID: "dead"}},
		},
		Scenario: &domain.Scenario{Name: "buy", Steps: []domain.Step{
			{ID: "call", Kind: domain.StepCall, OperationID: "buy"},
			{ID: "maybe", Kind: domain.StepBranch, Then: write},
			{ID: "tell", Kind: domain.StepPublish, ChannelID: "mails"},
		}},
		Profile: domain.Profile{
			Name: "peak", ScenarioID: "buy", Seed: "007",
			Arrivals:  domain.Arrivals{Kind: domain.ArrivalsConstant, RatePerSecond: 10, DurationSeconds: 10, WarmUpSeconds: 1},
			Resources: []domain.Resource{{ElementID: "web", Concurrency: 1}, {ElementID: "db", Concurrency: 1}},
			ServiceTimes: []domain.ServiceTime{
				{Target: "buy", Time: one, Origin: label}, {Target: "db", Time: one, Origin: label}, {Target: "mail", Time: one, Origin: label},
			},
			Subscriptions: []domain.SubscriptionInput{{SubscriptionID: "mail", Consumers: 1}},
			Branches:      []domain.BranchInput{{StepID: "maybe", Probability: 0.5}},
		},
	}
}

func ms(x float64) *float64 { return &x }

func times(n int) *int { return &n }

// TestStagesOfRefusal changes a good input and expects code and target of each issue, in order (E65).
func TestStagesOfRefusal(t *testing.T) {
	type issue struct{ code, target string }
	for _, c := range []struct {
		name   string
		change func(*Input)
		want   []issue
	}{
		{"a good input", func(*Input) {}, nil},
		{"the profile comes before the scenario", func(in *Input) {
			in.Profile.Resources[0].Concurrency, in.Scenario = 0, nil
		}, []issue{{domain.CodeInvalidProfile, "/resources/0/concurrency"}}},
		{"a scenario that is not there", func(in *Input) { in.Scenario = nil }, []issue{{domain.CodeUnknownScenario, "buy"}}},
		{"the scenario comes before the inputs", func(in *Input) {
			in.Scenario.Steps[0].OperationID, in.Profile.Resources = "nothing", nil
		}, []issue{{domain.CodeInvalidScenario, "call"}}},
		{"all missing inputs, by code and target", func(in *Input) {
			in.Profile.Resources, in.Profile.ServiceTimes, in.Profile.Subscriptions, in.Profile.Branches = nil, nil, nil, nil
		}, []issue{
			{domain.CodeMissingConcurrency, "db"},
			{domain.CodeMissingConcurrency, "web"},
			{domain.CodeMissingServiceTime, "buy"},
			{domain.CodeMissingServiceTime, "db"},
			{domain.CodeMissingServiceTime, "mail"},
			{domain.CodeMissingConsumers, "mail"},
			{domain.CodeMissingBranchProbability, "maybe"},
		}},
		{"one issue for a code and a target", func(in *Input) {
			out := domain.Outage{Target: "nowhere", FromSeconds: 1, ToSeconds: 2}
			in.Profile.Outages = []domain.Outage{out, out}
			in.Profile.Overrides = []domain.Override{{Target: "nowhere", MaxAttempts: times(1)}, {Target: "idle", MaxAttempts: times(1)}}
		}, []issue{{domain.CodeUnknownTarget, "idle"}, {domain.CodeUnknownTarget, "nowhere"}}},
		{"a timeout for a subscription comes first", func(in *Input) {
			in.Profile.Overrides = []domain.Override{{Target: "idle", TimeoutMs: ms(1)}, {Target: "mail", TimeoutMs: ms(1)}}
		}, []issue{{domain.CodeInvalidProfile, "/overrides/1/timeoutMs"}, {domain.CodeUnknownTarget, "idle"}}},
		{"an outage may name anything of the model", func(in *Input) {
			for _, target := range []string{"web", "idle", "other", "mail"} {
				in.Profile.Outages = append(in.Profile.Outages, domain.Outage{Target: target, ToSeconds: 1})
			}
		}, nil},
		{"inputs come before limits", func(in *Input) {
			in.Profile.Branches, in.Profile.Arrivals.DurationSeconds = nil, 3601
		}, []issue{{domain.CodeMissingBranchProbability, "maybe"}}},
		{"only the first limit", func(in *Input) {
			in.Profile.Arrivals.DurationSeconds, in.Profile.Arrivals.RatePerSecond = 3601, 100_000
		}, []issue{{domain.CodeStressTooLarge, limitDuration}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := shop()
			c.change(&in)
			_, err := prepare(in)
			var got []issue
			if refusal, ok := errors.AsType[*domain.RefusedError](err); ok {
				for _, i := range refusal.Issues {
					got = append(got, issue{i.Code, i.Target})
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(issue{})); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestLimitsAtTheBound has each limit at the bound and one over. The flow has 2 elements with workers, 1 operation, 1 store
// and 1 subscription, which counts twice: 6 targets (E69).
func TestLimitsAtTheBound(t *testing.T) {
	for name, c := range map[string]struct{ within, over func(*Input) }{
		limitDuration: {
			func(in *Input) { in.Profile.Arrivals.DurationSeconds = 3600.0000000004 }, // 3 600 s in whole ns
			func(in *Input) { in.Profile.Arrivals.DurationSeconds = 3600.000000001 },
		},
		limitArrivals: {
			func(in *Input) { in.Profile.Arrivals.RatePerSecond = 20_000 },
			func(in *Input) { in.Profile.Arrivals.RatePerSecond = 20_000.01 },
		},
		limitTargets: {
			func(in *Input) { in.Limits.Targets = 6 },
			func(in *Input) { in.Limits.Targets = 5 },
		},
		limitRoutes: {
			func(in *Input) { in.Limits.Routes = 1 },
			func(in *Input) { in.Limits.Routes = 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := shop()
			in.Limits = DefaultLimits
			in.Model.Bindings = []domain.Binding{{ID: "b", FromChannelID: "mails", ToChannelID: "other"}}
			c.within(&in)
			if _, err := prepare(in); err != nil {
				t.Errorf("at the limit: %v", err)
			}
			c.over(&in)
			_, err := prepare(in)
			refusal, ok := errors.AsType[*domain.RefusedError](err)
			if !ok || refusal.Type != domain.StressTooLarge || refusal.Issues[0].Limit != name || refusal.Issues[0].Target != name {
				t.Errorf("over the limit: %v", err)
			}
			figure := map[string]string{limitDuration: "3 600 s", limitArrivals: "200 000", limitTargets: "5", limitRoutes: "0"}[name] // as the case sets them
			if want := "over the limit " + name + " (" + figure + ")"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q in %v", want, err)
			}
		})
	}
}

func TestUnknownVersion(t *testing.T) {
	in := shop()
	in.Version = 1
	if _, err := prepare(in); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("version 1 runs: %v", err)
	}
}
