package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// StartRun says that a worker took a run up; once for each worker in a row. A run that has its outcome is
// ErrRunEnded.
func (c *Commands) StartRun(ctx context.Context, workspace, runID, worker string, m Meta) (domain.Run, error) {
	d, err := handle(ctx, c, m.identified(), run(workspace, runID), func(r domain.Run) ([]domain.Event, error) {
		return decideStartRun(r, runID, worker)
	})
	return d.state, err
}

func decideStartRun(r domain.Run, runID, worker string) ([]domain.Event, error) {
	switch {
	case !r.Exists():
		return nil, fmt.Errorf("run %s: %w", runID, domain.ErrNotFound)
	case r.Ended():
		return nil, fmt.Errorf("run %s: %w", runID, domain.ErrRunEnded)
	case r.Status == domain.StatusRunning && r.Worker == worker:
		return nil, nil
	}
	return []domain.Event{domain.RunStarted{RunID: runID, Worker: worker}}, nil
}

// EndRun gives a run its outcome and then its places back, to the workspace and to the instance. A run has exactly one
// outcome: a late one is ErrRunEnded.
func (c *Commands) EndRun(ctx context.Context, workspace, runID string, outcome domain.Event, m Meta) error {
	m = m.identified()
	_, err := handle(ctx, c, m, run(workspace, runID), func(r domain.Run) ([]domain.Event, error) {
		return decideEndRun(r, runID, outcome)
	})
	if err != nil && !errors.Is(err, domain.ErrRunEnded) {
		return err
	}
	if _, cancelled := outcome.(domain.RunCancelled); cancelled && err == nil {
		return c.stopped(ctx, workspace, runID, m)
	}
	return errors.Join(err, c.ReleaseRun(ctx, workspace, runID, m))
}

func decideEndRun(r domain.Run, runID string, outcome domain.Event) ([]domain.Event, error) {
	switch {
	case !r.Exists():
		return nil, fmt.Errorf("run %s: %w", runID, domain.ErrNotFound)
	case r.Ended():
		return nil, fmt.Errorf("run %s: %w", runID, domain.ErrRunEnded)
	case !domain.IsOutcome(outcome):
		return nil, fmt.Errorf("run %s: %s is no outcome", runID, outcome.EventName())
	}
	return []domain.Event{outcome}, nil
}

// LoadRun reads a run; ErrNotFound when there is none.
func (c *Commands) LoadRun(ctx context.Context, workspace, runID string) (domain.Run, error) {
	r, err := stateOf(ctx, c, run(workspace, runID))
	if err == nil && !r.Exists() {
		err = fmt.Errorf("run %s: %w", runID, domain.ErrNotFound)
	}
	return r, err
}
