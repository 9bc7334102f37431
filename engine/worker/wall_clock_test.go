package worker

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// busyFor is a run that needs so much real time.
func busyFor(needs time.Duration) func(context.Context, engine.Input) (*engine.Result, error) {
	return func(ctx context.Context, _ engine.Input) (*engine.Result, error) {
		select {
		case <-time.After(needs):
			return &engine.Result{}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// checkLimit makes sure that a run was stopped by the limit of real time, or has a result.
func checkLimit(t *testing.T, what string, result *engine.Result, err error, over bool) {
	t.Helper()
	var refused *domain.RefusedError
	if stopped := errors.As(err, &refused) && refused.Type == domain.StressTooLarge && refused.Issues[0].Limit == "wall-clock"; stopped != over || (result == nil) != over {
		t.Errorf("%s: %+v, %v", what, result, err)
	}
}

// TestWallClock stops a run at 20 s of real time (the page, Limits): one that needs a nanosecond less has a result.
func TestWallClock(t *testing.T) {
	for needs, over := range map[time.Duration]bool{20*time.Second - 1: false, 20*time.Second + 1: true} {
		synctest.Test(t, func(t *testing.T) {
			result, err := timed(t.Context(), engine.Input{}, busyFor(needs), wallClock, time.Now)
			checkLimit(t, needs.String(), result, err, over)
		})
	}
}

// Time in which the process did not run, stopped or asleep with its machine, counts a second at most.
func TestAPauseIsNoWork(t *testing.T) {
	for _, tt := range []struct {
		needs, pause time.Duration
		over         bool
	}{
		{19*time.Second - clockLook, time.Hour, false}, // with the pause, which counts 1 s: up to one look before 20 s
		{19*time.Second + 2*clockLook, time.Hour, true},
		{19 * time.Second, clockGap / 2, false}, // counts as it is
		{20*time.Second - clockGap/2 + 1, clockGap / 2, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			now := func() time.Time { // after 5 s the clock has gone on and nothing else has
				at := time.Now()
				if at.Sub(began) > 5*time.Second {
					at = at.Add(tt.pause)
				}
				return at
			}
			result, err := timed(t.Context(), engine.Input{}, busyFor(tt.needs), wallClock, now)
			checkLimit(t, fmt.Sprintf("%v of work and a pause of %v", tt.needs, tt.pause), result, err, tt.over)
		})
	}
}

// What ends a run for another reason is not taken for the limit.
func TestACancelledRunIsNotTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errCancelled) })
		if _, err := timed(ctx, engine.Input{}, busyFor(time.Minute), wallClock, time.Now); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}
