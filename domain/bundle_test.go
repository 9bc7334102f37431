package domain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

const casesDir = "../engine/testdata"

// caseFiles names the bundles of the second implementation.
func caseFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(casesDir + "/cases/*.json")
	if err != nil || len(files) != 147 {
		t.Fatalf("want 147 cases, found %d (%v)", len(files), err)
	}
	return files
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The bundles of the second implementation are valid but for their profiles, and the issues of these are those
// that it found, code and target (E65, E66).
func TestParseBundleCases(t *testing.T) {
	for _, file := range caseFiles(t) {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			b, err := ParseBundle(readFile(t, file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(expectedProfileIssues(t, name), places(b.ProfileIssues)); diff != "" {
				t.Errorf("profile issues (-want +got):\n%s", diff)
			}
			if (b.Scenario == nil) != (name == "refuse-unknown-scenario.json") {
				t.Errorf("scenario: %v", b.Scenario)
			}
		})
	}
}

// expectedProfileIssues are the issues of stage 1. That a subscription has no timeout is found in stage 3.
func expectedProfileIssues(t *testing.T, name string) []string {
	t.Helper()
	if !strings.HasPrefix(name, "refuse-profile-") || name == "refuse-profile-override-subscription-timeout.json" {
		return []string{}
	}
	var expected struct {
		Issues []Issue `json:"issues"`
	}
	if err := json.Unmarshal(readFile(t, casesDir+"/expected/"+name), &expected); err != nil {
		t.Fatal(err)
	}
	return places(expected.Issues)
}

// places lists code and target of each issue.
func places(issues []Issue) []string {
	texts := make([]string, len(issues))
	for i, issue := range issues {
		texts[i] = issue.Code + " " + issue.Target
	}
	return texts
}
