package projections

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// BranchMain is the kind of the branch that every project has from its start.
const BranchMain = "main"

// Saved is one saved version of a document. Blob is the SHA-256 of the canonical document.
type Saved struct {
	Version int    `db:"version"`
	Blob    string `db:"blob"`
	SavedAt Time   `db:"saved_at"`
	SavedBy string `db:"saved_by"`
}

// Branch is a model branch at its newest version; version 0 is the empty model and has no blob.
type Branch struct {
	ID        string `db:"id"`
	ProjectID string `db:"project_id"`
	Kind      string `db:"kind"`
	Name      string `db:"name"`
	Seq       int64  `db:"seq"`
	Saved
}

func applyModels(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.ProjectCreated:
		return b.exec(`INSERT INTO branches (id, project_id, kind, name, seq, version, blob, saved_at, saved_by)
			VALUES (?, ?, ?, ?, ?, 0, '', ?, ?) ON CONFLICT (id) DO NOTHING`,
			e.ProjectID, e.ProjectID, BranchMain, BranchMain, f.seq, f.at, f.member)
	case domain.BranchOpened: // its version 1 is the ModelSaved of the same commit
		return b.exec(`INSERT INTO branches (id, project_id, kind, name, seq, version, blob, saved_at, saved_by)
			VALUES (?, ?, ?, ?, ?, 0, '', ?, ?) ON CONFLICT (id) DO NOTHING`,
			e.BranchID, e.ProjectID, e.Kind, e.Name, f.seq, f.at, f.member)
	case domain.ModelSaved:
		return saveModel(b, f, e)
	}
	return nil
}

func saveModel(b *batch, f fact, e domain.ModelSaved) error {
	if err := b.exec(`UPDATE branches SET version = ?, blob = ?, saved_at = ?, saved_by = ? WHERE id = ?`,
		e.Version, e.Blob, f.at, f.member, e.BranchID); err != nil {
		return err
	}
	if err := b.exec(`INSERT INTO model_versions (branch_id, version, blob, saved_at, saved_by) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (branch_id, version) DO NOTHING`, e.BranchID, e.Version, e.Blob, f.at, f.member); err != nil {
		return err
	}
	return outdateByModel(b, e.BranchID, e.Version)
}

// Cursor orders branches by their opening; main is the first.
func (b Branch) Cursor() int64 { return b.Seq }

const selectBranch = `SELECT id, project_id, kind, name, seq, version, blob, saved_at, saved_by FROM branches `

// Branches of a project, main first, then the oldest.
func (d *DB) Branches(ctx context.Context, projectID string, page Page) (Items[Branch], error) {
	rows, err := list[Branch](ctx, d, selectBranch+`WHERE project_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
		projectID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}

// Branch of a project; an empty id is main. A branch of another project is not found.
func (d *DB) Branch(ctx context.Context, projectID, id string) (Branch, error) {
	if id == "" || id == BranchMain {
		id = projectID
	}
	b, err := get[Branch](ctx, d, selectBranch+`WHERE id = ? AND project_id = ?`, id, projectID)
	return b, named(err, "branch", id)
}

// ModelVersion is one saved version of a branch.
func (d *DB) ModelVersion(ctx context.Context, branchID string, version int) (Saved, error) {
	s, err := get[Saved](ctx, d, `SELECT version, blob, saved_at, saved_by FROM model_versions
		WHERE branch_id = ? AND version = ?`, branchID, version)
	return s, named(err, versionOf(version, "the model of branch"), branchID)
}
