package worker

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/eventstore"
)

// All tries to store an outcome are one command: one that was stored without an answer is found again.
func TestTriesOfAnOutcomeAreOneCommand(t *testing.T) {
	s := newShop(t)
	tries := make(chan string, 100)
	conn := s.store.JetStream().Conn()
	sub, err := conn.Subscribe("evt.*."+domain.AggregateRun+".>", func(m *nats.Msg) {
		if bytes.Contains(m.Data, []byte(domain.RunRefused{}.EventName())) || bytes.Contains(m.Data, []byte(domain.RunCompleted{}.EventName())) {
			tries <- m.Header.Get(eventstore.HeaderCommandID)
		}
	})
	s.no(err)
	defer func() { s.no(sub.Unsubscribe()) }()
	s.no(conn.Flush())
	w := s.worker("patient")
	computing, full := make(chan bool), make(chan bool)
	w.run = func(ctx context.Context, in engine.Input) (*engine.Result, error) {
		computing <- true
		<-full
		return engine.Run(ctx, in)
	}
	s.start(w)
	id := s.request(s.load("arrivals-none"))
	<-computing
	s.limit(1)
	close(full)
	time.Sleep(time.Second)
	s.limit(1 << 30)
	s.ended(id)
	first := <-tries
	if len(tries) == 0 {
		t.Fatal("there was one try only")
	}
	for len(tries) > 0 {
		if next := <-tries; next == "" || next != first {
			t.Errorf("the command %q after %q", next, first)
		}
	}
}
