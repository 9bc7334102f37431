package http

import (
	"fmt"
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
	"Defaults of a new profile": {"seed", "durationSeconds", "warmUpSeconds", "arrivalRatePerSecond"},
	"Comparison": {
		"Arrivals", "Workers, consumers, service time, model policy", "Branch probability", "Override", "Outage window", "Limit",
	},
}

// pageRoles are the roles of the table "HTTP", in its order.
var pageRoles = []Role{Viewer, Viewer, Viewer, Editor, Viewer, Editor, Editor, Editor, Viewer, Viewer, Editor, Viewer}

// starts names the contracts of the table "Defaults of a new profile": where a value comes from, and, where it has a
// bound, at the bound and over it.
var starts = map[string][]string{
	"seed":                 {"of nobody's settings", "at the clamps", "clamped"},
	"durationSeconds":      {"of nobody's settings", "at the clamps", "clamped"},
	"warmUpSeconds":        {"of nobody's settings", "at the clamps", "clamped", "shorter than a second"},
	"arrivalRatePerSecond": {"of nobody's settings", "at the clamps", "clamped"},
}

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
	for i, row := range pageRows["HTTP"] {
		at := slices.IndexFunc(Routes(), func(r Route) bool { return r.Method+" "+r.Path == row })
		if at < 0 || !happy[Routes()[at].Name] || roles[Routes()[at].Name] != pageRoles[i] {
			t.Errorf("%s: no such route, with a contract and with the role %s in the access matrix", row, pageRoles[i])
		}
	}
	for _, row := range pageRows["Defaults of a new profile"] {
		for _, name := range starts[row] {
			if !tests["getDefaults/"+name] {
				t.Errorf("%s: no contract %q", row, name)
			}
		}
		if len(starts[row]) < 3 {
			t.Errorf("%s: no contract of its source, at its bound and over it", row)
		}
	}
	for _, edge := range []string{"0", "1", "64", "65"} { // 1 to 64
		if !tests["putInstanceSettings/"+edge] {
			t.Errorf("maxConcurrentStressRuns: no contract with %s", edge)
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
	covers(t, "Refusals", func(r refusalTest) string { return r.code }, refusalTests())
	for _, lacking := range uncoveredLimits(limitTests()) {
		t.Error(lacking)
	}
	for _, lacking := range uncoveredCauses(refusalTests()) {
		t.Error(lacking)
	}
}

// realTime is the test of the one limit that no bundle reaches exactly, in the package that watches the clock.
const realTime = "../engine/worker/wall_clock_test.go"

// uncoveredLimits names the limits of the page without a test at the limit, and those without one that is one over.
func uncoveredLimits(tests []limitTest) []string {
	var lacking []string
	for _, limit := range pageRows["Limits"] {
		for _, over := range []bool{false, true} {
			there := slices.ContainsFunc(tests, func(l limitTest) bool { return l.limit == limit && l.over == over && l.model != "" })
			if limit == "wall-clock" {
				text, err := os.ReadFile(realTime)
				there = err == nil && strings.Contains(string(text), "func TestWallClock(") &&
					strings.Contains(string(text), map[bool]string{false: "20*time.Second - 1: false", true: "20*time.Second + 1: true"}[over])
			}
			if !there {
				lacking = append(lacking, fmt.Sprintf("%s: no test with over=%v", limit, over))
			}
		}
	}
	return lacking
}

// causes are the parts of the column "Cause" of the table "Refusals": each with the target of its test. A value outside
// its range is refused by the save (TestProfileRanges), the limits have their own table.
var causes = map[string][]string{
	"invalid-profile": {"/overrides/0/timeoutMs"}, "invalid-scenario": {"s1"}, "unknown-scenario": {""}, "missing-concurrency": {"shop"},
	"missing-service-time": {"buy", "till", "mail"}, "missing-consumers": {"mail"}, "missing-branch-probability": {"s2"},
	"unknown-target": {"sell", "bank"}, "stress-too-large": {"duration"},
}

func uncoveredCauses(tests []refusalTest) []string {
	var lacking []string
	for code, targets := range causes {
		for _, target := range targets {
			if !slices.ContainsFunc(tests, func(r refusalTest) bool { return r.code == code && r.target == target }) {
				lacking = append(lacking, code+": no test with "+target)
			}
		}
	}
	return lacking
}

// TestALackingTestIsSeen takes each test of a limit and of a cause away: the check has to miss it.
func TestALackingTestIsSeen(t *testing.T) {
	for i, gone := range limitTests() {
		if len(uncoveredLimits(slices.Delete(limitTests(), i, i+1))) == 0 {
			t.Errorf("without %s, over=%v nothing is missed", gone.limit, gone.over)
		}
	}
	for i, gone := range refusalTests() {
		if gone.code != "" && len(uncoveredCauses(slices.Delete(refusalTests(), i, i+1))) == 0 {
			t.Errorf("without %s at %s nothing is missed", gone.code, gone.target)
		}
	}
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
	if got := tableColumn(string(text), "HTTP", 1); !slices.EqualFunc(got, pageRoles, func(word string, role Role) bool { return strings.EqualFold(word, string(role)) }) {
		t.Errorf("roles of the page: %q", got)
	}
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
	if heading == "Limits" {
		return tableColumn(text, heading, 2)
	}
	return tableColumn(text, heading, 0)
}

func tableColumn(text, heading string, column int) []string {
	var rows []string
	_, below, _ := strings.Cut(text, "\n"+heading+"\n\n")
	head := true
	for line := range strings.SplitSeq(below, "\n") {
		cells := strings.Split(line, "\t")
		switch {
		case len(cells) > 1 && !head:
			rows = append(rows, cells[column])
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
		"Defaults of a new profile", "Time and events", "Comparison", "Limits", "Memory of one run", "Runs at the same time", "Profile ranges", "HTTP", "Refusals",
	}, line)
}

// number writes a number as JSON does.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
