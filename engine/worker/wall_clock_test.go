package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// TestWallClock stops a run at 20 s of real time (the page, Limits): one that needs a nanosecond less has a result.
func TestWallClock(t *testing.T) {
	for needs, over := range map[time.Duration]bool{20*time.Second - 1: false, 20*time.Second + 1: true} {
		synctest.Test(t, func(t *testing.T) {
			w := &Worker{wallClock: wallClock, run: func(ctx context.Context, _ engine.Input) (*engine.Result, error) {
				select {
				case <-time.After(needs):
					return &engine.Result{}, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}}
			result, err := w.timed(t.Context(), engine.Input{})
			var refused *domain.RefusedError
			if stopped := errors.As(err, &refused) && refused.Type == domain.StressTooLarge && refused.Issues[0].Limit == "wall-clock"; stopped != over || (result == nil) != over {
				t.Errorf("a run of %v: %+v, %v", needs, result, err)
			}
		})
	}
}
