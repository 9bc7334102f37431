package http

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// RunItem is a run in a list: what pins it, and what became of it.
type RunItem struct {
	ID              string             `json:"id"`
	ProfileID       string             `json:"profileId"`
	ProfileVersion  int                `json:"profileVersion"`
	BranchID        string             `json:"branchId"`
	ModelVersion    int                `json:"modelVersion"`
	ScenarioID      string             `json:"scenarioId"`
	ScenarioVersion *int               `json:"scenarioVersion"` // null: the scenario did not exist
	Seed            string             `json:"seed"`            // decimal digits
	EngineVersion   int                `json:"engineVersion"`
	Status          domain.RunStatus   `json:"status"`
	RequestedAt     time.Time          `json:"requestedAt"`
	RequestedBy     Author             `json:"requestedBy"`
	StartedAt       *time.Time         `json:"startedAt"`
	EndedAt         *time.Time         `json:"endedAt"`
	Outdated        bool               `json:"outdated"`
	OutdatedBecause []string           `json:"outdatedBecause"` // model, scenario
	Evicted         bool               `json:"evicted"`         // no longer among the newest of its profile
	ResultHash      string             `json:"resultHash,omitempty"`
	Key             *domain.KeyFigures `json:"key"` // null: the run has no result
}

// Run is one run with its profile and its result. R and P say what these documents are; they pass as they
// are stored.
type Run[P, R any] struct {
	RunItem
	Profile P `json:"profile"` // at the version that the run pinned
	Result  R `json:"result"`  // null: the run has none
	// Progress of a run that is running; null: it is not, or no worker told lately.
	Progress *domain.RunProgress `json:"progress"`
	// Refusal says why a run was refused, failed or was cancelled; null for all others.
	Refusal *RunRefusal `json:"refusal"`
}

// RunRefusal says why a run has no result. The type is stress-refused, stress-too-large or, with a code, run_failed
// or run_cancelled.
type RunRefusal struct {
	Type   string         `json:"type"`
	Title  string         `json:"title"`
	Code   string         `json:"code,omitempty"`
	Issues []domain.Issue `json:"issues"`
}

func (s *Server) getRuns(c *gin.Context) error {
	filter, err := runFilter(c)
	if err != nil {
		return err
	}
	p, err := s.pageOfProject(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.Runs(c.Request.Context(), c.Param("projectId"), filter, p)
	if err != nil {
		return err
	}
	return answer(c, 200, listOf(rows, func(row projections.Run) RunItem { return s.runItem(c, row) }))
}

// runStatuses are the values of ?status=.
var runStatuses = []domain.RunStatus{
	domain.StatusQueued, domain.StatusRunning, domain.StatusCompleted, domain.StatusRefused, domain.StatusFailed, domain.StatusCancelled,
}

func runFilter(c *gin.Context) (projections.RunFilter, error) {
	f := projections.RunFilter{Status: domain.RunStatus(c.Query("status"))}
	if f.Status != "" && !slices.Contains(runStatuses, f.Status) {
		return f, invalidParam("status", "is queued, running, completed, refused, failed or cancelled")
	}
	if text, given := c.GetQuery("outdated"); given {
		if text != "true" && text != "false" {
			return f, invalidParam("outdated", "is true or false")
		}
		outdated := text == "true"
		f.Outdated = &outdated
	}
	return f, nil
}

// getProfileRuns answers the stored runs that the profile keeps, newest first. They are few: one page.
func (s *Server) getProfileRuns(c *gin.Context) error {
	profile, err := s.profileOf(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.ProfileRuns(c.Request.Context(), profile.ID)
	if err != nil {
		return err
	}
	all := projections.Items[projections.Run]{Items: rows}
	return answer(c, 200, listOf(all, func(row projections.Run) RunItem { return s.runItem(c, row) }))
}

func (s *Server) getRun(c *gin.Context) error {
	row, err := s.Projections.Run(c.Request.Context(), c.Param("projectId"), c.Param("runId"))
	if err != nil {
		return err
	}
	return s.answerRun(c, 200, row)
}

// answerRun answers a run with its documents.
func (s *Server) answerRun(c *gin.Context, status int, row projections.Run) error {
	run := Run[json.RawMessage, json.RawMessage]{RunItem: s.runItem(c, row), Refusal: runRefusal(row)}
	if row.Status == domain.StatusRunning {
		run.Progress = s.progress.of(row.ID, s.Now())
	}
	var err error
	if run.Profile, err = s.Blobs.Blob(c.Request.Context(), row.ProfileBlob); err != nil {
		return err
	}
	if row.ResultBlob != "" {
		if run.Result, err = s.Blobs.Blob(c.Request.Context(), row.ResultBlob); err != nil {
			return err
		}
	}
	return answer(c, status, run)
}

func runRefusal(row projections.Run) *RunRefusal {
	switch row.Status {
	case domain.StatusRefused:
		return &RunRefusal{Type: row.ProblemType, Title: row.ProblemTitle, Issues: row.Issues.V}
	case domain.StatusFailed:
		return &RunRefusal{Type: runFailed.Type, Title: row.ProblemTitle, Code: row.ProblemType, Issues: []domain.Issue{}}
	case domain.StatusCancelled:
		return &RunRefusal{Type: runCancelled.Type, Title: cancelledBecause(row), Code: row.ProblemType, Issues: []domain.Issue{}}
	default:
		return nil
	}
}

// cancelledBecause says who or what cancelled a run.
func cancelledBecause(row projections.Run) string {
	switch row.ProblemType {
	case domain.CancelRunDeleted:
		return "the run was deleted before it ended"
	case domain.CancelProfileDeleted:
		return "its profile was deleted before the run ended"
	}
	return "the run was cancelled before it ended"
}

func (s *Server) runItem(c *gin.Context, row projections.Run) RunItem {
	return RunItem{
		ID: row.ID, ProfileID: row.ProfileID, ProfileVersion: row.ProfileVersion, BranchID: row.BranchID,
		ModelVersion: row.ModelVersion, ScenarioID: row.ScenarioID, ScenarioVersion: row.ScenarioVersion,
		Seed: row.Seed, EngineVersion: row.EngineVersion, Status: row.Status,
		RequestedAt: row.RequestedAt.Time, RequestedBy: s.author(c, row.RequestedBy),
		StartedAt: instant(row.StartedAt), EndedAt: instant(row.EndedAt),
		Outdated: row.Outdated, OutdatedBecause: row.OutdatedBecause(), Evicted: row.Evicted,
		ResultHash: row.ResultHash, Key: row.Key.V,
	}
}

func runPath(projectID, id string) string {
	return projectPath(projectID) + "/stress/runs/" + id
}

// setPosition says at which position the outcome of a run can be read.
func setPosition(c *gin.Context, row projections.Run, requested uint64) {
	position := requested
	if row.EndedSeq != nil {
		position = max(position, uint64(*row.EndedSeq))
	}
	c.Header(headerPosition, strconv.FormatUint(position, 10))
}
