package commands

import (
	"context"
	"errors"
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
	if before, found, err := c.requestedBefore(ctx, cmd.Meta, ws, id); found || err != nil {
		return before, err
	}
	pins, err := c.pins(ctx, ws, id, cmd)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := finishing(ctx) // or a client that goes away leaves a place behind that nobody gives back
	defer cancel()
	if err := c.admitRun(ctx, cmd.Meta, ws, id); err != nil {
		return c.settleRequest(ctx, cmd.Meta, ws, id, err, true)
	}
	d, err := handle(ctx, c, cmd.Meta, run(ws, id), func(r domain.Run) ([]domain.Event, error) {
		return decideRequestRun(r, pins)
	})
	if err != nil || d.again {
		// Where it is unknown whether the run is there, its place goes by age.
		return c.settleRequest(ctx, cmd.Meta, ws, id, err, !errors.Is(err, domain.ErrUnknownOutcome))
	}
	return Answer{ID: id, Position: d.position, Status: d.state.Status}, nil
}

// requestedBefore looks for the run that the command requested before and answers with it as it stands. One that was
// deleted, by itself or with its profile, is not found.
func (c *Commands) requestedBefore(ctx context.Context, m Meta, ws, id string) (Answer, bool, error) {
	was, err := load(ctx, c, run(ws, id), m.CommandID)
	if err != nil {
		return Answer{}, false, err
	}
	before, found, err := was.repeated(m)
	if err != nil || !found {
		return Answer{}, false, err
	}
	p, err := stateOf(ctx, c, profile(ws, was.state.Pins.ProfileID))
	if err != nil {
		return Answer{}, false, err
	}
	if was.state.Deleted || p.Deleted {
		return Answer{}, false, fmt.Errorf("run %s was deleted, and its Idempotency-Key makes no other: %w", id, domain.ErrNotFound)
	}
	return Answer{ID: id, Position: before.position, Status: was.state.Status}, true, nil
}

// settleRequest ends a request that did not append the run: it failed, or the same command was faster meanwhile and
// the run is answered. No place is held for a run that is not there, or has ended; that of one in progress is its own.
func (c *Commands) settleRequest(ctx context.Context, m Meta, ws, id string, failed error, release bool) (Answer, error) {
	ctx, cancel := finishing(ctx)
	defer cancel()
	r, err := stateOf(ctx, c, run(ws, id))
	if err != nil || !r.Exists() {
		c.running.give(id)
	}
	if r.Ended() || release && err == nil && !r.Exists() {
		_ = c.ReleaseRun(ctx, ws, id, m.caused()) // when that fails too, the place goes by age
	}
	before, found, err := c.requestedBefore(ctx, m, ws, id)
	if found || failed == nil {
		return before, err
	}
	return Answer{}, failed
}

func decideRequestRun(r domain.Run, pins domain.RunRequested) ([]domain.Event, error) {
	if r.Exists() {
		return nil, domain.Conflict("run %s exists", pins.RunID)
	}
	return []domain.Event{pins}, nil
}
