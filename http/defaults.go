package http

import "github.com/gin-gonic/gin"

// getDefaults answers what a new profile starts with, from the simulation settings of the project's workspace.
func (s *Server) getDefaults(c *gin.Context) error {
	project, err := s.Projections.Project(c.Request.Context(), c.Param("projectId"))
	if err != nil {
		return err
	}
	workspace, err := s.Commands.Workspace(c.Request.Context(), project.WorkspaceID)
	if err != nil {
		return err
	}
	return answer(c, 200, workspace.Settings().ProfileDefaults())
}
