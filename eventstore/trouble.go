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
type trouble struct{ last atomic.Pointer[error] }

// note keeps the outcome of a write, unless it says nothing about the stream: a race, or a caller that gave up.
func (t *trouble) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		t.last.Store(nil)
	case ctx.Err() == nil && (errors.Is(err, ErrUnknownOutcome) || errors.Is(err, ErrFull)):
		t.last.Store(&err)
		time.AfterFunc(troubleLasts, func() { t.last.CompareAndSwap(&err, nil) })
	}
}

func (t *trouble) error() error {
	if err := t.last.Load(); err != nil {
		return *err
	}
	return nil
}

// Trouble is the error of the last write, as ErrUnknownOutcome or ErrFull; nil when it went well, or was a while ago.
func (s *Store) Trouble() error { return cmp.Or(s.eventTrouble.error(), s.blobTrouble.error()) }
