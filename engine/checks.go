package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proofload/proofload/domain"
)

// prepare checks an input in stages; the first stage with an issue refuses the run (E65). The error is a
// *domain.RefusedError, or a plain one for a version that cannot run.
func prepare(in Input) (plan, error) {
	v, err := versionOf(in.Version)
	if err != nil {
		return plan{}, err
	}
	if in.Limits == (Limits{}) {
		in.Limits = DefaultLimits
	}
	if err := refused(domain.CheckProfile(in.Profile)); err != nil {
		return plan{}, err
	}
	if in.Scenario == nil {
		return plan{}, refused([]domain.Issue{unknownScenario(in.Profile)})
	}
	trace := domain.TraceScenario(in.Model, *in.Scenario)
	if err := refused(trace.Issues); err != nil {
		return plan{}, err
	}
	if err := refused(checkInputs(in.Profile, in.Model, trace.Flow)); err != nil {
		return plan{}, err
	}
	if err := checkLimits(in.Profile.Arrivals, trace.Flow, in.Limits); err != nil {
		return plan{}, err
	}
	return newPlan(in, v, trace), nil
}

func unknownScenario(p domain.Profile) domain.Issue {
	return domain.Issue{
		Code: domain.CodeUnknownScenario, Target: p.ScenarioID,
		Message: fmt.Sprintf("The scenario %q does not exist.", p.ScenarioID),
	}
}

// issueOrder is the order of the codes in the page's table (Refusals).
var issueOrder = [...]string{
	domain.CodeInvalidProfile, domain.CodeInvalidScenario, domain.CodeUnknownScenario, domain.CodeMissingConcurrency,
	domain.CodeMissingServiceTime, domain.CodeMissingConsumers, domain.CodeMissingBranchProbability, domain.CodeUnknownTarget,
	domain.CodeStressTooLarge,
}

// refused is the refusal of a stage with issues: by code, then by target, one for each (E65). Without any it is nil.
func refused(issues []domain.Issue) error {
	if len(issues) == 0 {
		return nil
	}
	sorted := slices.Clone(issues)
	slices.SortStableFunc(sorted, func(a, b domain.Issue) int {
		return cmp.Or(
			cmp.Compare(slices.Index(issueOrder[:], a.Code), slices.Index(issueOrder[:], b.Code)),
			cmp.Compare(a.Target, b.Target),
		)
	})
	sorted = slices.CompactFunc(sorted, func(a, b domain.Issue) bool { return a.Code == b.Code && a.Target == b.Target })
	return domain.Refused(sorted)
}

// checkInputs is stage 3: missing inputs, unknown targets, timeouts for subscriptions (E65).
func checkInputs(p domain.Profile, m domain.Model, flow domain.Flow) []domain.Issue {
	given := inputsOf(p)
	issues := slices.Concat(
		missing(flow.Elements, given.resources, domain.CodeMissingConcurrency, "The element %s does work in the flow and has no workers."),
		missing(flow.Operations, given.times, domain.CodeMissingServiceTime, "The operation %s has no service time."),
		missing(flow.Stores, given.times, domain.CodeMissingServiceTime, "The store %s has no service time."),
		missing(flow.Subscriptions, given.times, domain.CodeMissingServiceTime, "The handler of %s has no service time."),
		missing(flow.Subscriptions, given.consumers, domain.CodeMissingConsumers, "The flow reaches the subscription %s, which has no consumers."),
		missing(flow.Branches, given.branches, domain.CodeMissingBranchProbability, "The branch step %s has no probability."),
	)
	issues = append(issues, checkOverrides(p.Overrides, flow)...)
	return append(issues, checkOutages(p.Outages, m)...)
}

func missing[T any](needed []string, given map[string]T, code, message string) []domain.Issue {
	var issues []domain.Issue
	for _, id := range needed {
		if _, ok := given[id]; !ok {
			issues = append(issues, domain.Issue{Code: code, Target: id, Message: fmt.Sprintf(message, id)})
		}
	}
	return issues
}

func checkOverrides(overrides []domain.Override, flow domain.Flow) []domain.Issue {
	operations, subscriptions := setOf(flow.Operations), setOf(flow.Subscriptions)
	var issues []domain.Issue
	for i, o := range overrides {
		switch {
		case operations[o.Target]:
		case !subscriptions[o.Target]:
			issues = append(issues, domain.Issue{
				Code: domain.CodeUnknownTarget, Target: o.Target,
				Message: fmt.Sprintf("The override names %q, which is no operation and no subscription of the flow.", o.Target),
			})
		case o.TimeoutMs != nil:
			issues = append(issues, domain.Issue{
				Code: domain.CodeInvalidProfile, Target: fmt.Sprintf("/overrides/%d/timeoutMs", i),
				Message: fmt.Sprintf("The subscription %s takes no timeout.", o.Target),
			})
		}
	}
	return issues
}

// checkOutages looks for the targets in the whole model, not in the flow (E71).
func checkOutages(outages []domain.Outage, m domain.Model) []domain.Issue {
	known := map[string]bool{}
	for _, e := range m.Elements {
		known[e.ID] = true
	}
	for _, o := range m.Operations {
		known[o.ID] = true
	}
	for _, c := range m.Channels {
		known[c.ID] = true
	}
	for _, s := range m.Subscriptions {
		known[s.ID] = true
	}
	var issues []domain.Issue
	for _, o := range outages {
		if !known[o.Target] {
			issues = append(issues, domain.Issue{
				Code: domain.CodeUnknownTarget, Target: o.Target,
				Message: fmt.Sprintf("The outage names %q, which is nothing of the model.", o.Target),
			})
		}
	}
	return issues
}

// Check says what would refuse a run before it starts: stages 1 to 4 of E65, as a *domain.RefusedError.
func Check(in Input) error {
	_, err := prepare(in)
	return err
}
