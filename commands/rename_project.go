package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// RenameProject gives a project another name.
type RenameProject struct {
	Meta
	ProjectID string
	Base      int    // how often it was renamed before
	Name      string // one line of at most 200 characters
}

// RenameProject renames; the name that it has already appends nothing. The answer's version counts the renames.
func (c *Commands) RenameProject(ctx context.Context, cmd RenameProject) (Answer, error) {
	ws, err := c.home(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	d, err := handle(ctx, c, cmd.identified(), project(ws, cmd.ProjectID), func(p domain.Project) ([]domain.Event, error) {
		return decideRenameProject(p, cmd)
	})
	return Answer{ID: cmd.ProjectID, Version: d.state.Renames, Position: d.position}, err
}

func decideRenameProject(p domain.Project, cmd RenameProject) ([]domain.Event, error) {
	renamed := domain.ProjectRenamed{ProjectID: p.ID, Name: cmd.Name}
	switch {
	case p.ID == "":
		return nil, fmt.Errorf("project %s: %w", cmd.ProjectID, domain.ErrNotFound)
	case p.Archived:
		return nil, archivedError(p.ID)
	case !domain.IsName(cmd.Name):
		return nil, nameError(domain.CodeInvalidProject)
	case p.Renames != cmd.Base:
		return nil, staleError("name of project "+p.ID, p.Renames, renamed)
	case p.Name == cmd.Name:
		return nil, nil
	}
	return []domain.Event{renamed}, nil
}
