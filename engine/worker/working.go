package worker

import (
	"context"
	"errors"
	"sync"
)

// errCancelled is why the context of a run ends that was cancelled: it has its outcome.
var errCancelled = errors.New("the run was cancelled")

// working are the runs that this worker has taken up and not finished. A run can be among them twice, when the server
// took its message for lost.
type working struct {
	mu   sync.Mutex
	runs map[*taken]bool
}

type taken struct {
	runID  string
	cancel context.CancelCauseFunc
}

// on gives the context that a run works in; done ends it.
func (w *working) on(ctx context.Context, runID string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &taken{runID: runID, cancel: cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs == nil {
		w.runs = map[*taken]bool{}
	}
	w.runs[t] = true
	return ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.runs, t)
		cancel(nil)
	}
}

// cancel stops a run, if it is one of these.
func (w *working) cancel(runID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t := range w.runs {
		if t.runID == runID {
			t.cancel(errCancelled)
		}
	}
}
