package http

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/proofload/proofload/projections"
	"github.com/proofload/proofload/projections/pgtest"
)

// readers are tests that ask the read models: the routes that show something or take it away, and what spans a command and a query.
const readers = "^(TestContract|TestListsShowWhatOneMaySee|TestEveryCommandCanBeReadBack|TestTwoRebuilds|TestStoppedByALimit|TestProgressOfARun)$/^" +
	"(get(Runs?|Profiles?|ProfileVersions?|ProfileRuns|Scenarios?|Branches|Members|Workspaces?|Projects?|Tokens|Comparison|Objectives|Projections)|delete(Run|Profile|Scenario)|postRebuild)$"

// The same tests on PostgreSQL, in a process of their own.
func TestOnPostgreSQL(t *testing.T) {
	if os.Getenv(onPostgres) != "" {
		return // this is that process
	}
	again := exec.Command(os.Args[0], "-test.v", "-test.run="+readers)
	again.Env = append(os.Environ(), onPostgres+"=1")
	out, err := again.CombinedOutput()
	passed := regexp.MustCompile(`(?m)^ *--- PASS: (TestContract/\w+/\S+|TestEveryCommandCanBeReadBack|TestListsShowWhatOneMaySee) `).FindAll(out, -1)
	if err != nil || len(passed) < 70 {
		t.Errorf("%v, %d passed\n%s", err, len(passed), out)
	}
}

// While PostgreSQL is away, reads of the read models are 503 unavailable and /readyz says why; commands are taken, tokens
// hold, and all of it is shown once it is back.
func TestPostgresGone(t *testing.T) {
	postgres := pgtest.Start(t)
	w := newWorldOn(t, projections.Options{Postgres: postgres.Database(t)})
	w.shop()
	postgres.Kill(t)
	for name, path := range map[string]string{"a list": w.at("/stress/runs"), "one": w.at("/stress/profiles/{f}"), "of workspaces": "/api/workspaces"} {
		got := w.send(request{method: "GET", path: path})
		if p := got.problem(t); got.status != 503 || p.Type != "unavailable" || got.header.Get("Retry-After") == "" || !strings.Contains(p.Detail, "read models") {
			t.Errorf("%s: %d %+v", name, got.status, p)
		}
	}
	ready := func() reply { return w.send(request{method: "GET", path: "/readyz", anonymous: true}) }
	eventually(func() bool { return ready().status == 503 })
	if got := ready(); got.status != 503 || !strings.Contains(string(got.body), "PostgreSQL at ") || strings.Contains(string(got.body), "password") {
		t.Errorf("/readyz: %d %s", got.status, got.body)
	}
	renamed := w.send(request{method: "PUT", path: w.at(""), header: []string{`If-Match: "0"`}, body: `{"name":"Store"}`})
	if renamed.status != 200 {
		t.Errorf("a command: %d %s", renamed.status, renamed.body)
	}
	postgres.Start(t)
	w.caughtUp()
	eventually(func() bool { return ready().status == 200 })
	got := w.send(request{method: "GET", path: w.at("")})
	if got.status != 200 || !strings.Contains(string(got.body), "Store") || ready().status != 200 {
		t.Errorf("once it is back: %d %s; /readyz: %d", got.status, got.body, ready().status)
	}
}
