package projections

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

func TestDocumentsAndTheirVersions(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.saveModel(2)
		_, _ = w.project()
		w.caughtUp()

		branch, err := w.db.Branch(t.Context(), "p", "")
		must(t, err)
		want := Branch{ID: "p", ProjectID: "p", Kind: "main", Name: "main", Seq: 2, Saved: saved(2, "m2", 7)}
		if diff := cmp.Diff(want, branch); diff != "" {
			t.Error("branch", diff)
		}
		first, err := w.db.ModelVersion(t.Context(), "p", 1)
		must(t, err)
		if diff := cmp.Diff(saved(1, "m1", 3), first); diff != "" {
			t.Error("version 1", diff)
		}
		scenario, err := w.db.Scenario(t.Context(), "p", "s")
		must(t, err)
		if diff := cmp.Diff(Scenario{ID: "s", ProjectID: "p", Name: "Checkout", Seq: 4, Saved: saved(1, "s1", 4)}, scenario); diff != "" {
			t.Error("scenario", diff)
		}
		project, err := w.db.Project(t.Context(), "p")
		must(t, err)
		wantProject := Project{ID: "p", WorkspaceID: "ws", Name: "Shop", Seq: 2, CreatedAt: Time{at(2)}, CreatedBy: "ann"}
		if diff := cmp.Diff(wantProject, project); diff != "" {
			t.Error("project", diff)
		}
		member, err := w.db.Member(t.Context(), "ann")
		must(t, err)
		if diff := cmp.Diff(Member{ID: "ann", Name: "Ann", Administrator: true}, member); diff != "" {
			t.Error("member", diff)
		}
	})
}

func saved(version int, blobName string, seq uint64) Saved {
	return Saved{Version: version, Blob: blob(blobName), SavedAt: Time{at(seq)}, SavedBy: "ann"}
}

func TestNothingOfAnotherProjectIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.request("r")
		_, _ = w.project()
		w.caughtUp()
		found := map[string]error{}
		_, found["branch"] = w.db.Branch(t.Context(), "other", "p")
		_, found["scenario"] = w.db.Scenario(t.Context(), "other", "s")
		_, found["profile"] = w.db.Profile(t.Context(), "other", "peak")
		_, found["run"] = w.db.Run(t.Context(), "other", "r")
		_, found["project"] = w.db.Project(t.Context(), "other")
		_, found["version"] = w.db.ProfileVersion(t.Context(), "peak", 2)
		for what, err := range found {
			if !errors.Is(err, domain.ErrNotFound) {
				t.Errorf("%s: %v, want not found", what, err)
			}
		}
	})
}

func TestProfileIsVisibleOnceItsProjectAdmittedIt(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.saveProfile("orphan", 1)
		_, _ = w.project()
		w.caughtUp()
		if _, err := w.db.Profile(t.Context(), "p", "orphan"); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("orphan: %v, want not found", err)
		}
		if got := profileNames(t, w); !cmp.Equal(got, []string{"peak 1"}) {
			t.Errorf("list %q, want peak only", got)
		}
		w.append(domain.AggregateProject, "p", domain.ProfileAdmitted{ProfileID: "orphan"})
		w.caughtUp()
		if got := profileNames(t, w); !cmp.Equal(got, []string{"peak 1", "orphan 1"}) {
			t.Errorf("list %q, want both", got)
		}
	})
}

func profileNames(t *testing.T, w *world) []string {
	t.Helper()
	profiles, err := w.db.Profiles(t.Context(), "p", Page{Limit: 10})
	must(t, err)
	names := []string{}
	for _, p := range profiles.Items {
		names = append(names, p.Name)
	}
	return names
}

func TestProfileVersionsWithTheRunsThatPinnedThem(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.request("r1")
		w.complete("r1")
		w.request("r2")
		w.saveProfile("peak", 2)
		_, _ = w.project()
		w.caughtUp()
		first, err := w.db.ProfileVersions(t.Context(), "peak", Page{Limit: 1})
		must(t, err)
		second, err := w.db.ProfileVersions(t.Context(), "peak", Page{Limit: 1, After: first.Next})
		must(t, err)
		want := []ProfileVersion{
			{Name: "peak 2", ScenarioID: "s", Saved: saved(2, "f2", 10)},
			{Name: "peak 1", ScenarioID: "s", Saved: saved(1, "f1", 5), RunCount: 2, Runs: []PinnedRun{
				{ID: "r2", Status: domain.StatusQueued, ProfileVersion: 1},
				{ID: "r1", Status: domain.StatusCompleted, ProfileVersion: 1},
			}},
		}
		if diff := cmp.Diff(want, append(first.Items, second.Items...)); diff != "" {
			t.Error(diff)
		}
		if second.Next != 0 {
			t.Errorf("a page after the last: %d", second.Next)
		}
	})
}

func TestVersionShowsItsNewest20Runs(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		for i := range 23 {
			w.request(fmt.Sprintf("r%02d", i))
		}
		_, _ = w.project()
		w.caughtUp()
		v, err := w.db.ProfileVersion(t.Context(), "peak", 1)
		must(t, err)
		if v.RunCount != 23 || len(v.Runs) != 20 || v.Runs[0].ID != "r22" || v.Runs[19].ID != "r03" {
			t.Errorf("%d runs, shown: %v", v.RunCount, v.Runs)
		}
	})
}
