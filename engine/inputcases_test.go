package engine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// inputCase is a bundle of testdata/cases with what testdata/expected says of its input.
type inputCase struct {
	name     string
	Model    domain.Model
	Scenario *domain.Scenario
	Profile  domain.Profile
	expected struct {
		Type         string
		Issues       []domain.Issue
		Assumptions  []Assumption
		Overrides    []OverrideResult
		Limits       Limits
		Confidence   Confidence
		NotModelled  []string
		UnusedInputs int
		ScenarioHas  ScenarioHas
		Seed         string
		Window       Window
	}
}

func inputCases(t *testing.T) []inputCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(paths) != 147 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	var cases []inputCase
	for _, path := range paths {
		c := inputCase{name: strings.TrimSuffix(filepath.Base(path), ".json")}
		readCase(t, path, &c)
		readCase(t, filepath.Join("testdata/expected", c.name+".json"), &c.expected)
		cases = append(cases, c)
	}
	return cases
}

func readCase(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// duringTheRun are the refusals that only the events of a run find (E65, stage 5).
var duringTheRun = []string{"refuse-limit-events", "refuse-limit-pending", "refuse-limit-queued"}

// TestPrepareRefusesTheCases compares code, target and limit of all issues, in order.
func TestPrepareRefusesTheCases(t *testing.T) {
	for _, c := range inputCases(t) {
		t.Run(c.name, func(t *testing.T) {
			_, err := prepare(Input{Model: c.Model, Scenario: c.Scenario, Profile: c.Profile})
			if c.expected.Type == "" || slices.Contains(duringTheRun, c.name) {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			var refused *domain.RefusedError
			if !errors.As(err, &refused) {
				t.Fatalf("not refused: %v", err)
			}
			if refused.Type != c.expected.Type {
				t.Errorf("type %s, want %s", refused.Type, c.expected.Type)
			}
			if diff := cmp.Diff(withoutTexts(c.expected.Issues), withoutTexts(refused.Issues)); diff != "" {
				t.Errorf("issues: -want +got\n%s", diff)
			}
		})
	}
}

func withoutTexts(issues []domain.Issue) []domain.Issue {
	bare := slices.Clone(issues)
	for i := range bare {
		bare[i].Message = ""
	}
	return bare
}

// TestStatementsOfTheCases compares what a result says of its input.
func TestStatementsOfTheCases(t *testing.T) {
	for _, c := range inputCases(t) {
		if c.expected.Type != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			p, err := prepare(Input{Model: c.Model, Scenario: c.Scenario, Profile: c.Profile})
			if err != nil {
				t.Fatal(err)
			}
			var got Result
			p.state(&got)
			for name, pair := range map[string][2]any{
				"assumptions":  {c.expected.Assumptions, got.Assumptions},
				"overrides":    {c.expected.Overrides, got.Overrides},
				"limits":       {c.expected.Limits, got.Limits},
				"confidence":   {c.expected.Confidence, got.Confidence},
				"notModelled":  {c.expected.NotModelled, got.NotModelled},
				"unusedInputs": {c.expected.UnusedInputs, got.UnusedInputs},
				"scenarioHas":  {c.expected.ScenarioHas, got.ScenarioHas},
				"seed":         {c.expected.Seed, got.Seed},
				"window":       {c.expected.Window, got.Window},
			} {
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("%s: -want +got\n%s", name, diff)
				}
			}
		})
	}
}

// TestDocumentsOfTheCases reads an expected result and writes it again: the hash that the second implementation
// computed is the one of Document.
func TestDocumentsOfTheCases(t *testing.T) {
	for _, c := range inputCases(t) {
		if c.expected.Type != "" {
			continue
		}
		var result Result
		readCase(t, filepath.Join("testdata/expected", c.name+".json"), &result)
		want := result.Hash
		document, err := result.Document()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !strings.Contains(string(document), `"hash":"`+want+`"`) {
			t.Errorf("%s: the document has not the hash %s", c.name, want)
		}
		if result.Hash = ""; result.sign() != nil || result.Hash != want {
			t.Errorf("%s: signed %s, want %s", c.name, result.Hash, want)
		}
	}
}
