package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// CreateProject opens a project in a workspace.
type CreateProject struct {
	Meta
	WorkspaceID string
	Name        string // one line of at most 200 characters, with something to be seen
}

// CreateProject opens a project; its branch main is there with it, at version 0.
func (c *Commands) CreateProject(ctx context.Context, cmd CreateProject) (Answer, error) {
	cmd.Meta = cmd.identified()
	id := newID(cmd.CommandID, domain.AggregateProject)
	if err := c.workspaceExists(ctx, cmd.WorkspaceID); err != nil {
		return Answer{}, err
	}
	ctx, cancel := finishing(ctx)
	defer cancel()
	if err := c.claimProject(ctx, id, cmd); err != nil {
		return Answer{}, err
	}
	d, err := handle(ctx, c, cmd.Meta, project(cmd.WorkspaceID, id), func(p domain.Project) ([]domain.Event, error) {
		return decideCreateProject(p, id, cmd)
	})
	if err != nil {
		return Answer{}, err
	}
	return Answer{ID: id, Position: d.position}, nil
}

// claimProject makes sure that a key makes a project in one workspace only. The guard of the project cannot: its subject
// has the workspace. A project that is there has its key in its first commit; keys were not always claimed.
func (c *Commands) claimProject(ctx context.Context, id string, cmd CreateProject) error {
	if !cmd.keyed() {
		return nil
	}
	ws, err := c.home(ctx, id)
	switch {
	case err == nil && ws != cmd.WorkspaceID:
		return fmt.Errorf("command %s: %w", cmd.CommandID, domain.ErrIdempotencyMismatch)
	case !errors.Is(err, domain.ErrNotFound):
		return err
	}
	if _, err := decideCreateProject(domain.Project{}, id, cmd); err != nil {
		return err
	}
	return c.claim(ctx, cmd.Meta, "CreateProject")
}

func decideCreateProject(p domain.Project, id string, cmd CreateProject) ([]domain.Event, error) {
	if p.ID != "" {
		return nil, domain.Conflict("project %s exists", id)
	}
	if !domain.IsName(cmd.Name) {
		return nil, nameError(domain.CodeInvalidProject)
	}
	return []domain.Event{domain.ProjectCreated{ProjectID: id, WorkspaceID: cmd.WorkspaceID, Name: cmd.Name}}, nil
}

// nameError refuses a name that is none.
func nameError(code string) error {
	return invalid(code, "/name", fmt.Sprintf("a name is one line of 1 to %d characters with something to be seen", domain.MaxNameChars))
}

// invalid refuses one member of what is asked for.
func invalid(code, target, message string) error {
	return &domain.InvalidError{Issues: []domain.Issue{{Code: code, Target: target, Message: message}}}
}

func (c *Commands) workspaceExists(ctx context.Context, id string) error {
	if !validID(id) {
		return workspaceMissing(id)
	}
	was, err := load(ctx, c, workspace(id), "")
	if err != nil {
		return err
	}
	if was.state.ID == "" {
		return workspaceMissing(id)
	}
	return nil
}

func workspaceMissing(id string) error { return fmt.Errorf("workspace %s: %w", id, domain.ErrNotFound) }
