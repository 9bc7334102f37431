package projections

import "github.com/proofload/proofload/domain"

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
		return b.exec(`UPDATE runs SET deleted = TRUE WHERE id = ?`, e.RunID)
	}
	return nil
}

func requestRun(b *batch, f fact, e domain.RunRequested) error {
	if err := b.exec(`INSERT INTO runs (id, workspace_id, project_id, profile_id, profile_version, profile_blob,
		branch_id, model_version, model_blob, scenario_id, scenario_version, scenario_blob, seed, engine_version, doubts,
		seq, requested_at, requested_by, status, result_blob, result_hash, key_figures, problem_type, problem_title,
		issues, outdated_model, outdated_scenario, outdated, evicted)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 'null', '', '', '[]', FALSE, FALSE, FALSE, FALSE)
		ON CONFLICT (id) DO NOTHING`,
		e.RunID, e.WorkspaceID, e.ProjectID, e.ProfileID, e.ProfileVersion, e.ProfileBlob,
		e.BranchID, e.ModelVersion, e.ModelBlob, e.ScenarioID, e.ScenarioVersion, e.ScenarioBlob, e.Seed, e.EngineVersion,
		JSON[[]domain.Doubt]{e.Doubts}, f.seq, f.at, f.member, domain.StatusQueued); err != nil {
		return err
	}
	if err := b.exec(`UPDATE runs SET deleted = TRUE WHERE id = ? AND EXISTS
		(SELECT 1 FROM profiles p WHERE p.id = runs.profile_id AND p.deleted)`, e.RunID); err != nil {
		return err // the profile was deleted while the run was requested
	}
	return outdateAtStart(b, e.RunID)
}

// outdateAtStart marks a run whose pins were overtaken between the reading of the versions and the append.
func outdateAtStart(b *batch, runID string) error {
	return b.exec(`UPDATE runs SET
		outdated_model = EXISTS (SELECT 1 FROM branches m WHERE m.id = runs.branch_id AND m.version > runs.model_version),
		outdated_scenario = EXISTS (SELECT 1 FROM scenarios s WHERE s.id = runs.scenario_id
			AND (s.deleted OR s.version > runs.scenario_version))
		WHERE id = ?`, runID)
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
	b.ended = append(b.ended, e.RunID)
	return evict(b, e.RunID)
}

// evict marks the stored runs of the profile of a run beyond the newest ones: those that ended no later than
// the first that has no place. Comparing with FALSE, not NOT, lets SQLite look the rows up.
func evict(b *batch, runID string) error {
	return b.exec(`UPDATE runs SET evicted = TRUE WHERE deleted = FALSE AND status = ? AND evicted = FALSE
		AND profile_id = (SELECT profile_id FROM runs WHERE id = ?)
		AND ended_seq <= (SELECT ended_seq FROM runs WHERE deleted = FALSE AND status = ? AND evicted = FALSE
			AND profile_id = (SELECT profile_id FROM runs WHERE id = ?) ORDER BY ended_seq DESC LIMIT 1 OFFSET ?)`,
		domain.StatusCompleted, runID, domain.StatusCompleted, runID, keptRuns)
}

func endRun(b *batch, f fact, runID string, status domain.RunStatus, problem, title string, issues []domain.Issue) error {
	b.ended = append(b.ended, runID)
	return b.exec(`UPDATE runs SET status = ?, ended_at = ?, ended_seq = ?, problem_type = ?, problem_title = ?, issues = ?
		WHERE id = ? AND ended_seq IS NULL`,
		status, f.at, f.seq, problem, title, JSON[[]domain.Issue]{append([]domain.Issue{}, issues...)}, runID)
}
