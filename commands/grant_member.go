package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// GrantMember gives a member a role in a workspace, or another one.
type GrantMember struct {
	Meta
	WorkspaceID string
	MemberID    string
	Role        string // viewer, editor or owner
	Join        bool   // the member must not have a role there yet
}

// GrantMember gives the role, also one that the member has already: a role has no version that would guard it, so the
// command is always kept. Sent again after the role was taken away, it gives nothing back (ADR 24).
func (c *Commands) GrantMember(ctx context.Context, cmd GrantMember) (Answer, error) {
	cmd.Meta = cmd.identified()
	i, err := c.Instance(ctx)
	if err != nil {
		return Answer{}, err
	}
	_, known := i.Members.Get(cmd.MemberID)
	return c.changeWorkspace(ctx, cmd.Meta, cmd.WorkspaceID, cmd.MemberID, func(w domain.Workspace) ([]domain.Event, error) {
		return decideGrantMember(w, known, cmd)
	})
}

func decideGrantMember(w domain.Workspace, known bool, cmd GrantMember) ([]domain.Event, error) {
	switch {
	case !known:
		return nil, fmt.Errorf("member %s: %w", cmd.MemberID, domain.ErrNotFound)
	case !domain.IsRole(cmd.Role):
		return nil, invalid(domain.CodeInvalidRole, "/role", "a role is viewer, editor or owner")
	case cmd.Join && w.Roles[cmd.MemberID] != "":
		return nil, domain.Conflict("the member is in the workspace already, with the role %s; PUT /api/workspaces/%s/members/%s changes it",
			w.Roles[cmd.MemberID], w.ID, cmd.MemberID)
	case cmd.Role != domain.RoleOwner && isLastOwner(w, cmd.MemberID):
		return nil, lastOwnerError(w.ID)
	}
	return []domain.Event{domain.MemberGranted{MemberID: cmd.MemberID, Role: cmd.Role}}, nil
}

// changeWorkspace decides on a workspace that must exist. The answer's id is that of what is changed in it.
func (c *Commands) changeWorkspace(ctx context.Context, m Meta, workspaceID, id string, decide func(domain.Workspace) ([]domain.Event, error)) (Answer, error) {
	if !validID(workspaceID) {
		return Answer{}, workspaceMissing(workspaceID)
	}
	d, err := handle(ctx, c, m, workspace(workspaceID), func(w domain.Workspace) ([]domain.Event, error) {
		if w.ID == "" {
			return nil, workspaceMissing(workspaceID)
		}
		return decide(w)
	})
	return Answer{ID: id, Version: d.state.SimulationVersion, Position: d.position}, err
}

// isLastOwner says whether the workspace would have no owner without the member.
func isLastOwner(w domain.Workspace, memberID string) bool {
	return w.Roles[memberID] == domain.RoleOwner && w.Owners() == 1
}

func lastOwnerError(workspaceID string) error {
	return domain.Conflict("workspace %s would have no owner; make another member its owner first", workspaceID)
}
