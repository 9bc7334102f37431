package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// The whole path on documents that are stored: the hash is the one that a second implementation gave.
func TestRunsGiveTheExpectedResults(t *testing.T) {
	for _, name := range []string{"arrivals-burst", "timeout-retries-backoff-0", "steps-all-nested"} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			id := s.request(s.load(name))
			s.start(s.worker("a"))
			run := s.ended(id)
			completed, ok := run.Outcome.(domain.RunCompleted)
			if !ok || completed.ResultHash != s.hash(name) {
				t.Fatalf("outcome %+v, want the hash %s", run.Outcome, s.hash(name))
			}
			document, err := s.store.Blob(t.Context(), completed.Blob)
			s.no(err)
			want, err := domain.Canonical(s.file("expected", name))
			s.no(err)
			if diff := cmp.Diff(string(want), string(document)); diff != "" {
				t.Errorf("stored result (-want +got):\n%s", diff)
			}
			s.released()
		})
	}
}

func TestKeyFigures(t *testing.T) {
	p50, bottleneck := 1.5, "b"
	r := &engine.Result{
		Flow:       engine.FlowResult{Started: 3, Completed: 2, Failed: 1, ThroughputPerSecond: 0.5, Latency: engine.Summary{P50Ms: &p50}},
		Bottleneck: engine.Bottleneck{ResourceID: &bottleneck},
		Confidence: engine.Confidence{Level: "low"},
		Elements:   []engine.ElementResult{{ID: "a"}, {ID: "b", ResourceResult: engine.ResourceResult{Saturated: true}}},
		Subscriptions: []engine.SubscriptionResult{
			{ID: "a1", ResourceResult: engine.ResourceResult{Saturated: true}}, {ID: "c"},
		},
	}
	want := domain.KeyFigures{
		Started: 3, Completed: 2, Failed: 1, P50Ms: &p50, ThroughputPerSecond: 0.5,
		Bottleneck: "b", Saturated: []string{"a1", "b"}, Confidence: "low",
	}
	if diff := cmp.Diff(want, keyFigures(r)); diff != "" {
		t.Errorf("key figures (-want +got):\n%s", diff)
	}
	if got := keyFigures(&engine.Result{}); got.Bottleneck != "" || got.Saturated == nil {
		t.Errorf("key figures without a bottleneck: %+v", got)
	}
}

func TestRefusalsAreOutcomes(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("refuse-missing-everything"))
	s.start(s.worker("a"))
	refused, ok := s.ended(id).Outcome.(domain.RunRefused)
	if !ok || refused.Type != domain.StressRefused || len(refused.Issues) == 0 {
		t.Errorf("outcome %+v", refused)
	}
	s.released()
}

func TestARunOverTheLimitOfRealTimeIsTooLarge(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	w := s.worker("a")
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		return timed(ctx, in, untilStopped, 20*time.Millisecond, time.Now)
	}
	s.start(w)
	refused, ok := s.ended(id).Outcome.(domain.RunRefused)
	if !ok || refused.Type != domain.StressTooLarge || len(refused.Issues) != 1 || refused.Issues[0].Limit != "wall-clock" {
		t.Errorf("outcome %+v", refused)
	}
}

// Each of these ends its run as failed, and the worker goes on with the next.
func TestFailuresAreOutcomes(t *testing.T) {
	s := newShop(t)
	good := s.load("arrivals-burst")
	broken := s.profile([]byte(`{"name":`), s.scenarioOf(good))
	w := s.worker("a")
	next := make(chan func(), 1)
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		select {
		case fail := <-next:
			fail()
			return nil, errors.New("the laws do not hold")
		default:
			return engine.Run(ctx, in)
		}
	}
	s.start(w)
	for _, tt := range []struct {
		profile string
		fail    func()
		code    string
	}{
		{good, func() { panic("boom") }, CodePanic},
		{good, func() {}, CodeEngine},
		{broken, nil, CodeBrokenInput},
	} {
		if tt.fail != nil {
			next <- tt.fail
		}
		failed, ok := s.ended(s.request(tt.profile)).Outcome.(domain.RunFailed)
		if !ok || failed.Code != tt.code || failed.Detail == "" {
			t.Errorf("%s: outcome %+v", tt.code, failed)
		}
	}
	if status := s.ended(s.request(good)).Status; status != domain.StatusCompleted {
		t.Errorf("the run after them is %s", status)
	}
	s.released()
}

// scenarioOf is the scenario that a run of the profile is pinned to.
func (s *shop) scenarioOf(profileID string) string {
	s.t.Helper()
	saved, ok := s.events(domain.AggregateProfile, profileID)[0].(domain.ProfileSaved)
	if !ok {
		s.t.Fatal("a profile does not start with ProfileSaved")
	}
	return saved.ScenarioID
}

// A message as it comes the fifth time: the engine is left alone.
func TestTheFifthDeliveryFailsTheRun(t *testing.T) {
	for times := 4; times <= 6; times++ {
		s := newShop(t)
		id := s.request(s.load("arrivals-burst"))
		w := s.worker("a")
		var ran bool
		w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
			ran = true
			return engine.Run(ctx, in)
		}
		msg := message.NewMessageWithContext(t.Context(), "1", nil)
		msg.Metadata = message.Metadata{
			metaWorkspace: s.workspace, metaRun: id, metaEvents: "RunRequested", metaMember: s.by.Member,
			metaEngine: "3", metaDelivered: fmt.Sprint(times),
		}
		s.no(w.handle(msg))
		failed, ok := s.ended(id).Outcome.(domain.RunFailed)
		if want := times >= 5; ok != want || ran == want || ok && failed.Code != CodeDeliveries {
			t.Errorf("delivery %d: ran %t, outcome %+v", times, ran, failed)
		}
	}
}

// A stop ends the engine where it is and hands the run back at once; the next worker gives the same result.
func TestAStoppedRunIsTakenUpByAnotherWorker(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	first := s.worker("first")
	running := make(chan struct{}, 1)
	first.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		running <- struct{}{}
		return untilStopped(ctx, in)
	}
	stop := s.start(first)
	<-running
	stop()
	s.start(s.worker("second")) // ackWait is an hour: only the handing back can bring the message
	run := s.ended(id)
	if completed, ok := run.Outcome.(domain.RunCompleted); !ok || completed.ResultHash != s.hash("arrivals-burst") {
		t.Errorf("outcome %+v", run.Outcome)
	}
	if got := s.starts(id); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("started by %v", got)
	}
}

// A worker that is killed says nothing any more: its message comes to another after the wait.
func TestTheRunOfADeadWorkerIsTakenUp(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	w := s.impatient("second")
	if _, err := s.consumer(w).Next(); err != nil {
		t.Fatal(err)
	}
	_, err := s.commands.StartRun(t.Context(), s.workspace, id, "first", s.by)
	s.no(err)
	s.start(w)
	if status := s.ended(id).Status; status != domain.StatusCompleted {
		t.Errorf("the run is %s", status)
	}
	if got := s.starts(id); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("started by %v", got)
	}
}

// A run that takes several times the wait is not given to the other slot or the other worker.
func TestALongRunIsDeliveredOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	var runs atomic.Int32
	for _, name := range []string{"a", "b"} {
		w := s.impatient(name)
		w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
			runs.Add(1)
			time.Sleep(5 * w.ackWait / 2)
			return engine.Run(ctx, in)
		}
		s.start(w)
	}
	s.ended(id)
	if n := runs.Load(); n != 1 {
		t.Errorf("the engine ran %d times", n)
	}
}

// The outcome of another worker comes first: this one's is dropped, the message is done with.
func TestALateOutcomeIsDropped(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-burst"))
	w := s.worker("late")
	first := domain.RunFailed{RunID: id, Code: "first", Detail: "by another"}
	var runs atomic.Int32
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		runs.Add(1)
		if err := s.commands.EndRun(ctx, s.workspace, id, first, s.by); err != nil {
			t.Error(err)
		}
		return engine.Run(ctx, in)
	}
	stop := s.start(w)
	if got := s.ended(id).Outcome; got != domain.Event(first) {
		t.Errorf("outcome %+v", got)
	}
	s.acked(w, 3) // RunRequested, RunStarted, RunFailed
	stop()
	if n := runs.Load(); n != 1 {
		t.Errorf("the engine ran %d times", n)
	}
}

// acked waits until the consumer has n acknowledged messages and none that waits for one.
func (s *shop) acked(w *Worker, n uint64) {
	s.t.Helper()
	consumer := s.consumer(w)
	s.until("every message is acknowledged", func() bool {
		info := s.info(consumer)
		return info.Delivered.Consumer >= n && info.NumAckPending == 0 && info.NumPending == 0
	})
}

// consumer is the one that the workers share.
func (s *shop) consumer(w *Worker) jetstream.Consumer {
	s.t.Helper()
	consumer, err := w.consumer(s.t.Context(), runs)
	s.no(err)
	return consumer
}

// info is how the consumer stands.
func (s *shop) info(consumer jetstream.Consumer) *jetstream.ConsumerInfo {
	s.t.Helper()
	info, err := consumer.Info(s.t.Context())
	s.no(err)
	return info
}

// Two workers come and go while 20 workspaces have two runs each done: each has one outcome and the same hash.
func TestWorkersComeAndGo(t *testing.T) {
	const name = "arrivals-millisecond-run"
	s := newShop(t)
	_, err := s.commands.ChangeInstancePolicy(t.Context(), commands.ChangeInstancePolicy{Meta: s.by, MaxConcurrentStressRuns: 40})
	s.no(err)
	shops := map[string]*shop{} // by run
	for range 20 {
		other := s.another()
		profile := other.load(name)
		shops[other.request(profile)], shops[other.request(profile)] = other, other
	}
	for range 3 {
		stop := s.start(s.impatient("guest"))
		time.Sleep(20 * time.Millisecond)
		stop()
	}
	s.start(s.impatient("a"))
	s.start(s.impatient("b"))
	for id, other := range shops {
		if completed, ok := other.ended(id).Outcome.(domain.RunCompleted); !ok || completed.ResultHash != s.hash(name) {
			t.Errorf("run %s: %+v", id, completed)
		}
		other.released()
	}
}

func TestNewRefusesAnIncompleteConfig(t *testing.T) {
	if w, err := New(Config{}); err == nil {
		t.Errorf("made %v", w)
	}
}
