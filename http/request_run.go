package http

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// RequestedRun names a run that has no outcome yet. Its Location answers what became of it.
type RequestedRun struct {
	ID     string           `json:"id"`
	Status domain.RunStatus `json:"status"`
}

// postRun requests a run and waits for its outcome, for at most RunWait. A client that prefers so, and one whose
// run takes longer, gets 202 and the Location of the run.
func (s *Server) postRun(c *gin.Context) error {
	meta, err := s.meta(c, nil)
	if err != nil {
		return err
	}
	async, err := prefersAsync(c)
	if err != nil {
		return err
	}
	projectID := c.Param("projectId")
	done, err := s.Commands.RequestRun(c.Request.Context(), commands.RequestRun{
		Meta: meta, ProjectID: projectID, ProfileID: c.Param("profileId"), BranchID: branchID(c),
	})
	if err != nil {
		return err
	}
	c.Header("Location", runPath(projectID, done.ID))
	setPosition(c, projections.Run{}, done.Position)
	if async {
		c.Header("Preference-Applied", preferAsync)
		return answer(c, http.StatusAccepted, RequestedRun{ID: done.ID, Status: done.Status})
	}
	return s.answerOutcome(c, done)
}

func (s *Server) answerOutcome(c *gin.Context, done commands.Answer) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), s.RunWait)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	run, err := s.Projections.WaitOutcome(ctx, c.Param("projectId"), done.ID)
	if ctx.Err() != nil && err != nil { // it takes longer, or the server stops: the run goes on
		return answer(c, http.StatusAccepted, RequestedRun{ID: done.ID, Status: statusOr(run, done.Status)})
	}
	if err != nil {
		return err
	}
	setPosition(c, run, done.Position)
	if run.Status == domain.StatusCompleted {
		return s.answerRun(c, http.StatusCreated, run)
	}
	return refuseRun(run)
}

func statusOr(run projections.Run, other domain.RunStatus) domain.RunStatus {
	if run.Status == "" {
		return other
	}
	return run.Status
}

// refuseRun is the answer to the request of a run that ended without a result.
func refuseRun(run projections.Run) error {
	if run.Status == domain.StatusCancelled {
		return &refusal{kind: runCancelled, runID: run.ID, detail: cancelledBecause(run)}
	}
	if run.Status != domain.StatusRefused {
		return &refusal{kind: runFailed, runID: run.ID, detail: run.ProblemType + ": " + run.ProblemTitle}
	}
	refused := &domain.RefusedError{Type: run.ProblemType, Title: run.ProblemTitle, Issues: run.Issues.V}
	k := stressRefused
	if refused.Type == stressTooLarge.Type {
		k = stressTooLarge
	}
	return &refusal{kind: k, runID: run.ID, detail: refused.Error(), title: refused.Title, issues: refused.Issues}
}
