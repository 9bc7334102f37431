package commands

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// tryRun asks for a run on some process at some time.
func (w world) tryRun(t testing.TB, c *Commands, key string) (string, error) {
	t.Helper()
	a, err := c.RequestRun(t.Context(), RequestRun{Meta: w.meta(key), ProjectID: w.projectID, ProfileID: w.profileID})
	return a.ID, err
}

func (w world) at(after time.Duration) *Commands {
	return New(w.store.Store, func() time.Time { return noon.Add(after) })
}

func (w world) end(t testing.TB, c *Commands, runID string) {
	t.Helper()
	if err := c.EndRun(t.Context(), w.WorkspaceID, runID, domain.RunFailed{RunID: runID}, w.worker()); err != nil {
		t.Fatal(err)
	}
}

func TestTwoRunsOfAWorkspaceAtOnce(t *testing.T) {
	w := newWorld(t)
	first := must(w.tryRun(t, w.Commands, "1"))(t)
	must(w.tryRun(t, w.Commands, "2"))(t)
	var limited *domain.RateLimitedError
	if _, err := w.tryRun(t, w.Commands, "3"); !errors.As(err, &limited) || limited.RetryAfter != busyRetry {
		t.Errorf("the third gets %v", err)
	}
	if got := len(w.log(t, admission(w.WorkspaceID).Aggregate)); got != 2 {
		t.Errorf("a refused run left its mark: %d events", got)
	}
	w.end(t, w.Commands, first)
	must(w.tryRun(t, w.Commands, "3"))(t)
}

func TestThirtyRunsOfAWorkspaceInAMinute(t *testing.T) {
	w := newWorld(t)
	for i := range 30 { // one a second, on one process after the other
		c := w.at(time.Duration(i) * time.Second)
		w.end(t, c, must(w.tryRun(t, c, fmt.Sprint(i)))(t))
	}
	var limited *domain.RateLimitedError
	if _, err := w.tryRun(t, w.at(59*time.Second), "31"); !errors.As(err, &limited) || limited.RetryAfter != time.Second {
		t.Errorf("the 31st gets %v", err)
	}
	must(w.tryRun(t, w.at(60*time.Second), "31"))(t)
	if _, err := w.tryRun(t, w.at(60*time.Second), "32"); !errors.As(err, &limited) || limited.RetryAfter != time.Second {
		t.Errorf("the 32nd gets %v", err)
	}
}

// elsewhere is a world like w in a workspace of its own, on the same process.
func (w world) elsewhere(t testing.TB, name string) world {
	t.Helper()
	ws := must(w.CreateWorkspace(t.Context(), CreateWorkspace{Meta: w.meta("workspace " + name), Name: name}))(t).ID
	w.WorkspaceID = ws
	w.projectID = must(w.CreateProject(t.Context(), CreateProject{Meta: w.meta("project " + name), WorkspaceID: ws, Name: name}))(t).ID
	w.scenarioID = must(w.SaveScenario(t.Context(), w.scenario("scenario "+name, 1)))(t).ID
	w.profileID = must(w.SaveProfile(t.Context(), w.profile("profile "+name, name)))(t).ID
	return w
}

// The instance takes 4 runs of three workspaces; one that ends anywhere makes room, and the policy holds at once.
func TestRunsOfOneProcess(t *testing.T) {
	w := newWorld(t)
	b, c := w.elsewhere(t, "b"), w.elsewhere(t, "c")
	must(w.tryRun(t, w.Commands, "w1"))(t)
	must(w.tryRun(t, w.Commands, "w2"))(t)
	b1 := must(b.tryRun(t, w.Commands, "b1"))(t)
	must(b.tryRun(t, w.Commands, "b2"))(t)
	wantBusy := func(key string) {
		t.Helper()
		var busy *domain.BusyError
		if _, err := c.tryRun(t, w.Commands, key); !errors.As(err, &busy) || busy.RetryAfter != instanceRetry {
			t.Errorf("a run over the bound gets %v", err)
		}
	}
	wantBusy("c1")
	if got := len(c.log(t, admission(c.WorkspaceID).Aggregate)); got != 0 {
		t.Errorf("a run that the instance refused counts on its workspace: %d events", got)
	}
	var limited *domain.RateLimitedError
	if _, err := w.tryRun(t, w.Commands, "w3"); !errors.As(err, &limited) {
		t.Errorf("over both bounds: %v", err)
	}
	must(c.tryRun(t, w.beside(), "other process"))(t) // it has a bound of its own

	b.end(t, w.beside(), b1) // by the worker of another process
	must(c.tryRun(t, w.Commands, "c1"))(t)
	must(w.ChangeInstancePolicy(t.Context(), ChangeInstancePolicy{Meta: w.meta("down"), MaxConcurrentStressRuns: 3}))(t)
	wantLimited := b.elsewhere(t, "d")
	var busy *domain.BusyError
	if _, err := wantLimited.tryRun(t, w.Commands, "d1"); !errors.As(err, &busy) || busy.Most != 3 {
		t.Errorf("after the bound went down: %v", err)
	}
	must(w.beside().ChangeInstancePolicy(t.Context(), ChangeInstancePolicy{Meta: w.meta("up"), Base: 1, MaxConcurrentStressRuns: 5}))(t)
	must(wantLimited.tryRun(t, w.Commands, "d1"))(t)
}

// Fifty clients of 25 workspaces ask at once: 4 get in.
func TestTheBoundOfTheInstanceHoldsUnderRaces(t *testing.T) {
	w := newWorld(t)
	worlds := make([]world, 25)
	for i := range worlds {
		worlds[i] = w.elsewhere(t, fmt.Sprint("w", i))
	}
	var in int
	for _, err := range together(50, func(i int) error {
		_, err := worlds[i/2].tryRun(t, w.Commands, fmt.Sprint("run", i))
		return err
	}) {
		var busy *domain.BusyError
		switch {
		case err == nil:
			in++
		case !errors.As(err, &busy):
			t.Errorf("a run got %v", err)
		}
	}
	if in != 4 {
		t.Errorf("%d runs got in", in)
	}
}
