package eventstore

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// troubleLasts is how long a write that failed counts. A proxy that asks whether the server is ready sends no writes
// meanwhile, which could show that it is well again.
const troubleLasts = time.Minute

// trouble is why a stream took nothing when it was last written to.
type trouble struct{ last atomic.Pointer[failure] }

// failure is a write that failed, on a connection that had come back so often before.
type failure struct {
	err        error
	reconnects uint64
}

// note keeps the outcome of a write, unless it says nothing about the stream: a race, or a caller that gave up.
func (t *trouble) note(ctx context.Context, err error, reconnects uint64) {
	switch {
	case err == nil:
		t.last.Store(nil)
	case errors.Is(err, errReserved): // asked for anew each time
	case ctx.Err() == nil && (errors.Is(err, ErrUnknownOutcome) || errors.Is(err, ErrFull)):
		f := &failure{err, reconnects}
		t.last.Store(f)
		time.AfterFunc(troubleLasts, func() { t.last.CompareAndSwap(f, nil) })
	}
}

// error is that of the last write. One that failed on a connection that was lost since says nothing about the server that
// came back.
func (t *trouble) error(reconnects uint64) error {
	if f := t.last.Load(); f != nil && f.reconnects == reconnects {
		return f.err
	}
	return nil
}

// Trouble is the error of the last write, as ErrUnknownOutcome or ErrFull; nil when it went well, or was a while ago.
func (s *Store) Trouble() error {
	if err := s.hasRoom(); err != nil {
		return err
	}
	now := s.Reconnects()
	return cmp.Or(s.eventTrouble.error(now), s.blobTrouble.error(now))
}
