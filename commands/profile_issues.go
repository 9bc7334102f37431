package commands

import (
	"fmt"

	"github.com/proofload/proofload/domain"
)

// profileIssues lists what a profile names that its project does not have, beside the ranges that the reader of
// the document checked. No result was ever imported, so that no measurementRef names one.
func profileIssues(p domain.Profile, inScenario bool) []domain.Issue {
	var issues []domain.Issue
	if !inScenario {
		issues = append(issues, domain.Issue{
			Code: domain.CodeInvalidProfile, Target: "/scenarioId",
			Message: fmt.Sprintf("the project has no scenario %q", p.ScenarioID),
		})
	}
	for _, o := range origins(p) {
		if o.MeasurementRef != "" {
			issues = append(issues, domain.Issue{
				Code: domain.CodeInvalidProfile, Target: o.pointer + "/measurementRef",
				Message: fmt.Sprintf("the project has no imported result %q", o.MeasurementRef),
			})
		}
	}
	return issues
}

// placed is an origin with the JSON Pointer of the entry that it stands in.
type placed struct {
	pointer string
	domain.Origin
}

func origins(p domain.Profile) []placed {
	all := []placed{{"/arrivals", p.Arrivals.Origin}}
	add := func(list string, i int, o domain.Origin) {
		all = append(all, placed{fmt.Sprintf("/%s/%d", list, i), o})
	}
	for i, e := range p.Resources {
		add("resources", i, e.Origin)
	}
	for i, e := range p.ServiceTimes {
		add("serviceTimes", i, e.Origin)
	}
	for i, e := range p.Subscriptions {
		add("subscriptions", i, e.Origin)
	}
	for i, e := range p.Branches {
		add("branches", i, e.Origin)
	}
	for i, e := range p.Overrides {
		add("overrides", i, e.Origin)
	}
	return all
}
