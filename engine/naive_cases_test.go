package engine

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proofload/proofload/domain"
	"pgregory.net/rapid"
)

// runTwin is a whole run by the twin. The checks before it and what a result says of its input are shared with
// the engine; all that an event can change is the twin's own.
func runTwin(in Input) (*Result, error) {
	p, err := prepare(in)
	if err != nil {
		return nil, err
	}
	in.Limits, in.Version = p.limits, p.version.number
	t := newTwin(in, p.trace.Flow)
	t.run()
	if t.over != "" {
		return nil, in.Limits.over(t.over)
	}
	result := &Result{}
	p.state(result)
	t.fill(result)
	return result, result.sign()
}

// readInput reads the bundle of a case.
func readInput(t *testing.T, path string) Input {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := domain.ParseBundle(data)
	if err != nil {
		t.Fatal(err)
	}
	return Input{Model: bundle.Model, Scenario: bundle.Scenario, Profile: bundle.Profile}
}

// outcome is what a run gave: its result, or its refusal without the texts, which are free.
type outcome struct {
	Type   string         `json:"type,omitempty"`
	Issues []domain.Issue `json:"issues,omitempty"`
	*Result
}

func outcomeOf(t rapid.TB, result *Result, err error) outcome {
	t.Helper()
	var refusal *domain.RefusedError
	switch {
	case err == nil:
		return outcome{Result: result}
	case errors.As(err, &refusal):
		return outcome{Type: refusal.Type, Issues: withoutMessages(refusal.Issues)}
	default:
		t.Fatal(err)
		return outcome{}
	}
}

func withoutMessages(issues []domain.Issue) []domain.Issue {
	var bare []domain.Issue
	for _, issue := range issues {
		issue.Message = ""
		bare = append(bare, issue)
	}
	return bare
}

// difference compares two outcomes as documents; it is empty when they are the same.
func difference(t rapid.TB, want, got outcome) string {
	t.Helper()
	a, errA := json.Marshal(want)
	b, errB := json.Marshal(got)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(a, b) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// TestTwinEqualsTheCases compares whole documents with those of an independent implementation.
func TestTwinEqualsTheCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata/expected", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want outcome
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			want.Issues = withoutMessages(want.Issues)
			result, err := runTwin(readInput(t, path))
			if diff := difference(t, want, outcomeOf(t, result, err)); diff != "" {
				t.Errorf("the twin's result differs (-want +got):\n%s", diff)
			}
		})
	}
}
