package commands

import (
	"errors"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// cancels collects the runs that workers are told to stop.
func (w world) cancels(t testing.TB) <-chan string {
	t.Helper()
	heard := make(chan string, 10)
	stop := must(w.ListenCancels(func(runID string) { heard <- runID }))(t)
	t.Cleanup(stop)
	return heard
}

func wantCancel(t testing.TB, heard <-chan string, runID string) {
	t.Helper()
	select {
	case got := <-heard:
		if got != runID {
			t.Errorf("run %s is stopped, want %s", got, runID)
		}
	case <-time.After(time.Minute):
		t.Errorf("nobody is told to stop %s", runID)
	}
}

func TestCancelGivesTheRunItsOutcomeAndItsPlaceBack(t *testing.T) {
	w := newWorld(t)
	heard := w.cancels(t)
	id := w.request(t, "run")
	cmd := CancelRun{Meta: w.meta("cancel"), ProjectID: w.projectID, RunID: id}
	for range 2 { // the same command twice
		must(w.CancelRun(t.Context(), cmd))(t)
		wantCancel(t, heard, id)
	}
	events := w.log(t, run(w.WorkspaceID, id).Aggregate)
	wantEvents(t, events[1:], domain.RunCancelled{RunID: id, Reason: domain.CancelAsked})
	if a := state(t, w, admission(w.WorkspaceID)); a.Has(id) || len(w.running.counted()) != 0 {
		t.Errorf("a cancelled run holds a place: %v, %v", a, w.running.counted())
	}
	late := domain.RunCompleted{RunID: id, Key: domain.KeyFigures{Saturated: []string{}}}
	if err := w.EndRun(t.Context(), w.WorkspaceID, id, late, w.worker()); !errors.Is(err, domain.ErrRunEnded) {
		t.Errorf("a late outcome gets %v", err)
	}
	cmd.Meta = w.meta("again")
	if _, err := w.CancelRun(t.Context(), cmd); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("cancelled again: %v", err)
	}
}

func TestDeletingARunCancelsItFirst(t *testing.T) {
	w := newWorld(t)
	heard := w.cancels(t)
	id := w.request(t, "run")
	cmd := DeleteRun{Meta: w.meta("delete"), ProjectID: w.projectID, RunID: id}
	must(w.DeleteRun(t.Context(), cmd))(t)
	wantCancel(t, heard, id)
	events := w.log(t, run(w.WorkspaceID, id).Aggregate)
	wantEvents(t, events[1:], domain.RunCancelled{RunID: id, Reason: domain.CancelRunDeleted}, domain.RunDeleted{RunID: id})
	if state(t, w, admission(w.WorkspaceID)).Has(id) {
		t.Error("a deleted run holds its place")
	}
}

// The profile goes from its project first; its runs in flight are cancelled, those of another stay.
func TestDeletingAProfileCancelsItsRuns(t *testing.T) {
	w := newWorld(t)
	heard := w.cancels(t)
	other := w
	other.profileID = must(w.SaveProfile(t.Context(), w.profile("second", "Second")))(t).ID
	mine, foreign := w.request(t, "mine"), other.request(t, "foreign")
	cmd := DeleteProfile{Meta: w.meta("delete"), ProjectID: w.projectID, ProfileID: w.profileID}
	first := must(w.DeleteProfile(t.Context(), cmd))(t)
	wantCancel(t, heard, mine)
	if got := must(w.LoadRun(t.Context(), w.WorkspaceID, mine))(t).Outcome; got != (domain.RunCancelled{RunID: mine, Reason: domain.CancelProfileDeleted}) {
		t.Errorf("its run ended with %v", got)
	}
	if must(w.LoadRun(t.Context(), w.WorkspaceID, foreign))(t).Ended() {
		t.Error("the run of another profile has ended")
	}
	if again := must(w.DeleteProfile(t.Context(), cmd))(t); again != first {
		t.Errorf("sent again: %+v, want %+v", again, first)
	}
	removed := must(w.store.Last(t.Context(), project(w.WorkspaceID, w.projectID).Aggregate))(t)
	deleted := must(w.store.Last(t.Context(), profile(w.WorkspaceID, w.profileID).Aggregate))(t)
	if removed.Events[0].Name != "ProfileRemoved" || deleted.Events[0].Name != "ProfileDeleted" || removed.Seq > deleted.Seq {
		t.Errorf("%s at %d, %s at %d", removed.Events[0].Name, removed.Seq, deleted.Events[0].Name, deleted.Seq)
	}
	pins := domain.RunRequested{WorkspaceID: w.WorkspaceID, ProfileID: w.profileID}
	if gone := must(w.ProfileDeleted(t.Context(), pins))(t); !gone {
		t.Error("the profile is not deleted")
	}
	pins.ProfileID = other.profileID
	if gone := must(w.ProfileDeleted(t.Context(), pins))(t); gone {
		t.Error("the other profile is deleted")
	}
	if _, err := w.tryRun(t, w.Commands, "late"); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a deleted profile is run: %v", err)
	}
}

// Profiles that name a deleted scenario stay; they cannot be saved again, and a run of theirs pins no version.
func TestADeletedScenario(t *testing.T) {
	w := newWorld(t)
	must(w.DeleteScenario(t.Context(), DeleteScenario{Meta: w.meta("delete"), ProjectID: w.projectID, ScenarioID: w.scenarioID}))(t)
	update := w.profile("update", "Peak 2")
	update.ProfileID, update.Base = w.profileID, 1
	var invalid *domain.InvalidError
	if _, err := w.SaveProfile(t.Context(), update); !errors.As(err, &invalid) || invalid.Issues[0].Target != "/scenarioId" {
		t.Errorf("a profile that names it is saved: %v", err)
	}
	id := w.request(t, "run")
	if pins := must(w.LoadRun(t.Context(), w.WorkspaceID, id))(t).Pins; pins.ScenarioVersion != nil || pins.ScenarioID != w.scenarioID {
		t.Errorf("pinned to %+v", pins)
	}
}

// Nothing below an archived project can be written or run; what was done before is answered as it was.
func TestAnArchivedProjectTakesNoWrites(t *testing.T) {
	w := newWorld(t)
	ctx, p := t.Context(), w.projectID
	running := w.request(t, "run")
	archive := must(w.ArchiveProject(ctx, ArchiveProject{Meta: w.meta("archive"), ProjectID: p}))(t)
	update := w.profile("update", "Peak 2")
	update.ProfileID, update.Base = w.profileID, 1
	for what, send := range map[string]func(m Meta) (Answer, error){
		"rename": func(m Meta) (Answer, error) {
			return w.RenameProject(ctx, RenameProject{Meta: m, ProjectID: p, Name: "B"})
		},
		"model": func(m Meta) (Answer, error) {
			return w.SaveModel(ctx, SaveModel{Meta: m, ProjectID: p, Raw: []byte("m")})
		},
		"branch": func(m Meta) (Answer, error) {
			return w.OpenBranch(ctx, OpenBranch{Meta: m, ProjectID: p, Kind: "draft", Name: "B"})
		},
		"scenario": func(Meta) (Answer, error) { return w.SaveScenario(ctx, w.scenario("another", 2)) },
		"objectives": func(m Meta) (Answer, error) {
			return w.SaveObjectives(ctx, SaveObjectives{Meta: m, ProjectID: p, ScenarioID: w.scenarioID, Raw: []byte("[]")})
		},
		"no scenario": func(m Meta) (Answer, error) {
			return w.DeleteScenario(ctx, DeleteScenario{Meta: m, ProjectID: p, ScenarioID: w.scenarioID})
		},
		"new profile": func(Meta) (Answer, error) { return w.SaveProfile(ctx, w.profile("third", "Third")) },
		"profile":     func(Meta) (Answer, error) { return w.SaveProfile(ctx, update) },
		"no profile": func(m Meta) (Answer, error) {
			return w.DeleteProfile(ctx, DeleteProfile{Meta: m, ProjectID: p, ProfileID: w.profileID})
		},
		"run": func(m Meta) (Answer, error) {
			return w.RequestRun(ctx, RequestRun{Meta: m, ProjectID: p, ProfileID: w.profileID})
		},
		"cancel": func(m Meta) (Answer, error) {
			return w.CancelRun(ctx, CancelRun{Meta: m, ProjectID: p, RunID: running})
		},
		"no run": func(m Meta) (Answer, error) {
			return w.DeleteRun(ctx, DeleteRun{Meta: m, ProjectID: p, RunID: running})
		},
	} {
		if a, err := send(w.meta("archived " + what)); !errors.Is(err, domain.ErrConflict) {
			t.Errorf("%s: %+v, %v", what, a, err)
		}
	}
	if a := must(w.SaveProfile(ctx, w.profile("profile", "Peak")))(t); a.ID != w.profileID {
		t.Errorf("what was done before is answered with %+v", a)
	}
	last := must(w.store.Last(ctx, project(w.WorkspaceID, p).Aggregate))(t)
	if last.Seq != archive.Position {
		t.Errorf("ProjectArchived at %d is not the last event, which is at %d", archive.Position, last.Seq)
	}
	w.end(t, w.Commands, running) // a run in progress goes on to its end
}

// A branch is a copy: later versions of main never reach it, and a save on it leaves main alone.
func TestABranchIsACopyOfMain(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	save := func(key, branchID string, base int, raw string) Answer {
		return must(w.SaveModel(ctx, SaveModel{
			Meta: w.meta(key), ProjectID: w.projectID, BranchID: branchID, Base: base,
			Document: domain.Model{Elements: []domain.Element{{ID: "e"}}}, Raw: []byte(raw),
		}))(t)
	}
	open := func(key string) Answer {
		return must(w.OpenBranch(ctx, OpenBranch{Meta: w.meta(key), ProjectID: w.projectID, Kind: domain.BranchDraft, Name: key}))(t)
	}
	empty := open("empty")
	if b := state(t, w, branch(w.WorkspaceID, empty.ID)); b.Version != 1 || string(must(w.store.Blob(ctx, b.Blob))(t)) != emptyModel {
		t.Errorf("opened at %+v", b)
	}
	save("m1", "", 0, "main 1")
	draft := open("draft")
	save("m2", "", 1, "main 2")
	if again := open("draft"); again != draft || draft.Version != 1 {
		t.Errorf("sent again after main went on: %+v, want %+v", again, draft)
	}
	if a := save("d2", draft.ID, 1, "draft 2"); a.Version != 2 {
		t.Errorf("saved on the draft: %+v", a)
	}
	want := map[string]string{"": "main 2", draft.ID: "draft 2"}
	for id, text := range want {
		b := state(t, w, branch(w.WorkspaceID, branchOf(w.projectID, id)))
		if b.Version != 2 || string(must(w.store.Blob(ctx, b.Blob))(t)) != text {
			t.Errorf("branch %q is at %+v", id, b)
		}
	}
	if _, err := w.tryRun(t, w.Commands, "main"); err != nil {
		t.Error(err)
	}
	a := must(w.RequestRun(ctx, RequestRun{Meta: w.meta("on draft"), ProjectID: w.projectID, ProfileID: w.profileID, BranchID: draft.ID}))(t)
	if pins := must(w.LoadRun(ctx, w.WorkspaceID, a.ID))(t).Pins; pins.BranchID != draft.ID || pins.ModelVersion != 2 {
		t.Errorf("pinned to %+v", pins)
	}
}

// Who is named by a stale save is who saved that document, not who changed its aggregate last.
func TestAStaleSaveNamesWhoSavedThatDocument(t *testing.T) {
	w := newWorld(t)
	bob := Meta{Member: w.member(t, "bob")}
	must(w.SaveObjectives(t.Context(), SaveObjectives{Meta: bob, ProjectID: w.projectID, ScenarioID: w.scenarioID, Raw: []byte("[]")}))(t)
	old := w.scenario("old", 2)
	old.ScenarioID = w.scenarioID
	var stale *domain.StaleError
	if _, err := w.SaveScenario(t.Context(), old); !errors.As(err, &stale) || stale.Member != w.MemberID || stale.Version != 1 {
		t.Errorf("the scenario: %v", err)
	}
	_, err := w.SaveObjectives(t.Context(), SaveObjectives{Meta: bob, ProjectID: w.projectID, ScenarioID: w.scenarioID, Raw: []byte("[1]")})
	if !errors.As(err, &stale) || stale.Member != bob.Member || stale.Version != 1 {
		t.Errorf("the objectives: %v", err)
	}
}
