package http

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// WorkspaceSettings are the settings of a workspace.
type WorkspaceSettings struct {
	Simulation domain.SimulationSettings `json:"simulation"`
}

// InstanceSettings are the settings of the instance.
type InstanceSettings struct {
	Policy InstancePolicy `json:"policy"`
}

// InstancePolicy is what holds for every workspace.
type InstancePolicy struct {
	MaxConcurrentStressRuns int `json:"maxConcurrentStressRuns"` // of one process, over all workspaces: 1 to 64
}

// getWorkspaceSettings reads the stream: settings are never older than the last save.
func (s *Server) getWorkspaceSettings(c *gin.Context) error {
	workspace, err := s.Commands.Workspace(c.Request.Context(), c.Param(workspaceParam))
	if err != nil {
		return err
	}
	c.Header("ETag", etag(workspace.SimulationVersion))
	return answer(c, http.StatusOK, WorkspaceSettings{Simulation: workspace.Settings()})
}

func (s *Server) putWorkspaceSettings(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	doc, err := readDocument(c, domain.MaxSettingsBytes, domain.ParseWorkspaceSettings)
	if err != nil {
		return err
	}
	meta, err := s.meta(c, doc.body)
	if err != nil {
		return err
	}
	done, err := s.Commands.ChangeSimulationSettings(c.Request.Context(), commands.ChangeSimulationSettings{
		Meta: meta, WorkspaceID: c.Param(workspaceParam), Base: base, Settings: doc.value,
	})
	if err != nil {
		return err
	}
	return answerSaved(c, done, "", WorkspaceSettings{Simulation: doc.value})
}

func (s *Server) getInstanceSettings(c *gin.Context) error {
	instance, err := s.Commands.Instance(c.Request.Context())
	if err != nil {
		return err
	}
	c.Header("ETag", etag(instance.Policy.Version))
	return answer(c, http.StatusOK, instanceSettings(instance.MaxRuns()))
}

func instanceSettings(maxRuns int) InstanceSettings {
	return InstanceSettings{Policy: InstancePolicy{MaxConcurrentStressRuns: maxRuns}}
}

func (s *Server) putInstanceSettings(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	doc, err := readDocument(c, domain.MaxSettingsBytes, domain.ParseInstanceSettings)
	if err != nil {
		return err
	}
	meta, err := s.meta(c, doc.body)
	if err != nil {
		return err
	}
	done, err := s.Commands.ChangeInstancePolicy(c.Request.Context(), commands.ChangeInstancePolicy{
		Meta: meta, Base: base, MaxConcurrentStressRuns: doc.value,
	})
	if err != nil {
		return err
	}
	return answerSaved(c, done, "", instanceSettings(doc.value))
}
