package commands

import (
	"context"
	"time"

	"github.com/proofload/proofload/domain"
)

// admissionBounds are the runs of one workspace, open and started in the last minute. Zero: unbounded.
type admissionBounds struct{ open, recent int }

// workspaceBounds are not enforced yet: every run is admitted, and counted.
var workspaceBounds = admissionBounds{}

// busyRetry is when a workspace with all its runs open is worth to be asked again.
const busyRetry = time.Second

// admitRun counts a run on its workspace before it is requested.
func (c *Commands) admitRun(ctx context.Context, m Meta, ws, runID string) error {
	_, err := handle(ctx, c, m, admission(ws), func(a domain.Admissions) ([]domain.Event, error) {
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
		return nil, &domain.RateLimitedError{Bound: "the workspace has all its runs in progress", RetryAfter: busyRetry}
	case most.recent > 0 && len(a.Recent) >= most.recent:
		oldest := time.UnixMilli(a.Recent[len(a.Recent)-most.recent].At)
		return nil, &domain.RateLimitedError{
			Bound: "the workspace started all its runs of one minute", RetryAfter: oldest.Add(domain.RecentFor).Sub(now),
		}
	}
	started := domain.Admission{RunID: runID, At: now.UnixMilli()}
	return []domain.Event{domain.RunAdmitted{
		RunID: runID, Open: append(a.Open, started), Recent: append(a.Recent, started),
	}}, nil
}

// ReleaseRun gives back the place of a run that has ended. A run that holds none is left as it is.
func (c *Commands) ReleaseRun(ctx context.Context, workspace, runID string, m Meta) error {
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
