package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// CreateWorkspace opens a workspace; the member who asks becomes its owner.
type CreateWorkspace struct {
	Meta
	Name string // one line of at most 200 characters
}

// CreateWorkspace opens a workspace.
func (c *Commands) CreateWorkspace(ctx context.Context, cmd CreateWorkspace) (Answer, error) {
	cmd.Meta = cmd.identified()
	id := newID(cmd.CommandID, domain.AggregateWorkspace)
	d, err := handle(ctx, c, cmd.Meta, workspace(id), func(w domain.Workspace) ([]domain.Event, error) {
		return decideCreateWorkspace(w, id, cmd)
	})
	return Answer{ID: id, Position: d.position}, err
}

func decideCreateWorkspace(w domain.Workspace, id string, cmd CreateWorkspace) ([]domain.Event, error) {
	switch {
	case w.ID != "":
		return nil, domain.Conflict("workspace %s exists", id)
	case !domain.IsName(cmd.Name):
		return nil, nameError(domain.CodeInvalidWorkspace)
	}
	return []domain.Event{
		domain.WorkspaceCreated{WorkspaceID: id, Name: cmd.Name},
		domain.MemberGranted{MemberID: cmd.Member, Role: domain.RoleOwner},
	}, nil
}
