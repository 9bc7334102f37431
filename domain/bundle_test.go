package domain

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

// Every rule of the bundle beside those of its documents.
func TestParseBundleRules(t *testing.T) {
	runChanges(t, validBundle, parsers[5].parse, []change{
		{"", "[]", here},
		{"/model", "", here},
		{"/scenario", "", here},
		{"/profile", "", here},
		{"/model", "null", here},
		{"/scenario", "null", ""},
		{"/measurements", "", ""},
		{"/objectives", "", ""},
		{"/measurements", "null", here},
		{"/objectives", "{}", here},
		{"/notes", `"x"`, here},
		{"/model/channels/0/kind", `"x"`, here},
		{"/model/size", "1", here},
		{"/scenario/steps/0/kind", `"x"`, here},
		{"/measurements/0/rows/0/count", "-1", here},
		{"/measurements/1/inDoubt", "", here},
		{"/measurements/1/stale", "", here},
		{"/measurements/1/stale", "1", here},
		{"/measurements/1/id", "", here},
		{"/measurements/1/id", `"m-1"`, here},
		{"/measurements/1", "7", here},
		{"/measurements/1/rows", "[]", here},
		{"/measurements", "[]", ""},
		{"/objectives/0/name", "", here},
		{"/objectives/0/expect", "", here},
		{"/objectives/0/expect", `""`, here},
		{"/objectives/0/unit", `"s"`, here},
		{"/objectives/0/expect", `"flow.p99 <"`, here},
		{"/objectives/0/name", `""`, here},
	})
}

// The issues of a document in a bundle have the code of that document.
func TestParseBundleCodes(t *testing.T) {
	cases := map[string]string{
		"/model/size": CodeInvalidModel, "/scenario/size": CodeInvalidScenario, "/measurements/0/size": CodeInvalidMeasurement,
		"/objectives/0/size": CodeInvalidObjectives, "/size": CodeInvalidBundle,
	}
	for at, code := range cases {
		_, err := ParseBundle(changed(t, validBundle, at, "1"))
		if invalid, ok := errors.AsType[*InvalidError](err); !ok || invalid.Issues[0].Code != code {
			t.Errorf("%s: want %s, got %v", at, code, err)
		}
	}
}

// A profile that is not valid does not fail the bundle: a run is refused with its issues (E65, E66).
func TestParseBundleProfileIssues(t *testing.T) {
	data := changed(t, validBundle, "/profile/resources/0/concurrency", "0")
	data = changed(t, string(data), "/profile/arrivals/users", "1")
	data = changed(t, string(data), "/profile/serviceTimes/0/time", "5")
	b, err := ParseBundle(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"invalid-profile /arrivals/users", "invalid-profile /resources/0/concurrency", "invalid-profile /serviceTimes/0/time"}
	if diff := cmp.Diff(want, places(b.ProfileIssues)); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
}

// A number beyond 2^53 inside the profile is an issue of the profile too, and the only one of its place; elsewhere
// it fails the bundle (E65, E66).
func TestParseBundleNumbersBeyondTheDouble(t *testing.T) {
	inProfile := map[string]string{
		"/arrivals/ratePerSecond": "1e16", "/resources/0/queueCapacity": "1e17", "/resources/0/concurrency": "1e20",
		"/seed": "18446744073709551615", "/branches/0/probability": "1e999", "/unknown": "-1e300",
	}
	for at, number := range inProfile {
		b, err := ParseBundle(changed(t, validBundle, "/profile"+at, number))
		if diff := cmp.Diff([]string{"invalid-profile " + at}, places(b.ProfileIssues)); err != nil || diff != "" {
			t.Errorf("%s: %v, issues (-want +got):\n%s", at, err, diff)
		}
	}
	b, err := ParseBundle(changed(t, validBundle, "/profile", "1e16"))
	if diff := cmp.Diff([]string{"invalid-profile "}, places(b.ProfileIssues)); err != nil || diff != "" {
		t.Errorf("the profile itself: %v, issues (-want +got):\n%s", err, diff)
	}
	for _, at := range []string{"/model/operations/0/timeoutMs", "/scenario/faults/0/any", "/measurements/0/rows/0/count", "/profiles"} {
		b, err := ParseBundle(changed(t, validBundle, at, "1e16"))
		if diff := cmp.Diff([]string{at}, targets(t, err)); diff != "" || len(b.ProfileIssues) > 0 {
			t.Errorf("%s: %v, targets (-want +got):\n%s", at, b.ProfileIssues, diff)
		}
	}
}

// A profile has all its issues, whatever their number, each place once (E65).
func TestParseBundleManyProfileIssues(t *testing.T) {
	many := strings.Replace(entries(700, `"m%d":1`), "[", "{", 1)
	many = strings.TrimSuffix(many, "]") + "}"
	b, err := ParseBundle(changed(t, validBundle, "/profile/arrivals", many))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, issue := range b.ProfileIssues {
		if seen[issue.Target] || issue.Target == "" {
			t.Errorf("%+v: twice, or the whole profile", issue)
		}
		seen[issue.Target] = true
	}
	if len(seen) != 700+4 { // kind, ratePerSecond, durationSeconds and warmUpSeconds are missing
		t.Errorf("%d issues, want 704", len(seen))
	}
	_, err = ParseProfile(changed(t, validProfile, "/arrivals", many))
	if got := targets(t, err); len(got) != 704 {
		t.Errorf("alone: %d issues, want 704", len(got))
	}
}

// A sentence that names another place names it as it stands in the bundle.
func TestParseBundleMessagesNamePlaces(t *testing.T) {
	cases := []struct{ at, value, want string }{
		{"/measurements/1/id", `"m-1"`, "/measurements/0/id"},
		{"/model/bindings/0/id", `"web"`, "/model/elements/0/id"},
		{"/measurements/0/rows/1", rowOf(t), "/measurements/0/rows/0/target"},
	}
	for _, c := range cases {
		_, err := ParseBundle(changed(t, validBundle, c.at, c.value))
		if err == nil || !strings.Contains(err.Error(), "stands at "+c.want+" already") {
			t.Errorf("%s: want %s in %v", c.at, c.want, err)
		}
	}
}

// rowOf is the row of the valid measurement.
func rowOf(t *testing.T) string {
	t.Helper()
	var m struct {
		Rows []jsontext.Value `json:"rows"`
	}
	if err := json.Unmarshal([]byte(validMeasurement), &m); err != nil {
		t.Fatal(err)
	}
	return string(m.Rows[0])
}

// A document in a bundle has the limit that it has alone.
func TestParseBundlePartSizes(t *testing.T) {
	long := `"` + idOf(MaxModelBytes) + `"`
	for _, c := range []change{{at: "/model/elements/0/description", value: long, want: "/model"}, {at: "/scenario/description", value: long, want: "/scenario"}} {
		_, err := ParseBundle(changed(t, validBundle, c.at, c.value))
		if diff := cmp.Diff([]string{c.want}, targets(t, err)); diff != "" {
			t.Errorf("targets (-want +got):\n%s", diff)
		}
	}
	b, err := ParseBundle(changed(t, validBundle, "/profile/name", `"`+idOf(MaxProfileBytes)+`"`))
	if err != nil || len(b.ProfileIssues) != 1 || b.ProfileIssues[0].Target != "" {
		t.Errorf("got %.200v, %v", b.ProfileIssues, err)
	}
}

func TestBundleDoubts(t *testing.T) {
	b, err := ParseBundle([]byte(validBundle))
	if err != nil {
		t.Fatal(err)
	}
	type doubt struct{ InDoubt, Stale bool }
	doubts := func() (all []doubt) {
		for _, m := range b.Measurements {
			inDoubt, stale := m.DoubtFor(b.Profile)
			all = append(all, doubt{inDoubt, stale})
		}
		return all
	}
	if diff := cmp.Diff([]doubt{{}, {InDoubt: true}}, doubts()); diff != "" {
		t.Errorf("doubts (-want +got):\n%s", diff)
	}
	b.Profile.ServiceTimes[2].Time.P95Ms = 10 // of db, measured by m-1
	if diff := cmp.Diff([]doubt{{InDoubt: true}, {InDoubt: true}}, doubts()); diff != "" {
		t.Errorf("doubts with other numbers (-want +got):\n%s", diff)
	}
}

// A bundle that is written is read as the same bundle.
func TestBundleIsWrittenAsRead(t *testing.T) {
	texts := map[string][]byte{"valid": []byte(validBundle)}
	for _, file := range caseFiles(t) {
		texts[filepath.Base(file)] = readFile(t, file)
	}
	for name, text := range texts {
		b, err := ParseBundle(text)
		if err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseBundle(written)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(b, again, cmpopts.EquateEmpty(), sameSteps); diff != "" {
			t.Errorf("%s (-read +written and read):\n%s", name, diff)
		}
	}
}
