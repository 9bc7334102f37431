package projections

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

func TestWaitForAPosition(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		_, _ = w.project()
		w.shop()
		w.caughtUp()
		if _, err := w.db.Profile(t.Context(), "p", "peak"); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := w.db.WaitFor(ctx, w.seq+1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a position that never comes: %v", err)
		}
	})
}

func TestWaitForTheOutcomeOfARun(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		_, _ = w.project()
		w.shop()
		type answer struct {
			run Run
			err error
		}
		answers := make(chan answer)
		for range 3 {
			go func() { // also before the run is there
				run, err := w.db.WaitOutcome(t.Context(), "p", "r")
				answers <- answer{run, err}
			}()
		}
		w.request("r")
		w.append(domain.AggregateRun, "r", domain.RunStarted{RunID: "r"})
		w.caughtUp()
		select {
		case a := <-answers:
			t.Fatalf("before the outcome: %+v", a)
		case <-time.After(20 * time.Millisecond):
		}
		w.complete("r")
		for range 3 {
			if a := <-answers; a.err != nil || a.run.Status != domain.StatusCompleted {
				t.Errorf("%+v", a)
			}
		}
		if run, err := w.db.WaitOutcome(t.Context(), "p", "r"); err != nil || !run.Ended() {
			t.Errorf("after the outcome: %+v, %v", run, err)
		}
		if len(w.db.progress.runs) != 0 {
			t.Errorf("waiters are left: %v", w.db.progress.runs)
		}
	})
}

// The run is answered as it stands when the time is over, not as it was seen first.
func TestWaitForAnOutcomeAnswersWhatIsTrueAtItsEnd(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		_, _ = w.project()
		w.shop()
		w.request("r")
		w.caughtUp()
		ctx, end := context.WithCancel(t.Context())
		type answer struct {
			run Run
			err error
		}
		answers := make(chan answer)
		go func() {
			run, err := w.db.WaitOutcome(ctx, "p", "r")
			answers <- answer{run, err}
		}()
		for len(w.db.progress.waited()) == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond) // it has looked
		w.append(domain.AggregateRun, "r", domain.RunStarted{RunID: "r"})
		w.caughtUp()
		end()
		if a := <-answers; !errors.Is(a.err, context.Canceled) || a.run.Status != domain.StatusRunning {
			t.Errorf("answered %q, %v; want running", a.run.Status, a.err)
		}
		w.complete("r")
		w.caughtUp()
		if run, err := w.db.WaitOutcome(ctx, "p", "r"); err != nil || run.Status != domain.StatusCompleted {
			t.Errorf("after the outcome %q, %v; want completed", run.Status, err)
		}
	})
}

func TestWaitForAnOutcomeEndsWithItsContext(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		_, _ = w.project()
		w.shop()
		w.request("r")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := w.db.WaitOutcome(ctx, "p", "r"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if len(w.db.progress.runs) != 0 {
			t.Errorf("waiters are left: %v", w.db.progress.runs)
		}
	})
}

// A run that ended while the projector was away is seen by those who wait, when it starts again.
func TestOutcomeBehindARestart(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		_, stop := w.project()
		w.shop()
		w.request("r")
		w.caughtUp()
		must(t, stop())
		got := make(chan error)
		go func() {
			_, err := w.db.WaitOutcome(t.Context(), "p", "r")
			got <- err
		}()
		for waiting := 0; waiting == 0; {
			w.db.progress.mu.Lock()
			waiting = len(w.db.progress.runs)
			w.db.progress.mu.Unlock()
		}
		time.Sleep(20 * time.Millisecond) // it has looked and found no outcome
		w.complete("r")
		w.projectSome(10) // another process, which tells nobody here
		_, _ = w.project()
		select {
		case err := <-got:
			must(t, err)
		case <-time.After(patience):
			t.Fatal("it still waits")
		}
	})
}
