package http

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// GET of a running run shows what its worker told last, from whatever process; of an ended one nothing.
func TestProgressOfARun(t *testing.T) {
	w := newWorld(t)
	w.shop()
	id := queued(w)
	if got := w.progressOf(id); got != nil {
		t.Errorf("queued: %+v", got)
	}
	meta := commands.Meta{Member: w.first.MemberID}
	run, err := w.commands.StartRun(t.Context(), w.first.WorkspaceID, id, "w", meta)
	must(t, err)
	w.caughtUp()
	left := 1.5
	told := domain.RunProgress{RunID: id, VirtualSeconds: 12.5, Events: 900, Done: 0.25, RemainingSeconds: &left}
	must(t, w.commands.TellProgress(run.Pins, told))
	deadline := time.Now().Add(patience)
	for w.progressOf(id) == nil {
		if time.Now().After(deadline) {
			t.Fatal("no progress is shown")
		}
	}
	if diff := cmp.Diff(&told, w.progressOf(id)); diff != "" {
		t.Error(diff)
	}
	must(t, w.commands.EndRun(t.Context(), w.first.WorkspaceID, id, failedRun(w, id), meta))
	w.caughtUp()
	if got := w.progressOf(id); got != nil {
		t.Errorf("ended: %+v", got)
	}
}

func (w *world) progressOf(id string) *domain.RunProgress {
	w.t.Helper()
	var run oneRun
	w.send(get("/stress/runs/"+id)(w)).into(w.t, &run)
	return run.Progress
}

// What a worker told long ago is not shown, and does not fill the memory.
func TestProgressIsForgotten(t *testing.T) {
	var b progressBoard
	b.hear(domain.RunProgress{RunID: "a", Events: 1}, started)
	b.hear(domain.RunProgress{RunID: "a", Events: 2}, started.Add(time.Second))
	if got := b.of("a", started.Add(11*time.Second)); got == nil || got.Events != 2 {
		t.Errorf("%+v", got)
	}
	late := started.Add(11*time.Second + 1)
	if got := b.of("a", late); got != nil {
		t.Errorf("shown after 10 s: %+v", got)
	}
	b.hear(domain.RunProgress{RunID: "b"}, late)
	if len(b.last) != 1 {
		t.Errorf("%d are kept", len(b.last))
	}
}
