package engine

import (
	"testing"

	"github.com/proofload/proofload/domain"
)

// An operation called branch and a branch step called timeoutMs have one assumption key (the page, Comparison). A run with
// another timeout differs from one without in this input all the same, and in nothing else.
func TestTwoAssumptionsOfOneKeyAreCompared(t *testing.T) {
	runAt := func(timeoutMs, probability float64) domain.StoredResult {
		in := mm1(10, 20, 5, timeoutMs)
		in.Model.Operations[0].ID, in.Profile.ServiceTimes[0].Target = "branch", "branch"
		call := domain.Step{ID: "call", Kind: domain.StepCall, OperationID: "branch"}
		in.Scenario.Steps = []domain.Step{{ID: "timeoutMs", Kind: domain.StepBranch, Then: []domain.Step{call}}}
		in.Profile.Branches = []domain.BranchInput{{StepID: "timeoutMs", Probability: probability}}
		document, err := mustRun(t, in).Document()
		if err != nil {
			t.Fatal(err)
		}
		return domain.StoredResult{Document: document}
	}
	first := runAt(2000, 0.5)
	for name, other := range map[string]domain.StoredResult{"timeout": runAt(50, 0.5), "probability": runAt(2000, 0.75)} {
		c, err := domain.CompareResults(first, other)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Inputs) != 1 || c.Inputs[0].Key != "branch.timeoutMs" || (c.Inputs[0].LeftSource.Label == domain.LabelModel) != (name == "timeout") {
			t.Errorf("another %s: %+v", name, c.Inputs)
		}
	}
}
