package worker

import (
	"context"
	"testing"
	"time"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

func (s *shop) cancel(runID string) {
	s.t.Helper()
	_, err := s.commands.CancelRun(s.t.Context(), commands.CancelRun{Meta: s.by, ProjectID: s.projectID, RunID: runID})
	s.no(err)
}

// endless is the engine on a load that it works on for seconds; each start and each end is told.
func endless(started, stopped chan time.Time) func(context.Context, engine.Input) (*engine.Result, error) {
	return func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		in.Limits = engine.DefaultLimits
		in.Limits.Events, in.Limits.Arrivals = 1<<40, 1<<40
		in.Profile.Arrivals = domain.Arrivals{
			Kind: domain.ArrivalsConstant, RatePerSecond: domain.MaxRatePerSecond, DurationSeconds: 3600,
		}
		for i := range in.Profile.ServiceTimes { // nothing waits
			in.Profile.ServiceTimes[i].Time = domain.Time{Kind: domain.TimeFixed}
		}
		started <- time.Now()
		r, err := engine.Run(ctx, in)
		stopped <- time.Now()
		return r, err
	}
}

// The real engine stops within 200 ms, unless the machine is busy each time; the run has one outcome, and the worker takes up
// the next.
func TestCancelStopsTheEngine(t *testing.T) {
	s := newShop(t)
	profile := s.load("arrivals-burst")
	w := s.worker("a")
	started, stopped := make(chan time.Time, 9), make(chan time.Time, 9)
	w.run = endless(started, stopped)
	s.start(w)
	runs, least := uint64(0), time.Hour
	for ; runs < 3 || runs < 10 && least > 200*time.Millisecond; runs++ {
		id := s.request(profile)
		<-started
		time.Sleep(50 * time.Millisecond)
		asked := time.Now()
		s.cancel(id)
		least = min(least, (<-stopped).Sub(asked))
		if got := s.ended(id).Outcome; got != domain.Event(domain.RunCancelled{RunID: id, Reason: domain.CancelAsked}) {
			t.Errorf("outcome %+v", got)
		}
	}
	if least > 200*time.Millisecond {
		t.Errorf("of %d runs none stopped earlier than after %s", runs, least)
	}
	s.acked(w, 3*runs) // of each run RunRequested, RunStarted, RunCancelled
	if info, err := s.consumer(w).Info(t.Context()); err != nil || info.Delivered.Consumer != 3*runs {
		t.Errorf("a cancelled run is delivered again: %d messages, %v", info.Delivered.Consumer, err)
	}
	s.released()
}

// A run that is cancelled before a worker takes it up is not run at all.
func TestACancelledRunIsNotTakenUp(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	s.cancel(id)
	w := s.worker("a")
	w.run = func(context.Context, engine.Input) (*engine.Result, error) {
		t.Error("the engine runs")
		return nil, context.Canceled
	}
	s.start(w)
	s.acked(w, 2)
	if got := s.starts(id); got != nil {
		t.Errorf("started by %v", got)
	}
}

// Who tells a worker to stop a run that has no outcome stops it for a moment only: it is delivered again.
func TestASignalAloneEndsNoRun(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	w := s.worker("a")
	running := make(chan struct{}, 9)
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		running <- struct{}{}
		if len(s.starts(id)) == 1 && len(running) == 1 {
			return untilStopped(ctx, in)
		}
		return engine.Run(ctx, in)
	}
	s.start(w)
	s.until("the run starts", func() bool { return len(running) > 0 })
	s.no(s.store.Signal("cancel."+id, nil))
	if status := s.ended(id).Status; status != domain.StatusCompleted {
		t.Errorf("the run is %s", status)
	}
}

// The run of a profile that was deleted is cancelled: in flight by the deletion, and, where the process died before
// that, by the worker that takes it up.
func TestRunsOfADeletedProfileAreCancelled(t *testing.T) {
	s := newShop(t)
	profile := s.load("arrivals-burst")
	w := s.worker("a")
	started, stopped := make(chan time.Time, 9), make(chan time.Time, 9)
	w.run = endless(started, stopped)
	stop := s.start(w)
	inFlight := s.request(profile)
	<-started
	_, err := s.commands.DeleteProfile(t.Context(), commands.DeleteProfile{Meta: s.by, ProjectID: s.projectID, ProfileID: profile})
	s.no(err)
	<-stopped
	stop()
	queued := s.requestOf(inFlight)
	second := s.worker("b")
	second.run = func(context.Context, engine.Input) (*engine.Result, error) {
		t.Error("the engine runs")
		return nil, context.Canceled
	}
	s.start(second)
	for _, id := range []string{inFlight, queued} {
		if got := s.ended(id).Outcome; got != domain.Event(domain.RunCancelled{RunID: id, Reason: domain.CancelProfileDeleted}) {
			t.Errorf("outcome %+v", got)
		}
	}
}

// Progress is told at most 4 times a second, goes forward and stands in no log.
func TestProgressIsTold(t *testing.T) {
	s := newShop(t)
	profile := s.load("arrivals-burst")
	type told struct {
		at time.Time
		domain.RunProgress
	}
	heard := make(chan told, 100)
	stop, err := s.commands.ListenProgress(s.workspace, s.projectID, func(p domain.RunProgress) { heard <- told{time.Now(), p} })
	s.no(err)
	defer stop()
	w := s.worker("a")
	w.Now = time.Now
	started, stopped := make(chan time.Time, 9), make(chan time.Time, 9)
	w.run = endless(started, stopped)
	s.start(w)
	begun := time.Now()
	id := s.request(profile)
	<-started
	before, err := s.store.Position(t.Context())
	s.no(err)
	var last told
	for n := 1; n <= 4; n++ {
		var p told
		select {
		case p = <-heard:
		case <-time.After(time.Minute):
			t.Fatal("nothing is told")
		}
		if p.at.Before(begun.Add(time.Duration(n) * progressEvery)) {
			t.Errorf("message %d comes after %s", n, p.at.Sub(begun))
		}
		if p.RunID != id || p.Events <= last.Events || p.VirtualSeconds <= last.VirtualSeconds || p.Done <= 0 || p.Done >= 1 ||
			p.RemainingSeconds == nil || *p.RemainingSeconds <= 0 {
			t.Errorf("message %d: %+v after %+v", n, p, last)
		}
		last = p
	}
	if after, err := s.store.Position(t.Context()); err != nil || after.Last != before.Last {
		t.Errorf("the log went from %d to %d, %v", before.Last, after.Last, err)
	}
	s.cancel(id)
	<-stopped
}

func TestProgressEstimatesWhatRemains(t *testing.T) {
	got := progressAt("r", engine.Progress{VirtualNs: 1_500_000_000, Events: 7, Done: 0.25}, 3*time.Second)
	if got.RunID != "r" || got.VirtualSeconds != 1.5 || got.Events != 7 || got.Done != 0.25 || *got.RemainingSeconds != 9 {
		t.Errorf("%+v", got)
	}
	if got := progressAt("r", engine.Progress{}, time.Second); got.RemainingSeconds != nil {
		t.Errorf("nothing is done, and %v s remain", *got.RemainingSeconds)
	}
}
