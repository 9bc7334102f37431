package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// JoinMember gives a member of the instance, by its name, a role in a workspace where it has none. A name that is new to the
// instance becomes a member.
type JoinMember struct {
	Meta
	WorkspaceID string
	Name        string // one line of at most 200 characters
	Role        string // viewer, editor or owner
}

// JoinMember decides on the workspace and on the instance before it appends to either: one that is refused makes no
// member. The answer's id is the member's.
func (c *Commands) JoinMember(ctx context.Context, cmd JoinMember) (Answer, error) {
	cmd.Meta = cmd.identified()
	i, err := c.Instance(ctx)
	if err != nil {
		return Answer{}, err
	}
	member, known := FindMember(i, cmd.Name)
	grant := GrantMember{Meta: cmd.Meta, WorkspaceID: cmd.WorkspaceID, MemberID: member.ID, Role: cmd.Role, Join: true}
	if !known {
		grant.MemberID = newID(cmd.CommandID, "member")
	}
	if done, err := c.checkJoin(ctx, i, known, cmd, grant); done {
		return c.GrantMember(ctx, grant)
	} else if err != nil {
		return Answer{}, err
	}
	ctx, cancel := finishing(ctx)
	defer cancel()
	if err := c.claim(ctx, cmd.Meta, "JoinMember"); err != nil {
		return Answer{}, err
	}
	if !known {
		if _, err := c.CreateMember(ctx, CreateMember{Meta: cmd.Meta, Name: cmd.Name}); err != nil {
			return Answer{}, err
		}
	}
	return c.GrantMember(ctx, grant)
}

// checkJoin refuses what can be refused. It is true when the workspace has the command's commit.
func (c *Commands) checkJoin(ctx context.Context, i domain.Instance, known bool, cmd JoinMember, grant GrantMember) (done bool, err error) {
	if !validID(cmd.WorkspaceID) {
		return false, workspaceMissing(cmd.WorkspaceID)
	}
	was, err := load(ctx, c, workspace(cmd.WorkspaceID), cmd.CommandID)
	if err != nil {
		return false, err
	}
	if _, found, err := was.repeated(cmd.Meta); found || err != nil {
		return found, err
	}
	if was.state.ID == "" {
		return false, workspaceMissing(cmd.WorkspaceID)
	}
	_, err = decideGrantMember(was.state, true, grant)
	if !known && err == nil {
		_, err = decideCreateMember(i, grant.MemberID, cmd.Name)
	}
	return false, err
}
