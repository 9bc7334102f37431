package projections

import (
	"context"
	"math"

	"github.com/proofload/proofload/domain"
)

// Scenario is a scenario at its newest version.
type Scenario struct {
	ID        string `db:"id"`
	ProjectID string `db:"project_id"`
	Name      string `db:"name"`
	Seq       int64  `db:"seq"`
	Saved
}

// Cursor orders scenarios by their creation.
func (s Scenario) Cursor() int64 { return s.Seq }

func applyScenarios(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.ScenarioSaved:
		return saveScenario(b, f, e)
	case domain.ScenarioDeleted:
		if err := b.exec(`UPDATE scenarios SET deleted = TRUE WHERE id = ?`, e.ScenarioID); err != nil {
			return err
		}
		return outdateByScenario(b, e.ScenarioID, math.MaxInt64) // a deletion comes after every version
	}
	return nil
}

func saveScenario(b *batch, f fact, e domain.ScenarioSaved) error {
	if err := b.exec(`INSERT INTO scenarios (id, project_id, name, seq, version, blob, saved_at, saved_by, deleted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, FALSE) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
		version = excluded.version, blob = excluded.blob, saved_at = excluded.saved_at, saved_by = excluded.saved_by`,
		e.ScenarioID, e.ProjectID, e.Name, f.seq, e.Version, e.Blob, f.at, f.member); err != nil {
		return err
	}
	if err := b.exec(`INSERT INTO scenario_versions (scenario_id, version, name, blob, saved_at, saved_by)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scenario_id, version) DO NOTHING`,
		e.ScenarioID, e.Version, e.Name, e.Blob, f.at, f.member); err != nil {
		return err
	}
	return outdateByScenario(b, e.ScenarioID, e.Version)
}

const selectScenario = `SELECT id, project_id, name, seq, version, blob, saved_at, saved_by FROM scenarios `

// Scenario of a project by id. One of another project is not found.
func (d *DB) Scenario(ctx context.Context, projectID, id string) (Scenario, error) {
	s, err := get[Scenario](ctx, d, selectScenario+`WHERE id = ? AND project_id = ? AND NOT deleted`, id, projectID)
	return s, named(err, "scenario", id)
}

// Scenarios of a project, the oldest first.
func (d *DB) Scenarios(ctx context.Context, projectID string, page Page) (Items[Scenario], error) {
	rows, err := list[Scenario](ctx, d, selectScenario+
		`WHERE project_id = ? AND NOT deleted AND seq > ? ORDER BY seq LIMIT ?`, projectID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}

// ScenarioVersion is one saved version of a scenario.
func (d *DB) ScenarioVersion(ctx context.Context, scenarioID string, version int) (Saved, error) {
	s, err := get[Saved](ctx, d, `SELECT version, blob, saved_at, saved_by FROM scenario_versions
		WHERE scenario_id = ? AND version = ?`, scenarioID, version)
	return s, named(err, versionOf(version, "scenario"), scenarioID)
}
