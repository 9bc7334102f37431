package eventstore

import (
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
		var s Store
		s.eventTrouble.note(gone, unknown)
		s.eventTrouble.note(t.Context(), ErrRaced)
		s.eventTrouble.note(t.Context(), ErrTooLarge)
		if err := s.Trouble(); err != nil {
			t.Errorf("%v says nothing about the stream", err)
		}
		s.eventTrouble.note(t.Context(), unknown)
		s.eventTrouble.note(t.Context(), ErrRaced)
		if err := s.Trouble(); !errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("%v, want an unknown outcome", err)
		}
		s.eventTrouble.note(t.Context(), nil)
		s.blobTrouble.note(t.Context(), full)
		s.eventTrouble.note(t.Context(), nil)
		if err := s.Trouble(); !errors.Is(err, ErrFull) {
			t.Errorf("%v, want full: a commit needs no room for documents", err)
		}
		time.Sleep(troubleLasts / 2)
		s.blobTrouble.note(t.Context(), unknown) // a new one counts anew
		time.Sleep(troubleLasts/2 + time.Second)
		if err := s.Trouble(); !errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("%v, want an unknown outcome", err)
		}
		time.Sleep(troubleLasts)
		if err := s.Trouble(); err != nil {
			t.Errorf("%v, a while ago", err)
		}
	})
}
