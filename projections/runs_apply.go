package projections

import (
	"math"
	"slices"
	"strings"

	"github.com/proofload/proofload/domain"
)

// keptRuns is how many stored runs the list of a profile shows: the newest ones (the page, Runs at the same
// time). Older ones are marked evicted and stay readable by id.
const keptRuns = 20

func applyRuns(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.RunRequested:
		return requestRun(b, f, e)
	case domain.RunStarted:
		return b.exec(`UPDATE runs SET status = ?, started_at = ? WHERE id = ? AND status = ?`,
			domain.StatusRunning, f.at, e.RunID, domain.StatusQueued)
	case domain.RunCompleted:
		return completeRun(b, f, e)
	case domain.RunRefused:
		return endRun(b, f, e.RunID, domain.StatusRefused, e.Type, e.Title, e.Issues)
	case domain.RunFailed:
		return endRun(b, f, e.RunID, domain.StatusFailed, e.Code, e.Detail, nil)
	case domain.RunCancelled:
		return endRun(b, f, e.RunID, domain.StatusCancelled, e.Reason, "", nil)
	case domain.RunDeleted:
		if err := b.evict(); err != nil {
			return err
		}
		return b.exec(`UPDATE runs SET deleted = TRUE WHERE id = ?`, e.RunID)
	}
	return nil
}

// requestRun writes the row in one statement. Flags that are set from the start are those of a run whose pins were
// overtaken, or whose profile was deleted, between the reading of the versions and the append.
func requestRun(b *batch, f fact, e domain.RunRequested) error {
	return b.exec(`INSERT INTO runs (id, workspace_id, project_id, profile_id, profile_version, profile_blob,
		branch_id, model_version, model_blob, scenario_id, scenario_version, scenario_blob, seed, engine_version, doubts,
		seq, requested_at, requested_by, status, result_blob, result_hash, key_figures, problem_type, problem_title,
		issues, outdated, evicted, deleted, outdated_model, outdated_scenario)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 'null', '', '', '[]', FALSE, FALSE,
			EXISTS (SELECT 1 FROM profiles p WHERE p.id = ? AND p.deleted),
			EXISTS (SELECT 1 FROM branches m WHERE m.id = ? AND m.version > ?),
			EXISTS (SELECT 1 FROM scenarios s WHERE s.id = ? AND (s.deleted OR s.version > ?)))
		ON CONFLICT (id) DO NOTHING`,
		e.RunID, e.WorkspaceID, e.ProjectID, e.ProfileID, e.ProfileVersion, e.ProfileBlob,
		e.BranchID, e.ModelVersion, e.ModelBlob, e.ScenarioID, e.ScenarioVersion, e.ScenarioBlob, e.Seed, e.EngineVersion,
		JSON[[]domain.Doubt]{e.Doubts}, f.seq, f.at, f.member, domain.StatusQueued,
		e.ProfileID, e.BranchID, e.ModelVersion, e.ScenarioID, e.ScenarioVersion)
}

// outdateByModel marks the runs whose pinned branch has a later version now (spec 1, Outdated).
func outdateByModel(b *batch, branchID string, version int) error {
	return b.exec(`UPDATE runs SET outdated_model = TRUE, outdated = (status = 'completed')
		WHERE branch_id = ? AND outdated_model = FALSE AND model_version < ?`, branchID, version)
}

// outdateByScenario marks the runs whose pinned scenario has a later version now (spec 1, Outdated).
func outdateByScenario(b *batch, scenarioID string, version int) error {
	return b.exec(`UPDATE runs SET outdated_scenario = TRUE, outdated = (status = 'completed')
		WHERE scenario_id = ? AND outdated_scenario = FALSE AND scenario_version < ?`, scenarioID, version)
}

func completeRun(b *batch, f fact, e domain.RunCompleted) error {
	if err := b.exec(`UPDATE runs SET status = ?, ended_at = ?, ended_seq = ?, engine_version = ?, result_blob = ?,
		result_hash = ?, key_figures = ?, outdated = (outdated_model OR outdated_scenario) WHERE id = ? AND ended_seq IS NULL`,
		domain.StatusCompleted, f.at, f.seq, e.EngineVersion, e.Blob, e.ResultHash, JSON[domain.KeyFigures]{e.Key}, e.RunID); err != nil {
		return err
	}
	b.ended, b.stored = append(b.ended, e.RunID), append(b.stored, e.RunID)
	return nil
}

// evictedAtOnce is how many runs one statement looks up.
const evictedAtOnce = 50

var profilesOfRuns = `SELECT DISTINCT profile_id FROM runs WHERE id IN (?` + strings.Repeat(", ?", evictedAtOnce-1) + `)`

// evict marks the stored runs beyond the newest ones of the profiles whose runs the batch has stored. It is done before a
// run is deleted, and at the end of the batch: in between more stored runs only push the same ones out.
func (b *batch) evict() error {
	profiles := map[string]bool{}
	for ids := range slices.Chunk(b.stored, evictedAtOnce) {
		args := make([]any, evictedAtOnce)
		for i := range args {
			args[i] = ids[min(i, len(ids)-1)]
		}
		found, err := b.texts(profilesOfRuns, args...)
		if err != nil {
			return err
		}
		for _, id := range found {
			profiles[id] = true
		}
	}
	b.stored = nil
	for id := range profiles {
		if err := b.evictOf(id); err != nil {
			return err
		}
	}
	return nil
}

// evictOf compares with FALSE, not NOT, so that SQLite walks the index.
func (b *batch) evictOf(profileID string) error {
	return b.exec(`UPDATE runs SET evicted = TRUE WHERE id IN (SELECT id FROM runs
		WHERE profile_id = ? AND deleted = FALSE AND status = ? AND evicted = FALSE ORDER BY ended_seq DESC LIMIT ? OFFSET ?)`,
		profileID, domain.StatusCompleted, math.MaxInt32, keptRuns)
}

func endRun(b *batch, f fact, runID string, status domain.RunStatus, problem, title string, issues []domain.Issue) error {
	b.ended = append(b.ended, runID)
	return b.exec(`UPDATE runs SET status = ?, ended_at = ?, ended_seq = ?, problem_type = ?, problem_title = ?, issues = ?
		WHERE id = ? AND ended_seq IS NULL`,
		status, f.at, f.seq, problem, title, JSON[[]domain.Issue]{append([]domain.Issue{}, issues...)}, runID)
}
