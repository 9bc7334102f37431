package projections

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// Workspace is a workspace as a member with a role in it sees it.
type Workspace struct {
	ID   string `db:"id"`
	Name string `db:"name"`
	Seq  int64  `db:"seq"`
	Role string `db:"role"` // of the member who asks
}

// Cursor orders workspaces by their creation.
func (w Workspace) Cursor() int64 { return w.Seq }

// WorkspaceMember is a member with a role in a workspace.
type WorkspaceMember struct {
	ID   string `db:"id"`
	Name string `db:"name"`
	Role string `db:"role"`
	Seq  int64  `db:"seq"`
}

// Cursor orders the members of a workspace by their first role in it.
func (m WorkspaceMember) Cursor() int64 { return m.Seq }

func applyWorkspaces(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.WorkspaceCreated:
		return b.exec(`INSERT INTO workspaces (id, name, seq) VALUES (?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name`, e.WorkspaceID, e.Name, f.seq)
	case domain.MemberGranted:
		return b.exec(`INSERT INTO roles (workspace_id, member_id, role, seq) VALUES (?, ?, ?, ?)
			ON CONFLICT (workspace_id, member_id) DO UPDATE SET role = excluded.role`, f.workspace, e.MemberID, e.Role, f.seq)
	case domain.MemberRevoked:
		return b.exec(`DELETE FROM roles WHERE workspace_id = ? AND member_id = ?`, f.workspace, e.MemberID)
	}
	return nil
}

const selectWorkspace = `SELECT w.id, w.name, w.seq, r.role FROM workspaces w
	JOIN roles r ON r.workspace_id = w.id AND r.member_id = ? `

// Workspace by id, for a member with a role in it; for another it is not found.
func (d *DB) Workspace(ctx context.Context, memberID, id string) (Workspace, error) {
	w, err := get[Workspace](ctx, d, selectWorkspace+`WHERE w.id = ?`, memberID, id)
	return w, named(err, "workspace", id)
}

// Workspaces in which a member has a role, the oldest first.
func (d *DB) Workspaces(ctx context.Context, memberID string, page Page) (Items[Workspace], error) {
	rows, err := list[Workspace](ctx, d, selectWorkspace+`WHERE w.seq > ? ORDER BY w.seq LIMIT ?`, memberID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}

// WorkspaceMembers are the members with a role in a workspace, the oldest first.
func (d *DB) WorkspaceMembers(ctx context.Context, workspaceID string, page Page) (Items[WorkspaceMember], error) {
	rows, err := list[WorkspaceMember](ctx, d, `SELECT r.member_id AS id, COALESCE(m.name, r.member_id) AS name, r.role, r.seq
		FROM roles r LEFT JOIN members m ON m.id = r.member_id
		WHERE r.workspace_id = ? AND r.seq > ? ORDER BY r.seq LIMIT ?`, workspaceID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}
