package worker

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/eventstore"
)

// limit makes the stream of events take no more than the given bytes.
func (s *shop) limit(bytes int64) {
	s.t.Helper()
	stream, err := s.store.JetStream().Stream(s.t.Context(), eventstore.StreamEvents)
	s.no(err)
	config := stream.CachedInfo().Config
	config.MaxBytes = bytes
	_, err = s.store.JetStream().UpdateStream(s.t.Context(), config)
	s.no(err)
}

// While the log takes nothing a worker keeps what it has computed, however long that lasts: it is not computed again, and
// no delivery counts against the run.
func TestAnOutcomeWaitsUntilTheLogTakesIt(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	w := s.impatient("patient")
	var computed atomic.Int32
	computing, full := make(chan bool), make(chan bool)
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		computed.Add(1)
		computing <- true
		<-full
		return engine.Run(ctx, in)
	}
	s.start(w)
	id := s.request(s.load("arrivals-none"))
	<-computing
	s.limit(1)
	close(full)
	time.Sleep(5 * w.ackWait / 2) // in which a silent message would come again twice
	s.limit(1 << 30)
	outcome := s.ended(id).Outcome
	if completed, ok := outcome.(domain.RunCompleted); !ok || completed.ResultHash != s.hash("arrivals-none") || computed.Load() != 1 {
		t.Errorf("%+v, computed %d times", outcome, computed.Load())
	}
	s.released()
}

// One that cannot even be started is not given back either.
func TestARunWaitsUntilTheLogTakesItsStart(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.request(s.load("arrivals-none"))
	s.limit(1)
	w := s.impatient("patient")
	s.start(w)
	time.Sleep(5 * w.ackWait / 2)
	s.limit(1 << 30)
	if run := s.ended(id); run.Status != domain.StatusCompleted || len(s.starts(id)) != 1 {
		t.Errorf("%s after the starts %v", run.Status, s.starts(id))
	}
	s.released()
}

// A stop does not wait for the log: the run is handed back, to be started by another worker.
func TestAStopWhileTheLogTakesNothing(t *testing.T) {
	s := newShop(t)
	id := s.request(s.load("arrivals-none"))
	s.limit(1)
	tries := s.attempts(domain.RunStarted{}.EventName())
	stop := s.start(s.worker("stopped"))
	<-tries
	stop()
	s.limit(1 << 30)
	s.start(s.worker("next"))
	if run := s.ended(id); run.Status != domain.StatusCompleted || !slices.Equal(s.starts(id), []string{"next"}) {
		t.Errorf("the run is %s, started by %v", run.Status, s.starts(id))
	}
}

// Somebody deletes the consumer that all workers share, while one computes and others wait. It is made anew, old messages come
// again and change nothing, and new runs are taken up.
func TestTheConsumerIsDeleted(t *testing.T) {
	s := newShop(t)
	w := s.worker("first")
	computing, goOn := make(chan bool, 10), make(chan bool)
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		computing <- true
		<-goOn
		return engine.Run(ctx, in)
	}
	s.start(w)
	profile := s.load("arrivals-none")
	done := s.request(profile)
	<-computing
	s.no(s.store.JetStream().DeleteConsumer(t.Context(), eventstore.StreamEvents, consumerName))
	close(goOn)
	next := s.request(profile)
	for _, id := range []string{done, next} {
		if run := s.ended(id); run.Status != domain.StatusCompleted {
			t.Errorf("run %s is %s", id, run.Status)
		}
	}
	s.released()
	if n := len(s.outcomes(done)); n != 1 {
		t.Errorf("%d outcomes", n)
	}
}
