package eventstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestTroubleIsThatOfTheLastWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		unknown, full := fmt.Errorf("append: %w", ErrUnknownOutcome), fmt.Errorf("append: %w", ErrFull)
		var events, blobs trouble
		last := func() error { return cmp.Or(events.error(1), blobs.error(1)) }
		events.note(gone, unknown, 1)
		events.note(t.Context(), ErrRaced, 1)
		events.note(t.Context(), ErrTooLarge, 1)
		if err := last(); err != nil {
			t.Errorf("%v says nothing about the stream", err)
		}
		events.note(t.Context(), unknown, 1)
		events.note(t.Context(), ErrRaced, 1)
		if err := last(); !errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("%v, want an unknown outcome", err)
		}
		events.note(t.Context(), nil, 1)
		blobs.note(t.Context(), full, 1)
		events.note(t.Context(), nil, 1)
		if err := last(); !errors.Is(err, ErrFull) {
			t.Errorf("%v, want full: a commit needs no room for documents", err)
		}
		time.Sleep(troubleLasts / 2)
		blobs.note(t.Context(), unknown, 1) // a new one counts anew
		time.Sleep(troubleLasts/2 + time.Second)
		if err := last(); !errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("%v, want an unknown outcome", err)
		}
		if err := blobs.error(2); err != nil {
			t.Errorf("%v, on a connection that was lost since", err)
		}
		time.Sleep(troubleLasts)
		if err := last(); err != nil {
			t.Errorf("%v, a while ago", err)
		}
	})
}
