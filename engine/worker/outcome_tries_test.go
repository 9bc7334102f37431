package worker

import (
	"context"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// All tries to store an outcome are one command: one that was stored without an answer is found again.
func TestTriesOfAnOutcomeAreOneCommand(t *testing.T) {
	s := newShop(t)
	tries := s.attempts(domain.RunRefused{}.EventName(), domain.RunCompleted{}.EventName())
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
	s.until("there was one try only", func() bool { return len(tries) > 1 })
	s.limit(1 << 30)
	s.ended(id)
	first := <-tries
	for len(tries) > 0 {
		if next := <-tries; next == "" || next != first {
			t.Errorf("the command %q after %q", next, first)
		}
	}
}
