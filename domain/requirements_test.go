package domain_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

func TestRequirements(t *testing.T) {
	m, s := shop(), sale()
	s.Steps[0].OnError = []domain.Step{call("s3", "pay")}
	s.Handlers = s.Handlers[1:]
	payTimeout, loadTimeout := 500.0, 0.0
	want := domain.Requirements{
		Elements: []domain.Requirement{
			{ID: "desk", Name: "Desk", Kind: "service", StepIDs: []string{"s1", "s3"}},
			{ID: "till", Name: "Till", Kind: "store", StepIDs: []string{"s2"}},
			{ID: "truck", Name: "Truck", Kind: "external", StepIDs: []string{"s8", "s9"}},
		},
		ServiceTimes: []domain.Requirement{
			{ID: "count", Name: "Count", Kind: "handler", StepIDs: []string{"s5", "s7"}},
			{ID: "load", Name: "Load", Kind: "operation", StepIDs: []string{"s8", "s9"}},
			{ID: "pay", Name: "Pay", Kind: "operation", StepIDs: []string{"s1", "s3"}},
			{ID: "ship", Name: "Ship", Kind: "handler", StepIDs: []string{"s5"}},
			{ID: "till", Name: "Till", Kind: "store", StepIDs: []string{"s2"}},
		},
		Subscriptions: []domain.Requirement{
			{ID: "count", Name: "Count", Kind: "subscription", StepIDs: []string{"s5", "s7"}},
			{ID: "ship", Name: "Ship", Kind: "subscription", StepIDs: []string{"s5"}},
		},
		Branches: []domain.Requirement{{ID: "s4", Name: "in Europe", Kind: "branch", StepIDs: []string{"s4"}}},
		Policies: []domain.Policy{
			{Target: "count", Name: "Count", Kind: "subscription", MaxAttempts: 1},
			{Target: "load", Name: "Load", Kind: "operation", TimeoutMs: &loadTimeout, MaxAttempts: 1},
			{Target: "pay", Name: "Pay", Kind: "operation", TimeoutMs: &payTimeout, MaxAttempts: 3, BackoffMs: 20},
			{Target: "ship", Name: "Ship", Kind: "subscription", MaxAttempts: 2, BackoffMs: 7},
		},
	}
	if diff := cmp.Diff(want, domain.RequirementsOf(m, s, domain.TraceScenario(m, s))); diff != "" {
		t.Error(diff)
	}
}

// A case that lacks everything is refused with just what the requirements list.
func TestRequirementsAreWhatARunMisses(t *testing.T) {
	for _, c := range engineCases(t) {
		if c.name != "refuse-missing-everything" {
			continue
		}
		r := domain.RequirementsOf(c.Model, *c.Scenario, domain.TraceScenario(c.Model, *c.Scenario))
		got := slices.Concat(
			missing(domain.CodeMissingConcurrency, r.Elements), missing(domain.CodeMissingServiceTime, r.ServiceTimes),
			missing(domain.CodeMissingConsumers, r.Subscriptions), missing(domain.CodeMissingBranchProbability, r.Branches),
		)
		if diff := cmp.Diff(codesAndTargets(c.expected.Issues), got); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("no case lacks everything")
}

func missing(code string, needed []domain.Requirement) []string {
	var found []string
	for _, r := range needed {
		found = append(found, code+" "+r.ID)
	}
	return found
}

// A branch step may have the id of a thing of the model: the two are told apart.
func TestRequirementsOfABranchNamedAsAnOperation(t *testing.T) {
	s := domain.Scenario{Steps: []domain.Step{{ID: "pay", Kind: domain.StepBranch, Then: []domain.Step{call("s1", "pay")}}}}
	r := domain.RequirementsOf(shop(), s, domain.TraceScenario(shop(), s))
	if got := r.Branches[0].StepIDs; !slices.Equal(got, []string{"pay"}) {
		t.Errorf("branch: %v", got)
	}
	if got := r.ServiceTimes[0].StepIDs; !slices.Equal(got, []string{"s1"}) {
		t.Errorf("operation: %v", got)
	}
}
