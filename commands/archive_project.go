package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// ArchiveProject makes a project one that is only read. Runs that are in progress go on to their end.
type ArchiveProject struct {
	Meta
	ProjectID string
}

// ArchiveProject archives for good; a project that is archived already appends nothing.
func (c *Commands) ArchiveProject(ctx context.Context, cmd ArchiveProject) (Answer, error) {
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	d, err := handle(ctx, c, cmd.identified(), project(at.workspace, cmd.ProjectID), func(p domain.Project) ([]domain.Event, error) {
		return decideArchiveProject(p), nil
	})
	return Answer{ID: cmd.ProjectID, Position: d.position}, err
}

func decideArchiveProject(p domain.Project) []domain.Event {
	if p.Archived {
		return nil
	}
	return []domain.Event{domain.ProjectArchived{ProjectID: p.ID}}
}
