package projections

import (
	"context"
	"math"

	"github.com/proofload/proofload/domain"
)

// ProfileVersion is one saved version of a profile with the runs that pinned it.
type ProfileVersion struct {
	Name       string `db:"name"`
	ScenarioID string `db:"scenario_id"`
	Saved
	RunCount int         `db:"run_count"` // that are not deleted
	Runs     []PinnedRun `db:"-"`         // the newest runsOfVersion, newest first
}

// Cursor orders versions from the newest to the oldest.
func (v ProfileVersion) Cursor() int64 { return int64(v.Version) }

// PinnedRun is a run in the list of the version that it pinned.
type PinnedRun struct {
	ID             string           `db:"id"`
	Status         domain.RunStatus `db:"status"`
	ProfileVersion int              `db:"profile_version"`
}

const runsOfVersion = 20

const selectProfileVersion = `SELECT v.version, v.name, v.scenario_id, v.blob, v.saved_at, v.saved_by,
	(SELECT COUNT(*) FROM runs r WHERE r.profile_id = v.profile_id AND r.deleted = FALSE AND r.profile_version = v.version) AS run_count
	FROM profile_versions v `

// ProfileVersion is one version of a profile.
func (d *DB) ProfileVersion(ctx context.Context, profileID string, version int) (ProfileVersion, error) {
	v, err := get[ProfileVersion](ctx, d, selectProfileVersion+`WHERE v.profile_id = ? AND v.version = ?`, profileID, version)
	if err != nil {
		return v, named(err, versionOf(version, "profile"), profileID)
	}
	one := []ProfileVersion{v}
	err = d.attachRuns(ctx, profileID, one)
	return one[0], err
}

// ProfileVersions of a profile, the newest first.
func (d *DB) ProfileVersions(ctx context.Context, profileID string, page Page) (Items[ProfileVersion], error) {
	if page.After == 0 {
		page.After = math.MaxInt64
	}
	rows, err := list[ProfileVersion](ctx, d, selectProfileVersion+
		`WHERE v.profile_id = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?`, profileID, page.After, page.Limit+1)
	if err != nil {
		return Items[ProfileVersion]{}, err
	}
	items := cut(rows, page.Limit)
	return items, d.attachRuns(ctx, profileID, items.Items)
}

// attachRuns gives each of the versions, which are in falling order without a gap, its newest runs.
func (d *DB) attachRuns(ctx context.Context, profileID string, versions []ProfileVersion) error {
	if len(versions) == 0 {
		return nil
	}
	runs, err := list[PinnedRun](ctx, d, `SELECT id, status, profile_version FROM (
		SELECT id, status, profile_version, seq,
			ROW_NUMBER() OVER (PARTITION BY profile_version ORDER BY seq DESC) AS place
		FROM runs WHERE profile_id = ? AND deleted = FALSE AND profile_version BETWEEN ? AND ?) newest
		WHERE place <= ? ORDER BY seq DESC`,
		profileID, versions[len(versions)-1].Version, versions[0].Version, runsOfVersion)
	if err != nil {
		return err
	}
	pinned := map[int][]PinnedRun{}
	for _, run := range runs {
		pinned[run.ProfileVersion] = append(pinned[run.ProfileVersion], run)
	}
	for i := range versions {
		versions[i].Runs = pinned[versions[i].Version]
	}
	return nil
}
