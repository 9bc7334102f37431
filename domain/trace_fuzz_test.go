package domain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proofload/proofload/domain"
)

// FuzzTraceScenario reads any document, also models that a save refuses: the trace never fails, has one issue
// for each target in their order (E65), and a flow whose ids ascend.
func FuzzTraceScenario(f *testing.F) {
	for _, name := range []string{"refuse-scenario-cycle", "messages-diamond-outages", "steps-all-nested", "refuse-missing-everything"} {
		data, err := os.ReadFile(filepath.Join(caseDir, "cases", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"model":{"bindings":[{"fromChannelId":"a","toChannelId":"b"}],"subscriptions":[{"id":"a","channelId":"b"}]},
		"scenario":{"steps":[{"kind":"publish","channelId":"a"}],"handlers":[{"subscriptionId":"a","steps":[{"kind":"publish","channelId":"a"}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var bundle struct {
			Model    domain.Model
			Scenario domain.Scenario
		}
		if json.Unmarshal(data, &bundle) != nil {
			return
		}
		trace := domain.TraceScenario(bundle.Model, bundle.Scenario)
		for i, issue := range trace.Issues {
			if i > 0 && issue.Target <= trace.Issues[i-1].Target {
				t.Errorf("issues of %q and %q", trace.Issues[i-1].Target, issue.Target)
			}
		}
		flow := trace.Flow
		for _, ids := range [][]string{
			flow.Elements, flow.Operations, flow.Stores, flow.Subscriptions, flow.Channels, flow.Entered, flow.Branches,
		} {
			if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
				t.Errorf("ids %q", ids)
			}
		}
		domain.RequirementsOf(bundle.Model, bundle.Scenario, trace)
	})
}
