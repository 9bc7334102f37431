package commands

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

const (
	modelDocument    = `{"elements":[{"id":"e","name":"e","kind":"service"}],"operations":[],"channels":[],"bindings":[],"subscriptions":[]}`
	scenarioDocument = `{"name":"Buy","steps":[]}`
	profileDocument  = `{"name":"Peak","scenarioId":"s","seed":"1","arrivals":{"kind":"constant","ratePerSecond":1,"durationSeconds":2,"warmUpSeconds":0},` +
		`"resources":[],"serviceTimes":[],"subscriptions":[],"branches":[],"overrides":[],"outages":[]}`
)

func TestRunInputsAreReadByThePins(t *testing.T) {
	w := newWorld(t)
	one := 1
	put := func(document string) string { return must(w.putBlob(t.Context(), []byte(document)))(t) }
	pins := domain.RunRequested{
		RunID: "r", Seed: "9", ModelVersion: 1, ModelBlob: put(modelDocument),
		ScenarioVersion: &one, ScenarioBlob: put(scenarioDocument), ProfileBlob: put(profileDocument),
	}
	in := must(w.RunInputs(t.Context(), pins))(t)
	got := []string{in.Model.Elements[0].ID, in.Scenario.Name, in.Profile.Name, in.Profile.Seed}
	if diff := cmp.Diff([]string{"e", "Buy", "Peak", "9"}, got); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	pins.ModelVersion, pins.ModelBlob, pins.ScenarioVersion, pins.ScenarioBlob = 0, "", nil, ""
	in = must(w.RunInputs(t.Context(), pins))(t)
	if !isEmpty(in.Model) || in.Scenario != nil {
		t.Errorf("of an unsaved model and a missing scenario: %+v", in)
	}
	for what, blob := range map[string]string{
		"missing": strings.Repeat("0", 64), "no hash": "x", "no JSON": put("{"), "another document": put(modelDocument),
	} {
		broken := pins
		broken.ProfileBlob = blob
		if _, err := w.RunInputs(t.Context(), broken); !errors.Is(err, ErrBrokenInput) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
