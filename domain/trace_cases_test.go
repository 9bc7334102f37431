package domain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// The refusals of the cases are those of the trace, to the issue; every other case is valid.
func TestTraceRefusesAsTheCases(t *testing.T) {
	refused := 0
	for _, c := range engineCases(t) {
		var want []string
		if strings.HasPrefix(c.name, "refuse-scenario-") {
			refused++
			want = codesAndTargets(c.expected.Issues)
		}
		got := codesAndTargets(domain.TraceScenario(c.Model, *c.Scenario).Issues)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if refused != 6 {
		t.Errorf("%d cases are refused by the trace, want 6", refused)
	}
}

// What a result lists is what the flow uses (E55).
func TestFlowHasWhatTheResultsList(t *testing.T) {
	results := 0
	for _, c := range engineCases(t) {
		if c.expected.Type != "" {
			continue
		}
		results++
		flow := domain.TraceScenario(c.Model, *c.Scenario).Flow
		want := [][]string{
			ids(c.expected.Operations), ids(c.expected.Elements), ids(c.expected.Subscriptions), ids(c.expected.Channels),
		}
		got := [][]string{flow.Operations, flow.Elements, flow.Subscriptions, flow.Channels}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if results == 0 {
		t.Error("no case has a result")
	}
}

func ids(things []thing) []string {
	var found []string
	for _, thing := range things {
		found = append(found, thing.ID)
	}
	return found
}

func codesAndTargets(issues []domain.Issue) []string {
	var found []string
	for _, issue := range issues {
		found = append(found, issue.Code+" "+issue.Target)
	}
	return slices.Clip(found)
}
