package worker

import (
	"context"
	"errors"
	"time"

	"github.com/proofload/proofload/domain"
)

// Pauses before a store that did not answer is asked again.
const (
	firstPause = 100 * time.Millisecond
	longPause  = 2 * time.Second
)

// answered asks the store until it answers, or ctx is done. The message of the run is not given back meanwhile: another
// worker could do no better, what was computed would be lost, and a delivery that fails counts against the run.
func answered[V any](ctx context.Context, w *Worker, ask func() (V, error)) (V, error) {
	for wait := firstPause; ; wait = min(2*wait, longPause) {
		v, err := ask()
		if !errors.Is(err, domain.ErrUnavailable) && !errors.Is(err, domain.ErrUnknownOutcome) {
			return v, err
		}
		w.Logger.WarnContext(ctx, "the event store is asked again", "after", wait, "err", err)
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(wait):
		}
	}
}
