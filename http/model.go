package http

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// emptyModel is the model of a branch that was never saved.
const emptyModel = `{"bindings":[],"channels":[],"elements":[],"operations":[],"subscriptions":[]}`

func (s *Server) getModel(c *gin.Context) error {
	version, err := queryVersion(c)
	if err != nil {
		return err
	}
	branch, err := s.Projections.Branch(c.Request.Context(), c.Param("projectId"), branchID(c))
	if err != nil {
		return err
	}
	saved, err := s.modelVersion(c, branch, version)
	if err != nil {
		return err
	}
	if saved.Version == 0 {
		c.Header("ETag", etag(0))
		return answer(c, 200, Document[json.RawMessage]{ID: branch.ID, Document: []byte(emptyModel)})
	}
	return s.answerDocument(c, branch.ID, saved)
}

// modelVersion is a version of a branch; nil: the newest. Version 0, the empty model, is main's alone: another branch begins
// at version 1.
func (s *Server) modelVersion(c *gin.Context, branch projections.Branch, version *int) (projections.Saved, error) {
	switch {
	case version == nil || *version == branch.Version:
		return branch.Saved, nil
	case *version == 0 && branch.Kind == projections.BranchMain:
		return projections.Saved{}, nil
	}
	return s.Projections.ModelVersion(c.Request.Context(), branch.ID, *version)
}

func (s *Server) putModel(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	doc, err := readDocument(c, domain.MaxModelBytes, domain.ParseModel)
	if err != nil {
		return err
	}
	meta, err := s.meta(c, doc.body)
	if err != nil {
		return err
	}
	done, err := s.Commands.SaveModel(c.Request.Context(), commands.SaveModel{
		Meta: meta, ProjectID: c.Param("projectId"), BranchID: branchID(c), Base: base, Document: doc.value, Raw: doc.raw,
	})
	if err != nil {
		return err
	}
	return answerSaved(c, done, "", SavedDocument[json.RawMessage]{ID: done.ID, Version: done.Version, Document: doc.raw})
}

// newestModel reads the model of the branch that the query names.
func (s *Server) newestModel(c *gin.Context) (domain.Model, error) {
	branch, err := s.Projections.Branch(c.Request.Context(), c.Param("projectId"), branchID(c))
	if err != nil || branch.Version == 0 {
		return domain.Model{}, err
	}
	return load(s, c, branch.Blob, domain.ParseModel)
}

// scenarioVersion is the version of a scenario that the query names.
func (s *Server) scenarioVersion(c *gin.Context, scenario projections.Scenario) (projections.Saved, error) {
	version, err := queryVersion(c)
	if err != nil || version == nil || *version == scenario.Version {
		return scenario.Saved, err
	}
	return s.Projections.ScenarioVersion(c.Request.Context(), scenario.ID, *version)
}
