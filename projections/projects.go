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
	Seq         int64  `db:"seq"`
	CreatedAt   Time   `db:"created_at"`
	CreatedBy   string `db:"created_by"`
}

// Cursor orders projects by their creation.
func (p Project) Cursor() int64 { return p.Seq }

func applyProjects(b *batch, f fact) error {
	e, ok := f.event.(domain.ProjectCreated)
	if !ok {
		return nil
	}
	return b.exec(`INSERT INTO projects (id, workspace_id, name, seq, created_at, created_by) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, e.ProjectID, e.WorkspaceID, e.Name, f.seq, f.at, f.member)
}

const selectProject = `SELECT id, workspace_id, name, seq, created_at, created_by FROM projects `

// Project by id.
func (d *DB) Project(ctx context.Context, id string) (Project, error) {
	p, err := get[Project](ctx, d, selectProject+`WHERE id = ?`, id)
	return p, named(err, "project", id)
}

// Projects of a workspace, the oldest first.
func (d *DB) Projects(ctx context.Context, workspaceID string, page Page) (Items[Project], error) {
	rows, err := list[Project](ctx, d, selectProject+`WHERE workspace_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
		workspaceID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}
