package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// CancelRun stops a run.
type CancelRun struct {
	Meta
	ProjectID string
	RunID     string
}

// CancelRun gives a run its outcome, RunCancelled, and stops the engine. A run that has ended is ErrRunEnded.
func (c *Commands) CancelRun(ctx context.Context, cmd CancelRun) (Answer, error) {
	return c.stopRun(ctx, cmd, decideCancelRun)
}

// stopRun decides on a run of a project, and stops the engine where the run has its outcome by it.
func (c *Commands) stopRun(ctx context.Context, cmd CancelRun, decide func(domain.Run, CancelRun) ([]domain.Event, error)) (Answer, error) {
	cmd.Meta = cmd.identified()
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if !validID(cmd.RunID) {
		return Answer{}, fmt.Errorf("run %s: %w", cmd.RunID, domain.ErrNotFound)
	}
	gone, err := c.goneWithProfile(ctx, at.workspace, cmd.RunID)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := finishing(ctx)
	defer cancel()
	d, err := handle(ctx, c, cmd.Meta, run(at.workspace, cmd.RunID), writable(at, func(r domain.Run) ([]domain.Event, error) {
		if gone {
			return nil, fmt.Errorf("run %s: %w", cmd.RunID, domain.ErrNotFound)
		}
		return decide(r, cmd)
	}))
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{ID: cmd.RunID, Position: d.position}
	if d.state.Status != domain.StatusCancelled {
		return answer, nil
	}
	return answer, c.stopped(ctx, at.workspace, cmd.RunID, cmd.Meta)
}

// goneWithProfile says whether the profile of a run was deleted, and the run with it: then no view shows it.
func (c *Commands) goneWithProfile(ctx context.Context, workspace, runID string) (bool, error) {
	r, err := stateOf(ctx, c, run(workspace, runID))
	if err != nil || !r.Exists() {
		return false, err
	}
	return c.ProfileDeleted(ctx, r.Pins)
}

// stopped stops the engine of a run that was cancelled and gives its places back. The run has its outcome, whatever
// happens now: a worker that is not told works in vain, and gives the places back when it finds out.
func (c *Commands) stopped(ctx context.Context, workspace, runID string, m Meta) error {
	_ = c.tellCancelled(runID)
	err := c.ReleaseRun(ctx, workspace, runID, m)
	if errors.Is(err, domain.ErrUnavailable) || errors.Is(err, domain.ErrUnknownOutcome) {
		return nil
	}
	return err
}

func decideCancelRun(r domain.Run, cmd CancelRun) ([]domain.Event, error) {
	switch {
	case !r.In(cmd.ProjectID):
		return nil, fmt.Errorf("run %s: %w", cmd.RunID, domain.ErrNotFound)
	case r.Ended():
		return nil, fmt.Errorf("run %s: %w", cmd.RunID, domain.ErrRunEnded)
	}
	return []domain.Event{domain.RunCancelled{RunID: cmd.RunID, Reason: domain.CancelAsked}}, nil
}
