package projections

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// Project is a project of a workspace.
type Project struct {
	ID          string `db:"id"`
	WorkspaceID string `db:"workspace_id"`
	Name        string `db:"name"`
	Version     int    `db:"version"` // how often it was renamed
	Archived    bool   `db:"archived"`
	Seq         int64  `db:"seq"`
	CreatedAt   Time   `db:"created_at"`
	CreatedBy   string `db:"created_by"`
}

// Cursor orders projects by their creation.
func (p Project) Cursor() int64 { return p.Seq }

func applyProjects(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.ProjectCreated:
		return b.exec(`INSERT INTO projects (id, workspace_id, name, seq, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO NOTHING`, e.ProjectID, e.WorkspaceID, e.Name, f.seq, f.at, f.member)
	case domain.ProjectRenamed:
		return b.exec(`UPDATE projects SET name = ?, version = version + 1 WHERE id = ?`, e.Name, e.ProjectID)
	case domain.ProjectArchived:
		return b.exec(`UPDATE projects SET archived = TRUE WHERE id = ?`, e.ProjectID)
	}
	return nil
}

const selectProject = `SELECT id, workspace_id, name, version, archived, seq, created_at, created_by FROM projects `

// Project by id.
func (d *DB) Project(ctx context.Context, id string) (Project, error) {
	p, err := get[Project](ctx, d, selectProject+`WHERE id = ?`, id)
	return p, named(err, "project", id)
}

// Projects of the workspaces in which a member has a role, the oldest first. A workspace id narrows them to it.
func (d *DB) Projects(ctx context.Context, memberID, workspaceID string, page Page) (Items[Project], error) {
	query, args := selectProject+`WHERE workspace_id IN (SELECT workspace_id FROM roles WHERE member_id = ?) AND seq > ?`, []any{memberID, page.After}
	if workspaceID != "" {
		query, args = query+` AND workspace_id = ?`, append(args, workspaceID)
	}
	rows, err := list[Project](ctx, d, query+` ORDER BY seq LIMIT ?`, append(args, page.Limit+1)...)
	return cut(rows, page.Limit), err
}
