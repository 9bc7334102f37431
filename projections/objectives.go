package projections

import (
	"context"

	"github.com/proofload/proofload/domain"
)

func applyObjectives(b *batch, f fact) error {
	e, ok := f.event.(domain.ObjectivesSaved)
	if !ok {
		return nil
	}
	return b.exec(`INSERT INTO objectives (scenario_id, version, blob, saved_at, saved_by) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (scenario_id, version) DO NOTHING`, e.ScenarioID, e.Version, e.Blob, f.at, f.member)
}

// Objectives of a scenario at their newest version; version 0, without a blob, when none were saved.
func (d *DB) Objectives(ctx context.Context, scenarioID string) (Saved, error) {
	rows, err := list[Saved](ctx, d, `SELECT version, blob, saved_at, saved_by FROM objectives
		WHERE scenario_id = ? ORDER BY version DESC LIMIT 1`, scenarioID)
	if err != nil || len(rows) == 0 {
		return Saved{}, err
	}
	return rows[0], nil
}
