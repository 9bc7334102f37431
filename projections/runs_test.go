package projections

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

func TestRunFromRequestToOutcome(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		issues := []domain.Issue{{Code: "missing-concurrency", Target: "pay", Message: "has no workers"}}
		tests := []struct {
			name   string
			events []domain.Event
			status domain.RunStatus
			check  func(Run) bool
		}{
			{"queued", nil, domain.StatusQueued, func(r Run) bool { return !r.Ended() && r.StartedAt == nil }},
			{
				"running",
				[]domain.Event{domain.RunStarted{RunID: "r", Worker: "w"}},
				domain.StatusRunning,
				func(r Run) bool { return !r.Ended() && r.StartedAt.Equal(at(8)) },
			},
			{"completed", []domain.Event{domain.RunStarted{RunID: "r"}, completed("r")}, domain.StatusCompleted, func(r Run) bool {
				return r.Ended() && r.EndedAt.Equal(at(9)) && r.ResultBlob == blob("r") && r.ResultHash == blob("h") &&
					r.Key.V.Started == 10 && *r.Key.V.P99Ms == 12.5 && r.Key.V.P50Ms == nil
			}},
			{
				"refused",
				[]domain.Event{domain.RunRefused{RunID: "r", Type: "stress-refused", Title: "Refused", Issues: issues}},
				domain.StatusRefused,
				func(r Run) bool {
					return r.Ended() && r.ProblemType == "stress-refused" && cmp.Equal(r.Issues.V, issues) && r.Key.V == nil
				},
			},
			{
				"failed",
				[]domain.Event{domain.RunFailed{RunID: "r", Code: "not-built-yet", Detail: "writes"}},
				domain.StatusFailed,
				func(r Run) bool { return r.Ended() && r.ProblemType == "not-built-yet" && r.ProblemTitle == "writes" },
			},
			{"completed, then taken up again", []domain.Event{completed("r"), domain.RunStarted{RunID: "r"}}, domain.StatusCompleted, Run.Ended},
			{
				"failed, then completed late",
				[]domain.Event{domain.RunFailed{RunID: "r", Code: "x"}, completed("r")},
				domain.StatusFailed,
				func(r Run) bool { return r.EndedAt.Equal(at(8)) && r.ResultBlob == "" },
			},
			{
				"completed, then failed late",
				[]domain.Event{completed("r"), domain.RunFailed{RunID: "r", Code: "x"}},
				domain.StatusCompleted,
				func(r Run) bool { return r.EndedAt.Equal(at(8)) && r.ProblemType == "" },
			},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				w := newWorld(t, on)
				w.shop()
				w.request("r")
				for _, e := range test.events {
					w.append(domain.AggregateRun, "r", e)
				}
				_, _ = w.project()
				w.caughtUp()
				run, err := w.db.Run(t.Context(), "p", "r")
				must(t, err)
				if run.Status != test.status || !test.check(run) {
					t.Errorf("%+v", run)
				}
				if run.Seed != "18446744073709551615" || *run.ScenarioVersion != 1 || run.ModelBlob != blob("m1") || !run.RequestedAt.Equal(at(7)) {
					t.Errorf("pins: %+v", run)
				}
			})
		}
	})
}

// A run is outdated when what it pinned has a later version (spec 1, Outdated).
func TestOutdated(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		tests := []struct {
			name   string
			before func(w *world) // after the pins were read, before the request is appended
			after  func(w *world) // after the outcome
			want   []string
		}{
			{"nothing changed", nil, nil, []string{}},
			{"a later model", nil, func(w *world) { w.saveModel(2) }, []string{"model"}},
			{"a later scenario", nil, func(w *world) { w.saveScenario(2) }, []string{"scenario"}},
			{"both", nil, func(w *world) { w.saveModel(2); w.saveModel(3); w.saveScenario(2) }, []string{"model", "scenario"}},
			{"a later profile", nil, func(w *world) { w.saveProfile("peak", 2) }, []string{}},
			{"the model was saved while the run was requested", func(w *world) { w.saveModel(2) }, nil, []string{"model"}},
			{"the scenario was saved while the run was requested", func(w *world) { w.saveScenario(2) }, nil, []string{"scenario"}},
			{"the scenario was deleted while the run was requested", func(w *world) {
				w.append(domain.AggregateScenario, "s", domain.ScenarioDeleted{ProjectID: "p", ScenarioID: "s"})
			}, nil, []string{"scenario"}},
			{"the model of another project", nil, func(w *world) {
				w.append(domain.AggregateProject, "q", domain.ProjectCreated{ProjectID: "q", WorkspaceID: "ws", Name: "Q"})
				w.append(domain.AggregateBranch, "q", domain.ModelSaved{ProjectID: "q", BranchID: "q", Version: 5, Blob: blob("m5")})
			}, []string{}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				w := newWorld(t, on)
				w.shop()
				if test.before != nil {
					test.before(w)
				}
				w.request("r")
				w.complete("r")
				w.request("refused")
				w.append(domain.AggregateRun, "refused", domain.RunRefused{RunID: "refused"})
				if test.after != nil {
					test.after(w)
				}
				_, _ = w.project()
				w.caughtUp()
				checkOutdated(t, w, "r", test.want)
				checkOutdated(t, w, "refused", []string{}) // only stored runs are
			})
		}
	})
}

func checkOutdated(t *testing.T, w *world, id string, want []string) {
	t.Helper()
	run, err := w.db.Run(t.Context(), "p", id)
	must(t, err)
	if diff := cmp.Diff(want, run.OutdatedBecause()); diff != "" {
		t.Error(id, diff)
	}
	outdated := len(want) > 0
	for _, filter := range []bool{true, false} {
		listed := runIDs(t, w, RunFilter{Outdated: &filter})
		if contains(listed, id) != (outdated == filter) {
			t.Errorf("outdated=%v lists %v, %s is outdated: %v", filter, listed, id, outdated)
		}
	}
}

func contains(ids []string, id string) bool {
	for _, each := range ids {
		if each == id {
			return true
		}
	}
	return false
}

// runIDs reads all pages of two.
func runIDs(t *testing.T, w *world, filter RunFilter) []string {
	t.Helper()
	ids, page := []string{}, Page{Limit: 2}
	for {
		runs, err := w.db.Runs(t.Context(), "p", filter, page)
		must(t, err)
		for _, run := range runs.Items {
			ids = append(ids, run.ID)
		}
		if page.After = runs.Next; page.After == 0 {
			return ids
		}
	}
}

func TestRunsNewestFirstByPageAndStatus(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		for i := range 5 {
			w.request(fmt.Sprint("r", i))
		}
		w.complete("r1")
		w.complete("r3")
		_, _ = w.project()
		w.caughtUp()
		if diff := cmp.Diff([]string{"r4", "r3", "r2", "r1", "r0"}, runIDs(t, w, RunFilter{})); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"r3", "r1"}, runIDs(t, w, RunFilter{Status: domain.StatusCompleted})); diff != "" {
			t.Error(diff)
		}
	})
}

// A profile keeps its newest 20 stored runs; a run that is not stored counts nothing and evicts nothing.
func TestProfileKeepsItsNewest20Runs(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		for i := range 22 {
			id := fmt.Sprintf("r%02d", i)
			w.request(id)
			w.complete(id)
			w.request("f" + id)
			w.append(domain.AggregateRun, "f"+id, domain.RunFailed{RunID: "f" + id, Code: "x"})
		}
		_, _ = w.project()
		w.caughtUp()
		runs, err := w.db.ProfileRuns(t.Context(), "peak")
		must(t, err)
		if len(runs) != 20 || runs[0].ID != "r21" || runs[19].ID != "r02" {
			t.Errorf("%d runs, from %s to %s", len(runs), runs[0].ID, runs[len(runs)-1].ID)
		}
		for id, want := range map[string]bool{"r00": true, "r01": true, "r02": false, "fr00": false} {
			run, err := w.db.Run(t.Context(), "p", id)
			must(t, err)
			if run.Evicted != want {
				t.Errorf("%s evicted: %v, want %v", id, run.Evicted, want)
			}
		}
		if all := runIDs(t, w, RunFilter{Status: domain.StatusCompleted}); len(all) != 22 {
			t.Errorf("the project's list has %d completed runs, want all 22", len(all))
		}
	})
}

// The newest runs of a profile are those that ended last, not those that were requested last: where runs overlap, the one
// that took longest is the newest.
func TestTheNewestRunIsTheOneThatEndedLast(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.request("long")
		for i := range keptRuns {
			id := fmt.Sprintf("r%02d", i)
			w.request(id)
			w.complete(id)
		}
		w.complete("long")
		_, _ = w.project()
		w.caughtUp()
		runs, err := w.db.ProfileRuns(t.Context(), "peak")
		must(t, err)
		if len(runs) != keptRuns || runs[0].ID != "long" || runs[len(runs)-1].ID != "r01" {
			t.Errorf("%d runs, from %s to %s", len(runs), runs[0].ID, runs[len(runs)-1].ID)
		}
		for id, want := range map[string]bool{"long": false, "r00": true, "r01": false} {
			if run, err := w.db.Run(t.Context(), "p", id); err != nil || run.Evicted != want {
				t.Errorf("%s evicted: %t, %v, want %t", id, run.Evicted, err, want)
			}
		}
	})
}
