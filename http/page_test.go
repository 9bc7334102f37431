package http

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pageRows lists the rows of the tables of the stress model page, by heading and first column. Each has a test: the ranges
// in page_ranges_test.go, the limits and refusals in page_limits_test.go and page_refusals_test.go, the rest in contracts.
var pageRows = map[string][]string{
	"HTTP": {
		"GET /api/projects/{projectId}/stress/requirements",
		"GET /api/projects/{projectId}/stress/defaults",
		"GET /api/projects/{projectId}/stress/profiles",
		"POST /api/projects/{projectId}/stress/profiles",
		"GET /api/projects/{projectId}/stress/profiles/{profileId}",
		"PUT /api/projects/{projectId}/stress/profiles/{profileId}",
		"DELETE /api/projects/{projectId}/stress/profiles/{profileId}",
		"POST /api/projects/{projectId}/stress/profiles/{profileId}/runs",
		"GET /api/projects/{projectId}/stress/profiles/{profileId}/runs",
		"GET /api/projects/{projectId}/stress/runs/{runId}",
		"DELETE /api/projects/{projectId}/stress/runs/{runId}",
		"GET /api/projects/{projectId}/stress/compare",
	},
	"Refusals": {
		"invalid-profile", "invalid-scenario", "unknown-scenario", "missing-concurrency", "missing-service-time",
		"missing-consumers", "missing-branch-probability", "unknown-target", "stress-too-large",
	},
	"Limits": {"duration", "arrivals", "events", "queued", "pending", "targets", "routes", "wall-clock"},
	"Profile ranges": {
		"Duration", "Measured window, from the end of the warm-up to the end of the duration", "Rate", "Workers and consumers",
		"Queue capacity", "Service time", "Warm-up", "Outage window", "Probability", "Timeout and backoff override",
		"Attempts override", "Entries of one list", "Outages", "Burst windows",
	},
	"Runs at the same time": {
		"Runs of one app process at the same time, over all workspaces", "Runs of one workspace at the same time",
		"Runs of one workspace in one minute", "Profiles of one project", "Stored runs of one profile",
	},
	"Comparison": {
		"Arrivals", "Workers, consumers, service time, model policy", "Branch probability", "Override", "Outage window", "Limit",
	},
}

// roles of the routes of the page that are not of a viewer.
func editors(row string) bool { return !strings.HasPrefix(row, http.MethodGet) }

// bounds names the contracts of the table "Runs at the same time": at the bound, and one over.
var bounds = map[string][2]string{
	"Runs of one app process at the same time, over all workspaces": {"postRun/as many as the instance has room for", "postRun/one more than the instance has room for"},
	"Runs of one workspace at the same time":                        {"postRun/the second at the same time", "postRun/the third at the same time"},
	"Runs of one workspace in one minute":                           {"postRun/the 30th of a minute", "postRun/the 31st of a minute"},
	"Profiles of one project":                                       {"postProfile/the 50th", "postProfile/the 51st"},
	"Stored runs of one profile":                                    {"getProfileRuns/the 20th", "getProfileRuns/the 21st"},
}

// inputs names a contract of the comparison that has a key of each kind of input.
var inputs = map[string]string{
	"Arrivals": "getComparison/every kind of input", "Workers, consumers, service time, model policy": "getComparison/every kind of input",
	"Branch probability": "getComparison/every kind of input", "Override": "getComparison/every kind of input",
	"Outage window": "getComparison/every kind of input", "Limit": "getComparison/engine version 1",
}

// TestPageIsCovered makes sure that no row of a table of the page is without a test.
func TestPageIsCovered(t *testing.T) {
	tests := map[string]bool{}
	happy := map[string]bool{}
	for _, c := range contracts() {
		tests[c.route+"/"+c.name] = true
		happy[c.route] = happy[c.route] || c.status < 300
	}
	for _, row := range pageRows["HTTP"] {
		at := slices.IndexFunc(Routes(), func(r Route) bool { return r.Method+" "+r.Path == row })
		if at < 0 || !happy[Routes()[at].Name] || (Routes()[at].Role == Editor) != editors(row) || editors(row) == (Routes()[at].Role == Viewer) {
			t.Errorf("%s: no such route, with a contract and with its role", row)
		}
	}
	for _, row := range pageRows["Runs at the same time"] {
		if !tests[bounds[row][0]] || !tests[bounds[row][1]] {
			t.Errorf("%s: no contract at the bound or one over", row)
		}
	}
	for _, row := range pageRows["Comparison"] {
		if !tests[inputs[row]] {
			t.Errorf("%s: no contract", row)
		}
	}
	covers(t, "Profile ranges", func(r rangeTest) string { return r.row }, rangeTests())
	covers(t, "Limits", func(l limitTest) string { return l.limit }, limitTests())
	covers(t, "Refusals", func(r refusalTest) string { return r.code }, refusalTests())
}

// covers checks that tests exist for exactly the rows of a table.
func covers[T any](t *testing.T, table string, row func(T) string, tests []T) {
	t.Helper()
	var tested []string
	for _, test := range tests {
		if name := row(test); name != "" { // what is refused for nothing
			tested = append(tested, name)
		}
	}
	slices.Sort(tested)
	if diff := cmp.Diff(slices.Sorted(slices.Values(pageRows[table])), slices.Compact(tested)); diff != "" {
		t.Errorf("%s: rows and tests: %s", table, diff)
	}
}

// TestPageHasTheseRows compares the lists above with the page itself, where it lies beside the repository.
func TestPageHasTheseRows(t *testing.T) {
	files, _ := filepath.Glob("../../shared/seeds/000_*.txt")
	if len(files) == 0 {
		t.Skip("../shared is not there")
	}
	text, err := os.ReadFile(files[0])
	must(t, err)
	for heading, want := range pageRows {
		if got := tableRows(string(text), heading); len(got) < len(want) || !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: %s", heading, cmp.Diff(sorted(want), sorted(got)))
		}
	}
}

func sorted(rows []string) []string { return slices.Sorted(slices.Values(rows)) }

// tableRows are the rows below a heading, up to the next one: lines with tabs, less the heads of the tables. The name of
// a limit is its last column, that of all others the first.
func tableRows(text, heading string) []string {
	var rows []string
	_, below, _ := strings.Cut(text, "\n"+heading+"\n\n")
	head := true
	for line := range strings.SplitSeq(below, "\n") {
		cells := strings.Split(line, "\t")
		switch {
		case len(cells) > 1 && !head && heading == "Limits":
			rows = append(rows, cells[len(cells)-1])
		case len(cells) > 1 && !head:
			rows = append(rows, cells[0])
		case isHeading(line) && len(rows) > 0:
			return rows
		}
		head = len(cells) == 1
	}
	return rows
}

// isHeading says whether a line of the page is a heading: short words without the end of a sentence.
func isHeading(line string) bool {
	return slices.Contains([]string{
		"Comparison", "Limits", "Memory of one run", "Runs at the same time", "Profile ranges", "HTTP", "Refusals",
	}, line)
}

// number writes a number as JSON does.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
