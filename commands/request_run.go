package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// RequestRun asks for a run of the newest version of a profile on a branch of the model.
type RequestRun struct {
	Meta
	ProjectID string
	ProfileID string
	BranchID  string // empty: main
}

// RequestRun admits a run on its workspace and pins all that it will read. The answer's id is the run's. The id
// comes from the command's, so that the command sent again finds the run that it made, unless it was deleted.
func (c *Commands) RequestRun(ctx context.Context, cmd RequestRun) (Answer, error) {
	cmd.Meta = cmd.identified()
	cmd.BranchID = branchOf(cmd.ProjectID, cmd.BranchID)
	id := newID(cmd.CommandID, domain.AggregateRun)
	ws, err := c.WorkspaceOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	was, err := load(ctx, c, run(ws, id), cmd.CommandID)
	if err != nil {
		return Answer{}, err
	}
	before, found, err := was.repeated(cmd.Meta)
	if err != nil {
		return Answer{}, err
	}
	if found {
		return c.requestedBefore(ctx, ws, id, was.state, before.position)
	}
	pins, err := c.pins(ctx, ws, id, cmd)
	if err != nil {
		return Answer{}, err
	}
	if err := c.admitRun(ctx, cmd.Meta, ws, id); err != nil {
		return Answer{}, err
	}
	d, err := handle(ctx, c, cmd.Meta, run(ws, id), func(r domain.Run) ([]domain.Event, error) {
		return decideRequestRun(r, pins)
	})
	if err != nil {
		c.running.give(id)
		return Answer{}, err
	}
	return Answer{ID: id, Position: d.position, Status: d.state.Status}, nil
}

// requestedBefore answers with a run as it stands. One that was deleted, by itself or with its profile, is not found.
func (c *Commands) requestedBefore(ctx context.Context, ws, id string, r domain.Run, position uint64) (Answer, error) {
	p, err := stateOf(ctx, c, profile(ws, r.Pins.ProfileID))
	if err != nil {
		return Answer{}, err
	}
	if r.Deleted || p.Deleted {
		return Answer{}, fmt.Errorf("run %s was deleted, and its Idempotency-Key makes no other: %w", id, domain.ErrNotFound)
	}
	return Answer{ID: id, Position: position, Status: r.Status}, nil
}

func decideRequestRun(r domain.Run, pins domain.RunRequested) ([]domain.Event, error) {
	if r.Exists() {
		return nil, domain.Conflict("run %s exists", pins.RunID)
	}
	return []domain.Event{pins}, nil
}
