package commands

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// whenAsked is a process whose clock calls meanwhile when it is asked for the first time: a request for a run has then
// read that there is no such run, its pins and the admissions, and admits the run next.
func (w world) whenAsked(after time.Duration, meanwhile func()) *Commands {
	asked := false
	return New(w.store.Store, func() time.Time {
		if !asked {
			asked = true
			meanwhile()
		}
		return noon.Add(after)
	})
}

// wantAdmissions checks how often a run was admitted and released, and that it holds no place.
func (w world) wantAdmissions(t testing.TB, c *Commands, runID string, admitted, released int) {
	t.Helper()
	var in, out int
	for _, e := range w.log(t, admission(w.WorkspaceID).Aggregate) {
		switch e := e.(type) {
		case domain.RunAdmitted:
			in += boolInt(e.RunID == runID)
		case domain.RunReleased:
			out += boolInt(e.RunID == runID)
		}
	}
	if in != admitted || out != released {
		t.Errorf("admitted %d times, released %d times; want %d and %d", in, out, admitted, released)
	}
	holds := state(t, w, admission(w.WorkspaceID)).Has(runID)
	if _, counted := c.running.counted()[runID]; holds != (admitted > released) || counted != holds {
		t.Errorf("holds a place of the workspace: %v, of the process: %v", holds, counted)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The same request, sent twice, is done, run and ended between the two looks of the other: one admission, however long
// the other took, and no place is held.
func TestARequestThatIsOvertakenByItsRunTakesNoPlace(t *testing.T) {
	for name, late := range map[string]time.Duration{"at once": 0, "after two minutes": 2 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var first string
			slow := w.whenAsked(late, func() {
				first = w.request(t, "run")
				w.end(t, w.Commands, first)
			})
			a, err := slow.RequestRun(t.Context(), RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID})
			if err != nil || a.ID != first || a.Status != domain.StatusFailed {
				t.Errorf("the second is answered %+v, %v; the run is %s", a, err, first)
			}
			w.wantAdmissions(t, slow, first, 1, 1)
			for _, key := range []string{"2", "3"} {
				must(w.tryRun(t, w.Commands, key))(t)
			}
		})
	}
}

// What has no room is answered with its run all the same when that is there.
func TestARequestThatIsOvertakenWhereThereIsNoRoomIsAnswered(t *testing.T) {
	w := newWorld(t)
	var first string
	var slow *Commands
	slow = w.whenAsked(0, func() {
		first = w.request(t, "run")
		for _, other := range []string{"a", "b", "c", "d"} {
			slow.running.take(w.WorkspaceID, other, 4)
		}
	})
	a, err := slow.RequestRun(t.Context(), RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID})
	if err != nil || a.ID != first || a.Status != domain.StatusQueued {
		t.Errorf("answered %+v, %v; the run is %s", a, err, first)
	}
	w.wantAdmissions(t, w.Commands, first, 1, 0)
}

// The same key with another body meets the run of the first while it is requested: it is refused and takes nothing away.
func TestAMismatchTakesNoPlaceAway(t *testing.T) {
	w := newWorld(t)
	var first string
	slow := w.whenAsked(0, func() { first = w.request(t, "run") })
	other := RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID}
	other.BodyHash = "other"
	if _, err := slow.RequestRun(t.Context(), other); !errors.Is(err, domain.ErrIdempotencyMismatch) {
		t.Errorf("answered %v", err)
	}
	w.wantAdmissions(t, w.Commands, first, 1, 0)
}

// Two other runs take the workspace's places after they were seen free: the room of the process is given back.
func TestTheRoomOfARunThatTheWorkspaceRefusesIsGivenBack(t *testing.T) {
	w := newWorld(t)
	slow := w.whenAsked(0, func() { w.request(t, "1"); w.request(t, "2") })
	var limited *domain.RateLimitedError
	if _, err := w.tryRun(t, slow, "3"); !errors.As(err, &limited) {
		t.Fatalf("the third got %v", err)
	}
	if left := slow.running.counted(); len(left) != 0 {
		t.Errorf("the process still counts %v", left)
	}
}

// The client goes away at each of the commits of its request: the run is there, and holds the one place that it has.
func TestAClientThatGoesAwayLeavesNoPlaceBehind(t *testing.T) {
	for _, at := range []string{domain.AggregateAdmission, domain.AggregateRun} {
		t.Run(at, func(t *testing.T) {
			w := newWorld(t)
			ctx, leave := context.WithCancel(t.Context())
			w.publish = afterEach(w.publish, func(agg eventstore.Aggregate) error {
				if agg.Type == at {
					leave()
				}
				return nil
			})
			a, err := w.RequestRun(ctx, RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID})
			if err != nil || must(w.LoadRun(t.Context(), w.WorkspaceID, a.ID))(t).Status != domain.StatusQueued {
				t.Fatalf("answered %+v, %v", a, err)
			}
			w.wantAdmissions(t, w.Commands, a.ID, 1, 0)
		})
	}
}

// afterEach calls after once a commit is stored; its error is what the caller gets.
func afterEach(stored publish, after func(eventstore.Aggregate) error) publish {
	return func(ctx context.Context, agg eventstore.Aggregate, tail eventstore.Tail, c eventstore.Commit) (eventstore.Record, error) {
		r, err := stored(ctx, agg, tail, c)
		if err == nil {
			err = after(agg)
		}
		return r, err
	}
}

// The run cannot be appended: its place is given back, and the same command sent again is admitted anew. Where nobody knows
// whether it was appended, the place stays: the run may be there.
func TestARequestThatFailsGivesItsPlaceBack(t *testing.T) {
	for _, tt := range []struct {
		err       error
		held      bool
		admission int // how often the run is admitted, when it is asked for again
	}{
		{domain.ErrUnavailable, false, 2},
		{errors.New("a fault"), false, 2},
		{eventstore.ErrUnknownOutcome, true, 1},
	} {
		t.Run(tt.err.Error(), func(t *testing.T) {
			w := newWorld(t)
			stored := w.publish
			w.publish = func(ctx context.Context, agg eventstore.Aggregate, tail eventstore.Tail, c eventstore.Commit) (eventstore.Record, error) {
				if agg.Type == domain.AggregateRun {
					return eventstore.Record{}, tt.err
				}
				return stored(ctx, agg, tail, c)
			}
			id := newID(w.meta("run").CommandID, domain.AggregateRun)
			if _, err := w.tryRun(t, w.Commands, "run"); err == nil {
				t.Fatal("answered as if it were stored")
			}
			if held := state(t, w, admission(w.WorkspaceID)).Has(id); held != tt.held || len(w.running.counted()) != 0 {
				t.Errorf("holds a place of the workspace: %v; the process counts %v", held, w.running.counted())
			}
			w.publish = stored
			if got := must(w.tryRun(t, w.Commands, "run"))(t); got != id {
				t.Errorf("sent again, it is %s, want %s", got, id)
			}
			w.wantAdmissions(t, w.Commands, id, tt.admission, tt.admission-1)
		})
	}
}

// The admission is stored, but its answer is a fault: the place is given back.
func TestAnAdmissionThatFailsGivesItsPlaceBack(t *testing.T) {
	w := newWorld(t)
	failed := false
	w.publish = afterEach(w.publish, func(eventstore.Aggregate) error {
		if failed {
			return nil
		}
		failed = true
		return errors.New("a fault")
	})
	if _, err := w.tryRun(t, w.Commands, "run"); err == nil {
		t.Fatal("answered as if it were stored")
	}
	w.wantAdmissions(t, w.Commands, newID(w.meta("run").CommandID, domain.AggregateRun), 1, 1)
}

// The process died after the admission. When the same command comes so late that the place has gone by age, the run
// gets another one.
func TestARequestThatIsCompletedLateIsAdmittedAgain(t *testing.T) {
	w := newWorld(t)
	id := newID(w.meta("run").CommandID, domain.AggregateRun)
	if err := w.admitRun(t.Context(), w.meta("run"), w.WorkspaceID, id); err != nil {
		t.Fatal(err)
	}
	late := w.at(domain.AdmissionLasts)
	must(w.tryRun(t, late, "run"))(t)
	if open := state(t, w, admission(w.WorkspaceID)).At(noon.Add(domain.AdmissionLasts)).Open; len(open) != 1 || open[0].RunID != id {
		t.Errorf("open: %v", open)
	}
}

// The admission is a command of its own, which the request caused: the same id is never done twice.
func TestTheAdmissionOfARunNamesItsRequest(t *testing.T) {
	w := newWorld(t)
	cmd := RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID}
	for _, correlation := range []string{"request", ""} {
		cmd.CommandID, cmd.CorrelationID = w.meta("run "+correlation).CommandID, correlation
		want := cmp.Or(correlation, cmd.CommandID)
		must(w.RequestRun(t.Context(), cmd))(t)
		r := must(w.store.Last(t.Context(), admission(w.WorkspaceID).Aggregate))(t)
		if r.CausationID != cmd.CommandID || r.CorrelationID != want || r.CommandID == cmd.CommandID {
			t.Errorf("the admission is %s, because of %s, of %s; the request is %s of %q", r.CommandID, r.CausationID, r.CorrelationID, cmd.CommandID, correlation)
		}
	}
}
