package eventstore

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Bounds of one request to the server.
const (
	answerWait  = 3 * time.Second // for its answer, whatever time the caller has: a request that got lost is never answered
	connectWait = time.Second     // for a connection that was just lost and may come back at once
	connectLook = 10 * time.Millisecond
)

// ask gives the context of one request, which also ends when the connection is lost. Without a connection it is an ErrUnreachable, soon, and at once where others
// have waited for the connection already: nothing was sent.
func (s *Store) ask(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := s.connected(ctx); err != nil {
		return nil, nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, cmp.Or(s.answers, answerWait))
	stop := s.link.onLoss(cancel)
	return bounded, func() { stop(); cancel() }, nil
}

// link is the connection as it stands. Whoever waits for an answer when it is lost waits in vain.
type link struct {
	mu  sync.Mutex
	up  context.Context // ends with the connection; nil: nobody watches it
	cut context.CancelFunc
}

// watch follows the connection until its owner closes it.
func (l *link) watch(conn *nats.Conn) {
	changes := conn.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	l.renew()
	go func() {
		for status := range changes {
			l.renew()
			if status == nats.CLOSED {
				conn.RemoveStatusListener(changes)
			}
		}
	}()
}

func (l *link) renew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut != nil {
		l.cut()
	}
	l.up, l.cut = context.WithCancel(context.Background())
}

// onLoss calls f when the connection is lost, unless it is stopped before.
func (l *link) onLoss(f func()) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(l.up, f)
}

func (s *Store) connected(ctx context.Context) error {
	conn := s.js.Conn()
	if conn.IsConnected() {
		s.gone.Store(false)
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, connectWait)
	defer cancel()
	for !s.gone.Load() && !conn.IsClosed() && waiting.Err() == nil {
		pause(waiting, connectLook)
		if conn.IsConnected() {
			return nil
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	s.gone.Store(true)
	return fmt.Errorf("%w: %w", ErrUnreachable, nats.ErrDisconnected)
}
