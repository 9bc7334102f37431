package worker

import (
	"context"
	"errors"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// wallClock is the limit of real time of one run (the page, Limits). It never changes a result.
const wallClock = 20 * time.Second

// While a run is computed the clock is looked at each clockLook. Of the time between two looks clockGap counts at most: in what
// is beyond it the process did not run, because it was stopped, or the machine slept.
const (
	clockLook = 250 * time.Millisecond
	clockGap  = time.Second
)

// limitWallClock names the limit of real time in a refusal.
const limitWallClock = "wall-clock"

// errWallClock is why the context of a run ends that took too long.
var errWallClock = errors.New("the limit of real time is reached")

// Run is engine.Run within the limit of real time, over which the run is too large. The worker and the command line
// have this one rule.
func Run(ctx context.Context, in engine.Input) (*engine.Result, error) {
	return timed(ctx, in, engine.Run, wallClock, time.Now) //nolint:forbidigo // how long it took, not when
}

// timed computes a run for at most the limit of time in which this process ran.
func timed(
	ctx context.Context, in engine.Input, run func(context.Context, engine.Input) (*engine.Result, error), limit time.Duration, now func() time.Time,
) (*engine.Result, error) {
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if spend(limited, limit, now) {
			stop(errWallClock)
		}
	}()
	result, err := run(limited, in)
	if err != nil && errors.Is(err, limited.Err()) && errors.Is(context.Cause(limited), errWallClock) {
		return nil, domain.TooLarge(limitWallClock, limit.Seconds(), " s")
	}
	return result, err
}

// spend returns true when the limit is reached, false when ctx ends before.
func spend(ctx context.Context, limit time.Duration, now func() time.Time) bool {
	for last := now(); limit > 0; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(clockLook, limit)):
		}
		at := now()
		limit -= min(at.Sub(last), clockGap)
		last = at
	}
	return true
}
