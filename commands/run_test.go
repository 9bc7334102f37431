package commands

import (
	"errors"
	"fmt"
	"testing"

	"github.com/proofload/proofload/domain"
)

func (w world) request(t testing.TB, key string) string {
	t.Helper()
	return must(w.RequestRun(t.Context(), RequestRun{Meta: w.meta(key), ProjectID: w.projectID, ProfileID: w.profileID}))(t).ID
}

func (w world) worker() Meta { return Meta{Member: w.MemberID} }

func TestARunFromRequestToOutcome(t *testing.T) {
	w := newWorld(t)
	ctx, ws := t.Context(), w.WorkspaceID
	id := w.request(t, "run")
	if r := must(w.LoadRun(ctx, ws, id))(t); r.Status != domain.StatusQueued || r.Pins.ProfileVersion != 1 || r.Pins.Seed != "7" {
		t.Errorf("queued: %+v", r)
	}
	if a := state(t, w, admission(ws)); !a.Has(id) || len(a.Recent) != 1 {
		t.Errorf("admissions: %+v", a)
	}
	for range 2 {
		must(w.StartRun(ctx, ws, id, "a", w.worker()))(t)
	}
	outcome := domain.RunCompleted{RunID: id, EngineVersion: 3, Key: domain.KeyFigures{Saturated: []string{}}}
	if err := w.EndRun(ctx, ws, id, outcome, w.worker()); err != nil {
		t.Fatal(err)
	}
	if a := state(t, w, admission(ws)); a.Has(id) || len(a.Recent) != 1 {
		t.Errorf("admissions after the end: %+v", a)
	}
	pins := must(w.LoadRun(ctx, ws, id))(t).Pins
	wantEvents(t, w.log(t, run(ws, id).Aggregate), pins, domain.RunStarted{RunID: id, Worker: "a"}, outcome)
	if _, err := w.StartRun(ctx, ws, id, "b", w.worker()); !errors.Is(err, domain.ErrRunEnded) {
		t.Errorf("started after the end: %v", err)
	}
}

// Twenty workers end one run at once.
func TestARunHasOneOutcome(t *testing.T) {
	w := newWorld(t)
	id := w.request(t, "run")
	var ended int
	for _, err := range together(20, func(i int) error {
		return w.EndRun(t.Context(), w.WorkspaceID, id, domain.RunFailed{RunID: id, Code: fmt.Sprint(i)}, w.worker())
	}) {
		switch {
		case err == nil:
			ended++
		case !errors.Is(err, domain.ErrRunEnded):
			t.Errorf("a late outcome got %v", err)
		}
	}
	if got := len(w.log(t, run(w.WorkspaceID, id).Aggregate)); ended != 1 || got != 2 {
		t.Errorf("%d ended it, the log has %d events", ended, got)
	}
	admitted := w.log(t, admission(w.WorkspaceID).Aggregate)
	if len(admitted) != 2 {
		t.Errorf("admitted and released once, but the log has %v", admitted)
	}
}

// The process dies after the admission and before the request: the admission is found, not made again.
func TestARequestThatWasOnlyAdmittedIsCompleted(t *testing.T) {
	w := newWorld(t)
	m := w.meta("run")
	id := newID(m.CommandID, domain.AggregateRun)
	if err := w.admitRun(t.Context(), m, w.WorkspaceID, id); err != nil {
		t.Fatal(err)
	}
	if got := w.request(t, "run"); got != id {
		t.Errorf("requested %s, want %s", got, id)
	}
	if got := w.log(t, admission(w.WorkspaceID).Aggregate); len(got) != 1 {
		t.Errorf("admitted %d times", len(got))
	}
}

// The process dies after the outcome and before the release: the late outcome of the next worker releases.
func TestARunThatWasNotReleasedIsReleasedByTheLateOutcome(t *testing.T) {
	w := newWorld(t)
	id := w.request(t, "run")
	failed := domain.RunFailed{RunID: id, Code: "x"}
	must(handle(t.Context(), w.Commands, w.worker().identified(), run(w.WorkspaceID, id), func(r domain.Run) ([]domain.Event, error) {
		return decideEndRun(r, id, failed)
	}))(t)
	if !state(t, w, admission(w.WorkspaceID)).Has(id) {
		t.Fatal("the run holds no place")
	}
	if err := w.EndRun(t.Context(), w.WorkspaceID, id, failed, w.worker()); !errors.Is(err, domain.ErrRunEnded) {
		t.Errorf("a late outcome got %v", err)
	}
	if state(t, w, admission(w.WorkspaceID)).Has(id) {
		t.Error("the run still holds its place")
	}
}

// A request that is sent again after its run has ended takes no place of the workspace.
func TestARequestSentAgainAfterTheEndIsNotAdmittedAgain(t *testing.T) {
	w := newWorld(t)
	id := w.request(t, "run")
	if err := w.EndRun(t.Context(), w.WorkspaceID, id, domain.RunFailed{RunID: id}, w.worker()); err != nil {
		t.Fatal(err)
	}
	if got := w.request(t, "run"); got != id {
		t.Errorf("requested %s, want %s", got, id)
	}
	if got := w.log(t, admission(w.WorkspaceID).Aggregate); len(got) != 2 {
		t.Errorf("admitted and released once, but the log has %v", got)
	}
}

// The same request made by ten clients at once is one run.
func TestOneRequestSentAtOnceIsOneRun(t *testing.T) {
	w := newWorld(t)
	ids := make([]string, 10)
	for _, err := range together(len(ids), func(i int) error {
		a, err := w.RequestRun(t.Context(), RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID})
		ids[i] = a.ID
		return err
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("runs %s and %s", ids[0], id)
		}
	}
	if got := w.log(t, admission(w.WorkspaceID).Aggregate); len(got) != 1 {
		t.Errorf("admitted %d times", len(got))
	}
}

func TestLoadRunOfNoRun(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"", "*", newID("no", "run")} {
		if _, err := w.LoadRun(t.Context(), w.WorkspaceID, id); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("run %q: %v", id, err)
		}
	}
}
