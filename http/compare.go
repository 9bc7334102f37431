package http

import (
	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Comparison is what two stored runs differ in, without a verdict. Delta is right minus left.
type Comparison struct {
	Left  RunItem `json:"left"`
	Right RunItem `json:"right"`
	domain.Comparison
}

func (s *Server) getComparison(c *gin.Context) error {
	left, err := s.storedRun(c, "left")
	if err != nil {
		return err
	}
	right, err := s.storedRun(c, "right")
	if err != nil {
		return err
	}
	l, err := s.storedResult(c, left)
	if err != nil {
		return err
	}
	r, err := s.storedResult(c, right)
	if err != nil {
		return err
	}
	compared, err := domain.CompareResults(l, r)
	if err != nil {
		return err
	}
	return answer(c, 200, Comparison{Left: s.runItem(c, left), Right: s.runItem(c, right), Comparison: compared})
}

// storedRun is the run that a parameter of the query names. Only a run with a result is a stored run.
func (s *Server) storedRun(c *gin.Context, param string) (projections.Run, error) {
	id := c.Query(param)
	if id == "" {
		return projections.Run{}, invalidParam(param, "names a stored run; it is missing")
	}
	row, err := s.Projections.Run(c.Request.Context(), c.Param("projectId"), id)
	if err == nil && row.Status != domain.StatusCompleted {
		err = refuse(notFound, "run %s is not a stored run: it is %s", id, row.Status)
	}
	return row, err
}

func (s *Server) storedResult(c *gin.Context, row projections.Run) (domain.StoredResult, error) {
	document, err := s.Blobs.Blob(c.Request.Context(), row.ResultBlob)
	pins := &domain.Pins{
		Profile: domain.Pin{ID: row.ProfileID, Version: row.ProfileVersion},
		Model:   domain.Pin{ID: row.BranchID, Version: row.ModelVersion},
	}
	if row.ScenarioVersion != nil { // a stored run has one
		pins.Scenario = domain.Pin{ID: row.ScenarioID, Version: *row.ScenarioVersion}
	}
	return domain.StoredResult{Document: document, Pins: pins}, err
}
