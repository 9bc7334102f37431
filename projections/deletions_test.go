package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// openBranch opens a branch whose version 1 is the model m1.
func (w *world) openBranch(id, kind string) {
	w.append(domain.AggregateBranch, id,
		domain.BranchOpened{ProjectID: "p", BranchID: id, Kind: kind, Name: "Name of " + id, MainVersion: 1},
		domain.ModelSaved{ProjectID: "p", BranchID: id, Version: 1, Blob: blob("m1")})
}

// requestOf requests a run of a profile.
func (w *world) requestOf(profileID, id string) {
	e := pins(id)
	e.ProfileID = profileID
	w.append(domain.AggregateRun, id, e)
}

// shown is a shop that was projected after the events.
func shown(t *testing.T, on database, events func(w *world)) *world {
	t.Helper()
	w := newWorld(t, on)
	w.shop()
	events(w)
	_, _ = w.project()
	w.caughtUp()
	return w
}

func notFound(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("%s: %v, want not found", what, err)
	}
}

func TestBranchesMainFirst(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := shown(t, on, func(w *world) {
			w.openBranch("b2", domain.BranchVariant)
			w.openBranch("b1", domain.BranchDraft)
			w.append(domain.AggregateBranch, "b1", domain.ModelSaved{ProjectID: "p", BranchID: "b1", Version: 2, Blob: blob("x2")})
			w.saveModel(2)
		})
		got := []string{}
		page := Page{Limit: 2}
		for {
			branches, err := w.db.Branches(t.Context(), "p", page)
			must(t, err)
			for _, b := range branches.Items {
				got = append(got, fmt.Sprint(b.ID, " ", b.Kind, " ", b.Name, " ", b.Version, " ", b.Blob[62:]))
			}
			if page.After = branches.Next; page.After == 0 {
				break
			}
		}
		want := []string{"p main main 2 m2", "b2 variant Name of b2 1 m1", "b1 draft Name of b1 2 x2"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, err := w.db.Branch(t.Context(), "q", "b1")
		notFound(t, "the branch in another project", err)
	})
}

// A draft's run is outdated by the draft only, not by main (spec 1, Outdated).
func TestARunOfADraftIsOutdatedByTheDraftOnly(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		for name, branch := range map[string]string{"main moves on": "p", "the draft moves on": "draft"} {
			t.Run(name, func(t *testing.T) {
				w := shown(t, on, func(w *world) {
					w.openBranch("draft", domain.BranchDraft)
					e := pins("r")
					e.BranchID = "draft"
					w.append(domain.AggregateRun, "r", e)
					w.complete("r")
					w.append(domain.AggregateBranch, branch, domain.ModelSaved{ProjectID: "p", BranchID: branch, Version: 2, Blob: blob("m2")})
				})
				run, err := w.db.Run(t.Context(), "p", "r")
				must(t, err)
				if run.Outdated != (branch == "draft") {
					t.Errorf("outdated: %v", run.OutdatedBecause())
				}
			})
		}
	})
}

func TestObjectivesAreVersionedByThemselves(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := shown(t, on, func(w *world) {
			for v := range 3 {
				w.append(domain.AggregateScenario, "s", domain.ObjectivesSaved{ProjectID: "p", ScenarioID: "s", Version: v + 1, Blob: blob(fmt.Sprint("o", v+1))})
			}
		})
		o, err := w.db.Objectives(t.Context(), "s")
		must(t, err)
		s, err := w.db.Scenario(t.Context(), "p", "s")
		must(t, err)
		if o.Version != 3 || o.Blob != blob("o3") || o.SavedBy != "ann" || s.Version != 1 {
			t.Errorf("objectives %+v, scenario at %d", o, s.Version)
		}
		none, err := w.db.Objectives(t.Context(), "other")
		if none != (Saved{}) || err != nil {
			t.Errorf("of a scenario without: %+v, %v", none, err)
		}
	})
}

// A deleted scenario leaves its views; its stored runs stay and are outdated.
func TestDeletedScenario(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := shown(t, on, func(w *world) {
			w.request("r")
			w.complete("r")
			w.append(domain.AggregateScenario, "s", domain.ScenarioDeleted{ProjectID: "p", ScenarioID: "s"})
		})
		_, err := w.db.Scenario(t.Context(), "p", "s")
		notFound(t, "the scenario", err)
		list, err := w.db.Scenarios(t.Context(), "p", Page{Limit: 9})
		if len(list.Items) != 0 || err != nil {
			t.Errorf("listed: %v, %v", list, err)
		}
		checkOutdated(t, w, "r", []string{"scenario"})
		if _, err := w.db.Profile(t.Context(), "p", "peak"); err != nil {
			t.Errorf("its profile: %v", err)
		}
	})
}

// A deleted profile takes its runs from every view, also one that was requested meanwhile.
func TestDeletedProfile(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		for name, event := range map[string]domain.Event{
			"removed from its project": domain.ProfileRemoved{ProfileID: "peak"},
			"and deleted":              domain.ProfileDeleted{ProjectID: "p", ProfileID: "peak"},
		} {
			t.Run(name, func(t *testing.T) {
				w := shown(t, on, func(w *world) {
					w.saveProfile("other", 1)
					w.append(domain.AggregateProject, "p", domain.ProfileAdmitted{ProfileID: "other"})
					w.requestOf("other", "stays")
					w.request("r")
					w.complete("r")
					w.append(domain.AggregateProject, "p", event)
					w.request("late")
					w.complete("late")
				})
				_, err := w.db.Profile(t.Context(), "p", "peak")
				notFound(t, "the profile", err)
				profiles, err := w.db.Profiles(t.Context(), "p", Page{Limit: 9})
				if len(profiles.Items) != 1 || err != nil {
					t.Errorf("profiles: %v, %v", profiles, err)
				}
				for _, id := range []string{"r", "late"} {
					_, err := w.db.Run(t.Context(), "p", id)
					notFound(t, id, err)
				}
				if ids := runIDs(t, w, RunFilter{}); !slices.Equal(ids, []string{"stays"}) {
					t.Errorf("runs: %v", ids)
				}
			})
		}
	})
}

// A deleted run leaves all lists and gives its place among the newest 20 back to later ones, not to evicted ones.
func TestDeletedRun(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := shown(t, on, func(w *world) {
			for i := range 21 {
				id := fmt.Sprintf("r%02d", i)
				w.request(id)
				w.complete(id)
			}
			w.append(domain.AggregateRun, "r05", domain.RunDeleted{RunID: "r05"})
			w.request("r21")
			w.complete("r21")
		})
		_, err := w.db.Run(t.Context(), "p", "r05")
		notFound(t, "the run", err)
		runs, err := w.db.ProfileRuns(t.Context(), "peak")
		must(t, err)
		if len(runs) != 20 || runs[0].ID != "r21" || runs[19].ID != "r01" {
			t.Errorf("%d runs, from %s to %s", len(runs), runs[0].ID, runs[len(runs)-1].ID)
		}
		version, err := w.db.ProfileVersion(t.Context(), "peak", 1)
		must(t, err)
		if version.RunCount != 21 || slices.ContainsFunc(version.Runs, func(r PinnedRun) bool { return r.ID == "r05" }) {
			t.Errorf("version 1 has %d runs: %v", version.RunCount, version.Runs)
		}
		if ids := runIDs(t, w, RunFilter{Status: domain.StatusCompleted}); len(ids) != 21 || slices.Contains(ids, "r05") {
			t.Errorf("the project lists %v", ids)
		}
	})
}

// What left the list before a deletion stays out, also when one batch has both.
func TestADeletedRunBringsNoneBack(t *testing.T) {
	for name, event := range map[string]domain.Event{
		"of the list":          domain.RunDeleted{RunID: "r05"},
		"of the whole profile": domain.ProfileRemoved{ProfileID: "peak"},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, on database) {
				w := shown(t, on, func(w *world) {
					for i := range 21 {
						id := fmt.Sprintf("r%02d", i)
						w.request(id)
						w.complete(id)
					}
					w.append(domain.AggregateProject, "x", event)
				})
				evicted, err := list[string](t.Context(), w.db, `SELECT id FROM runs WHERE evicted = TRUE`)
				must(t, err)
				if !slices.Equal(evicted, []string{"r00"}) {
					t.Errorf("evicted: %v", evicted)
				}
			})
		})
	}
}

// Who waits for a run that is deleted meanwhile learns that it was cancelled.
func TestWaitingForARunThatIsDeleted(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.request("r")
		_, _ = w.project()
		w.caughtUp()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		ended := make(chan Run, 1)
		go func() {
			run, err := w.db.WaitOutcome(ctx, "p", "r")
			if err != nil {
				t.Error(err)
			}
			ended <- run
		}()
		w.append(domain.AggregateRun, "r", domain.RunCancelled{RunID: "r", Reason: domain.CancelRunDeleted}, domain.RunDeleted{RunID: "r"})
		if run := <-ended; run.Status != domain.StatusCancelled || run.ProblemType != domain.CancelRunDeleted || !run.Deleted {
			t.Errorf("%+v", run)
		}
	})
}
