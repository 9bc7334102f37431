package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// DeleteRun deletes a run.
type DeleteRun struct {
	Meta
	ProjectID string
	RunID     string
}

// DeleteRun deletes a run; one that has not ended is cancelled in the same commit.
func (c *Commands) DeleteRun(ctx context.Context, cmd DeleteRun) (Answer, error) {
	return c.stopRun(ctx, CancelRun(cmd), decideDeleteRun)
}

func decideDeleteRun(r domain.Run, cmd CancelRun) ([]domain.Event, error) {
	if !r.In(cmd.ProjectID) {
		return nil, fmt.Errorf("run %s: %w", cmd.RunID, domain.ErrNotFound)
	}
	deleted := domain.RunDeleted{RunID: cmd.RunID}
	if r.Ended() {
		return []domain.Event{deleted}, nil
	}
	return []domain.Event{domain.RunCancelled{RunID: cmd.RunID, Reason: domain.CancelRunDeleted}, deleted}, nil
}
