package projections

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// Profile is a stress profile at its newest version. It is visible once its project admitted it.
type Profile struct {
	ID         string `db:"id"`
	ProjectID  string `db:"project_id"`
	Name       string `db:"name"`
	ScenarioID string `db:"scenario_id"`
	Seq        int64  `db:"seq"`
	Saved
}

// Cursor orders profiles by their creation.
func (p Profile) Cursor() int64 { return p.Seq }

func applyProfiles(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.ProfileSaved:
		return saveProfile(b, f, e)
	case domain.ProfileAdmitted:
		return b.exec(`UPDATE profiles SET admitted = TRUE WHERE id = ?`, e.ProfileID)
	case domain.ProfileRemoved:
		return deleteProfile(b, e.ProfileID)
	case domain.ProfileDeleted: // comes after ProfileRemoved
		return deleteProfile(b, e.ProfileID)
	}
	return nil
}

func saveProfile(b *batch, f fact, e domain.ProfileSaved) error {
	if err := b.exec(`INSERT INTO profiles
		(id, project_id, name, scenario_id, seq, version, blob, saved_at, saved_by, admitted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, FALSE) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
		scenario_id = excluded.scenario_id, version = excluded.version, blob = excluded.blob,
		saved_at = excluded.saved_at, saved_by = excluded.saved_by`,
		e.ProfileID, e.ProjectID, e.Name, e.ScenarioID, f.seq, e.Version, e.Blob, f.at, f.member); err != nil {
		return err
	}
	return b.exec(`INSERT INTO profile_versions (profile_id, version, name, scenario_id, blob, saved_at, saved_by)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (profile_id, version) DO NOTHING`,
		e.ProfileID, e.Version, e.Name, e.ScenarioID, e.Blob, f.at, f.member)
}

// deleteProfile takes a profile and its runs from the views.
func deleteProfile(b *batch, id string) error {
	if err := b.evict(); err != nil {
		return err
	}
	if err := b.exec(`UPDATE profiles SET deleted = TRUE WHERE id = ?`, id); err != nil {
		return err
	}
	return b.exec(`UPDATE runs SET deleted = TRUE WHERE profile_id = ?`, id)
}

const selectProfile = `SELECT id, project_id, name, scenario_id, seq, version, blob, saved_at, saved_by FROM profiles `

// Profile of a project by id. One of another project, not admitted or deleted, is not found.
func (d *DB) Profile(ctx context.Context, projectID, id string) (Profile, error) {
	p, err := get[Profile](ctx, d, selectProfile+`WHERE id = ? AND project_id = ? AND admitted AND deleted = FALSE`, id, projectID)
	return p, named(err, "profile", id)
}

// Profiles of a project, the oldest first.
func (d *DB) Profiles(ctx context.Context, projectID string, page Page) (Items[Profile], error) {
	rows, err := list[Profile](ctx, d, selectProfile+
		`WHERE project_id = ? AND admitted AND deleted = FALSE AND seq > ? ORDER BY seq LIMIT ?`, projectID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}
