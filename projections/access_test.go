package projections

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// The aggregates of the tests stand in the workspace ws.
func TestWorkspacesAndTheirMembers(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.append(domain.AggregateInstance, "instance", domain.MemberCreated{MemberID: "ann", Name: "Ann"}, domain.MemberCreated{MemberID: "bob", Name: "Bob"})
		w.append(domain.AggregateWorkspace, "ws", domain.WorkspaceCreated{WorkspaceID: "ws", Name: "Team"}, domain.MemberGranted{MemberID: "ann", Role: "owner"})
		w.append(domain.AggregateWorkspace, "ws", domain.MemberGranted{MemberID: "bob", Role: "viewer"})
		w.append(domain.AggregateWorkspace, "ws", domain.MemberGranted{MemberID: "bob", Role: "editor"})
		_, _ = w.project()
		w.caughtUp()
		ctx := t.Context()

		first, err := w.db.WorkspaceMembers(ctx, "ws", Page{Limit: 1})
		must(t, err)
		second, err := w.db.WorkspaceMembers(ctx, "ws", Page{Limit: 1, After: first.Next})
		must(t, err)
		want := []WorkspaceMember{{ID: "ann", Name: "Ann", Role: "owner", Seq: 2}, {ID: "bob", Name: "Bob", Role: "editor", Seq: 3}}
		if diff := cmp.Diff(want, append(first.Items, second.Items...)); diff != "" || second.Next != 0 {
			t.Error("members", diff, second.Next)
		}
		seen, err := w.db.Workspaces(ctx, "bob", Page{Limit: 10})
		must(t, err)
		if diff := cmp.Diff([]Workspace{{ID: "ws", Name: "Team", Seq: 2, Role: "editor"}}, seen.Items); diff != "" {
			t.Error("workspaces of bob", diff)
		}
		w.append(domain.AggregateWorkspace, "ws", domain.MemberRevoked{MemberID: "bob"})
		w.caughtUp()
		if seen, err = w.db.Workspaces(ctx, "bob", Page{Limit: 10}); err != nil || len(seen.Items) != 0 {
			t.Errorf("after the revocation: %v, %v", seen.Items, err)
		}
		if _, err := w.db.Workspace(ctx, "bob", "ws"); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("after the revocation: %v", err)
		}
	})
}

func TestTokensOfAMember(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		expires := at(9).UnixMilli()
		issue := func(id, member string, expires *int64) {
			w.append(domain.AggregateInstance, "instance", domain.TokenIssued{TokenID: id, MemberID: member, Name: "for " + id, Hash: "h" + id, ExpiresAt: expires})
		}
		issue("t1", "bob", nil)
		issue("t2", "bob", &expires)
		issue("t3", "eve", nil)
		issue("t4", "bob", nil)
		w.append(domain.AggregateInstance, "instance", domain.TokenRevoked{TokenID: "t4"})
		_, _ = w.project()
		w.caughtUp()
		first, err := w.db.Tokens(t.Context(), "bob", Page{Limit: 1})
		must(t, err)
		second, err := w.db.Tokens(t.Context(), "bob", Page{Limit: 1, After: first.Next})
		must(t, err)
		want := []Token{
			{ID: "t1", MemberID: "bob", Name: "for t1", Seq: 1, IssuedAt: Time{at(1)}, IssuedBy: "ann"},
			{ID: "t2", MemberID: "bob", Name: "for t2", Seq: 2, IssuedAt: Time{at(2)}, IssuedBy: "ann", ExpiresAt: &Time{at(9)}},
		}
		if diff := cmp.Diff(want, append(first.Items, second.Items...)); diff != "" || second.Next != 0 {
			t.Error(diff, second.Next)
		}
	})
}

func TestProjectsOfAMember(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.append(domain.AggregateWorkspace, "ws", domain.WorkspaceCreated{WorkspaceID: "ws", Name: "Team"}, domain.MemberGranted{MemberID: "ann", Role: "viewer"})
		w.append(domain.AggregateProject, "p", domain.ProjectCreated{ProjectID: "p", WorkspaceID: "ws", Name: "Shop"})
		w.append(domain.AggregateProject, "p", domain.ProjectRenamed{ProjectID: "p", Name: "Store"})
		w.append(domain.AggregateProject, "p", domain.ProjectArchived{ProjectID: "p"})
		w.append(domain.AggregateProject, "q", domain.ProjectCreated{ProjectID: "q", WorkspaceID: "elsewhere", Name: "Other"})
		_, _ = w.project()
		w.caughtUp()
		want := []Project{{ID: "p", WorkspaceID: "ws", Name: "Store", Version: 1, Archived: true, Seq: 2, CreatedAt: Time{at(2).In(time.UTC)}, CreatedBy: "ann"}}
		for _, workspace := range []string{"", "ws"} {
			got, err := w.db.Projects(t.Context(), "ann", workspace, Page{Limit: 10})
			must(t, err)
			if diff := cmp.Diff(want, got.Items); diff != "" {
				t.Errorf("in %q: %s", workspace, diff)
			}
		}
		for member, workspace := range map[string]string{"ann": "elsewhere", "bob": "ws"} {
			got, err := w.db.Projects(t.Context(), member, workspace, Page{Limit: 10})
			if err != nil || len(got.Items) != 0 {
				t.Errorf("%s sees %v in %s, %v", member, got.Items, workspace, err)
			}
		}
	})
}
