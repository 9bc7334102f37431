package http

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/projections"
	"github.com/proofload/proofload/projections/pgtest"
)

// A server on the read models of another log shows nothing of them, also while the cluster to which they belong uses them:
// lists are refused, positions are waited for, /readyz says what to do. Ids of the first project are the same in all logs.
func TestReadModelsOfAnotherLog(t *testing.T) {
	for name, views := range map[string]projections.Options{
		"SQLite":     {Path: filepath.Join(t.TempDir(), "views.db")},
		"PostgreSQL": {Postgres: pgtest.Schema(t)},
	} {
		t.Run(name, func(t *testing.T) {
			first := newWorldOn(t, views)
			first.shop()
			first.caughtUp()
			w := newWorldOn(t, views, func(c *Config) { c.ReadWait = 50 * time.Millisecond })
			checkNothingShown(t, w)
			ready := request{method: "GET", path: "/readyz", anonymous: true}
			eventually(func() bool { return w.send(ready).status == 503 })
			if p := w.send(ready).problem(t); p.Type != "not_ready" || !strings.Contains(p.Detail, "show the stream EVT of") || !strings.Contains(p.Detail, "projections rebuild") {
				t.Errorf("/readyz: %+v", p)
			}
			if got := w.send(request{method: "POST", path: "/api/projects", body: `{"name":"Mine"}`}); got.status != 201 {
				t.Errorf("a command: %d %s", got.status, got.body)
			}
			checkNothingShown(t, w)
			rebuild := request{method: "POST", path: "/api/projections/views/rebuild"}
			if name == "PostgreSQL" {
				if p := w.send(rebuild).problem(t); p.Type != "not_ready" || !strings.Contains(p.Detail, "another cluster, with another log") {
					t.Errorf("a rebuild while the other cluster runs: %+v", p)
				}
			}
			first.stopProjector()
			if got := w.send(rebuild); got.status != 200 {
				t.Errorf("the rebuild: %d %s", got.status, got.body)
			}
			if got := w.send(request{method: "GET", path: "/api/projects"}); got.status != 200 || strings.Contains(string(got.body), "Shop") || !strings.Contains(string(got.body), "Mine") {
				t.Errorf("after the rebuild: %d %s", got.status, got.body)
			}
		})
	}
}

func checkNothingShown(t *testing.T, w *world) {
	t.Helper()
	for path, word := range map[string]string{"/api/projects": "unavailable", "/api/workspaces": "unavailable", "/api/projects?after=1": "projection_behind"} {
		got := w.send(request{method: "GET", path: path})
		if p := got.problem(t); got.status != 503 || p.Type != word || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}
