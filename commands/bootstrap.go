package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// What the first start makes.
const (
	FirstWorkspace = "default"
	FirstMember    = "admin"
)

// Bootstrapped names what the first start made.
type Bootstrapped struct{ WorkspaceID, MemberID string }

// Bootstrap makes the workspace default and the member admin, its owner and the instance's administrator. Each
// start calls it: the command ids are always the same, so that it happens once, also when two start at once.
func (c *Commands) Bootstrap(ctx context.Context) (Bootstrapped, error) {
	id := CommandID("", "bootstrap", theInstance)
	b := Bootstrapped{WorkspaceID: newID(id, domain.AggregateWorkspace), MemberID: newID(id, "member")}
	m := Meta{CommandID: id, Member: b.MemberID}
	_, err := handle(ctx, c, m, instance(), func(i domain.Instance) ([]domain.Event, error) {
		return decideFirstMember(i, b.MemberID), nil
	})
	if err != nil {
		return Bootstrapped{}, err
	}
	_, err = handle(ctx, c, m, workspace(b.WorkspaceID), func(w domain.Workspace) ([]domain.Event, error) {
		return decideFirstWorkspace(w, b), nil
	})
	return b, err
}

func decideFirstMember(i domain.Instance, memberID string) []domain.Event {
	if _, ok := i.Members.Get(memberID); ok {
		return nil
	}
	return []domain.Event{domain.MemberCreated{MemberID: memberID, Name: FirstMember, Administrator: true}}
}

func decideFirstWorkspace(w domain.Workspace, b Bootstrapped) []domain.Event {
	if w.ID != "" {
		return nil
	}
	return []domain.Event{
		domain.WorkspaceCreated{WorkspaceID: b.WorkspaceID, Name: FirstWorkspace},
		domain.MemberGranted{MemberID: b.MemberID, Role: domain.RoleOwner},
	}
}
