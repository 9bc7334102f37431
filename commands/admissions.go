package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proofload/proofload/domain"
)

// admissionBounds are the runs of one workspace, open and started in the last minute. Zero: unbounded.
type admissionBounds struct{ open, recent int }

// workspaceBounds are those of the page. No setting changes them.
var workspaceBounds = admissionBounds{open: domain.MaxOpenRuns, recent: domain.MaxRecentRuns}

// busyRetry is when a workspace with all its runs open is worth to be asked again.
const busyRetry = time.Second

// admitRun counts a run on its workspace and on this process before it is requested. The bounds of the workspace are
// tested first, and a run that the instance has no room for does not count on its workspace. What it took when it fails,
// settleRequest gives back.
func (c *Commands) admitRun(ctx context.Context, m Meta, ws, runID string) error {
	a, err := stateOf(ctx, c, admission(ws))
	if err != nil {
		return err
	}
	if _, err := decideAdmitRun(a, runID, c.now(), workspaceBounds); err != nil {
		return errors.Join(err, c.putRight(ctx, m, ws, runID))
	}
	if err := c.takeRun(ctx, ws, runID); err != nil {
		return err
	}
	return c.admitToWorkspace(ctx, m, ws, runID)
}

// putRight keeps the admissions of a workspace as they are now, if some are dated ahead: the clock was set back, and
// without a new date they would refuse runs until it has come that far again.
func (c *Commands) putRight(ctx context.Context, m Meta, ws, runID string) error {
	_, err := handle(ctx, c, m.caused(), admission(ws), func(a domain.Admissions) ([]domain.Event, error) {
		now := c.now()
		if !a.Ahead(now) {
			return nil, nil
		}
		a = a.At(now) // the run that is refused is not in it
		return []domain.Event{domain.RunReleased{RunID: runID, Open: a.Open, Recent: a.Recent}}, nil
	})
	return err
}

// admitToWorkspace admits a run once for ever: one that is there was admitted before, and may have given its place back.
// It is looked for after the admissions were read, and the guard of the append proves that no other was admitted since. The
// run's id tells a repeated admission, not the command's: an admission that was released or went by age does not count.
func (c *Commands) admitToWorkspace(ctx context.Context, m Meta, ws, runID string) error {
	_, err := handle(ctx, c, m.caused(), admission(ws), func(a domain.Admissions) ([]domain.Event, error) {
		r, err := stateOf(ctx, c, run(ws, runID))
		if err != nil || r.Exists() {
			return nil, err
		}
		return decideAdmitRun(a, runID, c.now(), workspaceBounds)
	})
	return err
}

func decideAdmitRun(a domain.Admissions, runID string, now time.Time, most admissionBounds) ([]domain.Event, error) {
	a = a.At(now)
	switch {
	case a.Has(runID):
		return nil, nil
	case most.open > 0 && len(a.Open) >= most.open:
		return nil, &domain.RateLimitedError{
			Bound:      fmt.Sprintf("the workspace has %d runs in progress, the most there can be at the same time", most.open),
			RetryAfter: busyRetry,
		}
	case most.recent > 0 && len(a.Recent) >= most.recent:
		oldest := time.UnixMilli(a.Recent[len(a.Recent)-most.recent].At)
		return nil, &domain.RateLimitedError{
			Bound:      fmt.Sprintf("the workspace started %d runs within %d s, the most there can be", most.recent, domain.RecentFor/time.Second),
			RetryAfter: oldest.Add(domain.RecentFor).Sub(now),
		}
	}
	started := domain.Admission{RunID: runID, At: now.UnixMilli()}
	return []domain.Event{domain.RunAdmitted{
		RunID: runID, Open: append(a.Open, started), Recent: append(a.Recent, started),
	}}, nil
}

// ReleaseRun gives back the places of a run that has ended. A run that holds none is left as it is.
func (c *Commands) ReleaseRun(ctx context.Context, workspace, runID string, m Meta) error {
	c.running.give(runID)
	_, err := handle(ctx, c, m.identified(), admission(workspace), func(a domain.Admissions) ([]domain.Event, error) {
		return decideReleaseRun(a, runID, c.now()), nil
	})
	return err
}

func decideReleaseRun(a domain.Admissions, runID string, now time.Time) []domain.Event {
	if a = a.At(now); !a.Has(runID) {
		return nil
	}
	a = a.Without(runID)
	return []domain.Event{domain.RunReleased{RunID: runID, Open: a.Open, Recent: a.Recent}}
}
