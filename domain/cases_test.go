package domain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
)

const caseDir = "../engine/testdata"

// engineCase is one of the cases that an independent implementation worked out.
type engineCase struct {
	name     string
	Model    domain.Model
	Scenario *domain.Scenario
	expected struct {
		Type          string
		Issues        []domain.Issue
		Operations    []thing
		Elements      []thing
		Subscriptions []thing
		Channels      []thing
		UnusedInputs  *int
	}
}

type thing struct{ ID string }

// engineCases reads all cases with a scenario.
func engineCases(t *testing.T) []engineCase {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(caseDir, "cases", "*.json"))
	if err != nil || len(paths) != 147 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	var cases []engineCase
	for _, path := range paths {
		c := engineCase{name: strings.TrimSuffix(filepath.Base(path), ".json")}
		readJSON(t, path, &c)
		readJSON(t, filepath.Join(caseDir, "expected", c.name+".json"), &c.expected)
		if c.Scenario != nil {
			cases = append(cases, c)
		}
	}
	return cases
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
