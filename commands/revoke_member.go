package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// RevokeMember takes a member's role in a workspace away.
type RevokeMember struct {
	Meta
	WorkspaceID string
	MemberID    string
}

// RevokeMember takes the role away. A workspace keeps its last owner.
func (c *Commands) RevokeMember(ctx context.Context, cmd RevokeMember) (Answer, error) {
	return c.changeWorkspace(ctx, cmd.identified(), cmd.WorkspaceID, cmd.MemberID, func(w domain.Workspace) ([]domain.Event, error) {
		return decideRevokeMember(w, cmd.MemberID)
	})
}

func decideRevokeMember(w domain.Workspace, memberID string) ([]domain.Event, error) {
	switch {
	case w.Roles[memberID] == "":
		return nil, fmt.Errorf("member %s of workspace %s: %w", memberID, w.ID, domain.ErrNotFound)
	case isLastOwner(w, memberID):
		return nil, lastOwnerError(w.ID)
	}
	return []domain.Event{domain.MemberRevoked{MemberID: memberID}}, nil
}
