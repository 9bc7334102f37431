package http

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

func (s *Server) getScenarios(c *gin.Context) error {
	p, err := s.pageOfProject(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.Scenarios(c.Request.Context(), c.Param("projectId"), p)
	if err != nil {
		return err
	}
	return answer(c, 200, listOf(rows, func(row projections.Scenario) DocumentItem {
		by := s.author(c, row.SavedBy)
		return DocumentItem{ID: row.ID, Name: row.Name, Version: row.Version, SavedAt: row.SavedAt.Time, SavedBy: by}
	}))
}

// pageOfProject reads the page of a list below a project that exists.
func (s *Server) pageOfProject(c *gin.Context) (projections.Page, error) {
	p, err := page(c)
	if err != nil {
		return p, err
	}
	_, err = s.Projections.Project(c.Request.Context(), c.Param("projectId"))
	return p, err
}

func (s *Server) getScenario(c *gin.Context) error {
	scenario, err := s.Projections.Scenario(c.Request.Context(), c.Param("projectId"), c.Param("scenarioId"))
	if err != nil {
		return err
	}
	version, err := s.scenarioVersion(c, scenario)
	if err != nil {
		return err
	}
	return s.answerDocument(c, scenario.ID, version)
}

func (s *Server) postScenario(c *gin.Context) error { return s.saveScenario(c, "", 0) }

func (s *Server) putScenario(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	return s.saveScenario(c, c.Param("scenarioId"), base)
}

// saveScenario saves a version; an empty id creates a scenario.
func (s *Server) saveScenario(c *gin.Context, id string, base int) error {
	doc, err := readDocument(c, domain.MaxScenarioBytes, domain.ParseScenario)
	if err != nil {
		return err
	}
	meta, err := s.meta(c, doc.body)
	if err != nil {
		return err
	}
	done, err := s.Commands.SaveScenario(c.Request.Context(), commands.SaveScenario{
		Meta: meta, ProjectID: c.Param("projectId"), ScenarioID: id, Base: base, Document: doc.value, Raw: doc.raw,
	})
	if err != nil {
		return err
	}
	created := ""
	if id == "" {
		created = projectPath(c.Param("projectId")) + "/scenarios/" + done.ID
	}
	return answerSaved(c, done, created, SavedDocument[json.RawMessage]{ID: done.ID, Version: done.Version, Document: doc.raw})
}

// getTrace answers the tree of what resolves, and all issues.
func (s *Server) getTrace(c *gin.Context) error {
	model, scenario, err := s.traced(c, c.Param("scenarioId"))
	if err != nil {
		return err
	}
	return answer(c, 200, domain.TraceScenario(model, scenario))
}

// traced reads what a trace is computed from: the newest model of the branch and the newest scenario.
func (s *Server) traced(c *gin.Context, scenarioID string) (domain.Model, domain.Scenario, error) {
	row, err := s.Projections.Scenario(c.Request.Context(), c.Param("projectId"), scenarioID)
	if err != nil {
		return domain.Model{}, domain.Scenario{}, err
	}
	model, err := s.newestModel(c)
	if err != nil {
		return domain.Model{}, domain.Scenario{}, err
	}
	scenario, err := load(s, c, row.Blob, domain.ParseScenario)
	return model, scenario, err
}

// getRequirements answers what a profile for a scenario must state; of an invalid scenario, its issues.
func (s *Server) getRequirements(c *gin.Context) error {
	id := c.Query("scenarioId")
	if id == "" {
		return invalidParam("scenarioId", "names the scenario; it is missing")
	}
	model, scenario, err := s.traced(c, id)
	if err != nil {
		return err
	}
	trace := domain.TraceScenario(model, scenario)
	if len(trace.Issues) > 0 {
		return &domain.RefusedError{Type: stressRefused.Type, Title: stressRefused.Title, Issues: trace.Issues}
	}
	return answer(c, 200, domain.RequirementsOf(model, scenario, trace))
}
