package http

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// getObjectives answers the newest objectives of a scenario; none at version 0 when they were never saved.
func (s *Server) getObjectives(c *gin.Context) error {
	scenario, err := s.Projections.Scenario(c.Request.Context(), c.Param("projectId"), c.Param("scenarioId"))
	if err != nil {
		return err
	}
	saved, err := s.Projections.Objectives(c.Request.Context(), scenario.ID)
	if err != nil {
		return err
	}
	if saved.Version == 0 {
		c.Header("ETag", etag(0))
		return answer(c, 200, Document[json.RawMessage]{ID: scenario.ID, Document: []byte("[]")})
	}
	return s.answerDocument(c, scenario.ID, saved)
}

func (s *Server) putObjectives(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	doc, err := readDocument(c, domain.MaxObjectivesBytes, domain.ParseObjectives)
	if err != nil {
		return err
	}
	meta, err := s.meta(c, doc.body)
	if err != nil {
		return err
	}
	done, err := s.Commands.SaveObjectives(c.Request.Context(), commands.SaveObjectives{
		Meta: meta, ProjectID: c.Param("projectId"), ScenarioID: c.Param("scenarioId"), Base: base, Raw: doc.raw,
	})
	if err != nil {
		return err
	}
	return answerSaved(c, done, "", SavedDocument[json.RawMessage]{ID: done.ID, Version: done.Version, Document: doc.raw})
}
