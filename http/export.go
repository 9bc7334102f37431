package http

import (
	"encoding/json"
	"errors"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Bundle is what the command line runs: a profile with all that it needs. M, S, P and O say what the documents are;
// they pass as they are stored.
type Bundle[M, S, P, O any] struct {
	Model      M `json:"model"`
	Scenario   S `json:"scenario"` // null: it was deleted
	Profile    P `json:"profile"`
	Objectives O `json:"objectives,omitempty"` // absent: none were saved
}

// getExport answers the newest versions of a profile, its scenario and objectives, and the model of a branch.
func (s *Server) getExport(c *gin.Context) error {
	ctx, projectID := c.Request.Context(), c.Param("projectId")
	id := c.Query("profileId")
	if id == "" {
		return invalidParam("profileId", "names the profile; it is missing")
	}
	profile, err := s.Projections.Profile(ctx, projectID, id)
	if err != nil {
		return err
	}
	branch, err := s.Projections.Branch(ctx, projectID, branchID(c))
	if err != nil {
		return err
	}
	b := Bundle[json.RawMessage, json.RawMessage, json.RawMessage, json.RawMessage]{Model: []byte(emptyModel)}
	if branch.Version > 0 {
		if b.Model, err = s.Blobs.Blob(ctx, branch.Blob); err != nil {
			return err
		}
	}
	if b.Profile, err = s.Blobs.Blob(ctx, profile.Blob); err != nil {
		return err
	}
	if b.Scenario, b.Objectives, err = s.exportScenario(c, profile); err != nil {
		return err
	}
	return answer(c, 200, b)
}

// exportScenario reads the scenario of a profile and its objectives; nil: there is none.
func (s *Server) exportScenario(c *gin.Context, profile projections.Profile) (scenario, objectives json.RawMessage, err error) {
	ctx := c.Request.Context()
	row, err := s.Projections.Scenario(ctx, profile.ProjectID, profile.ScenarioID)
	if errors.Is(err, domain.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if scenario, err = s.Blobs.Blob(ctx, row.Blob); err != nil {
		return nil, nil, err
	}
	saved, err := s.Projections.Objectives(ctx, row.ID)
	if err != nil || saved.Version == 0 {
		return scenario, nil, err
	}
	objectives, err = s.Blobs.Blob(ctx, saved.Blob)
	return scenario, objectives, err
}
