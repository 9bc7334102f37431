package projections

import (
	"context"
	"math"

	"github.com/proofload/proofload/domain"
)

// Run is a run with what pinned it and what became of it.
type Run struct {
	ID               string                   `db:"id"`
	WorkspaceID      string                   `db:"workspace_id"`
	ProjectID        string                   `db:"project_id"`
	ProfileID        string                   `db:"profile_id"`
	ProfileVersion   int                      `db:"profile_version"`
	ProfileBlob      string                   `db:"profile_blob"`
	BranchID         string                   `db:"branch_id"`
	ModelVersion     int                      `db:"model_version"`
	ModelBlob        string                   `db:"model_blob"`
	ScenarioID       string                   `db:"scenario_id"`
	ScenarioVersion  *int                     `db:"scenario_version"` // nil: the scenario did not exist
	ScenarioBlob     string                   `db:"scenario_blob"`
	Seed             string                   `db:"seed"`
	EngineVersion    int                      `db:"engine_version"`
	Doubts           JSON[[]domain.Doubt]     `db:"doubts"`
	Seq              int64                    `db:"seq"`
	RequestedAt      Time                     `db:"requested_at"`
	RequestedBy      string                   `db:"requested_by"`
	Status           domain.RunStatus         `db:"status"`
	StartedAt        *Time                    `db:"started_at"`
	EndedAt          *Time                    `db:"ended_at"`
	EndedSeq         *int64                   `db:"ended_seq"`
	ResultBlob       string                   `db:"result_blob"`
	ResultHash       string                   `db:"result_hash"`
	Key              JSON[*domain.KeyFigures] `db:"key_figures"`
	ProblemType      string                   `db:"problem_type"` // refused: the type; failed: the code; cancelled: the reason
	ProblemTitle     string                   `db:"problem_title"`
	Issues           JSON[[]domain.Issue]     `db:"issues"`
	OutdatedModel    bool                     `db:"outdated_model"`
	OutdatedScenario bool                     `db:"outdated_scenario"`
	Outdated         bool                     `db:"outdated"` // stored, and by the model or the scenario
	Evicted          bool                     `db:"evicted"`
	Deleted          bool                     `db:"deleted"` // by itself or with its profile: no view shows it
}

// Cursor orders runs by their request.
func (r Run) Cursor() int64 { return r.Seq }

// Ended says whether the run has its outcome.
func (r Run) Ended() bool { return r.EndedSeq != nil }

// OutdatedBecause lists what changed after a stored run: model, scenario or both. A run that is not stored
// is never outdated.
func (r Run) OutdatedBecause() []string {
	because := []string{}
	if r.Outdated && r.OutdatedModel {
		because = append(because, "model")
	}
	if r.Outdated && r.OutdatedScenario {
		because = append(because, "scenario")
	}
	return because
}

const selectRun = `SELECT id, workspace_id, project_id, profile_id, profile_version, profile_blob, branch_id,
	model_version, model_blob, scenario_id, scenario_version, scenario_blob, seed, engine_version, doubts, seq,
	requested_at, requested_by, status, started_at, ended_at, ended_seq, result_blob, result_hash, key_figures,
	problem_type, problem_title, issues, outdated_model, outdated_scenario, outdated, evicted, deleted FROM runs `

// Run of a project by id. One of another project, or a deleted one, is not found.
func (d *DB) Run(ctx context.Context, projectID, id string) (Run, error) {
	r, err := d.anyRun(ctx, projectID, id)
	if err == nil && r.Deleted {
		return Run{}, named(domain.ErrNotFound, "run", id)
	}
	return r, err
}

// anyRun is a run that may be deleted.
func (d *DB) anyRun(ctx context.Context, projectID, id string) (Run, error) {
	r, err := get[Run](ctx, d, selectRun+`WHERE id = ? AND project_id = ?`, id, projectID)
	return r, named(err, "run", id)
}

// RunFilter narrows the list of a project's runs. Empty fields do not.
type RunFilter struct {
	Status   domain.RunStatus
	Outdated *bool
}

// Runs of a project, whatever became of them, the newest request first.
func (d *DB) Runs(ctx context.Context, projectID string, filter RunFilter, page Page) (Items[Run], error) {
	if page.After == 0 {
		page.After = math.MaxInt64
	}
	query, args := selectRun+`WHERE project_id = ? AND deleted = FALSE AND seq < ?`, []any{projectID, page.After}
	if filter.Status != "" {
		query, args = query+` AND status = ?`, append(args, filter.Status)
	}
	if filter.Outdated != nil {
		query, args = query+` AND outdated = ?`, append(args, *filter.Outdated)
	}
	rows, err := list[Run](ctx, d, query+` ORDER BY seq DESC LIMIT ?`, append(args, page.Limit+1)...)
	return cut(rows, page.Limit), err
}

// ProfileRuns are the stored runs of a profile that its list keeps, the newest first: at most 20.
func (d *DB) ProfileRuns(ctx context.Context, profileID string) ([]Run, error) {
	return list[Run](ctx, d, selectRun+`WHERE profile_id = ? AND deleted = FALSE AND status = ? AND evicted = FALSE ORDER BY ended_seq DESC`,
		profileID, domain.StatusCompleted)
}
