package http

import (
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

const maxSmallBody = 4 << 10 // bytes of a body that is not a document

// Project is a project of a workspace.
type Project struct {
	ID          string    `json:"id"`
	WorkspaceID string    `json:"workspaceId"`
	Name        string    `json:"name"`
	CreatedAt   time.Time `json:"createdAt"`
	CreatedBy   Author    `json:"createdBy"`
}

// NewProject is the body that creates a project.
type NewProject struct {
	Name        string `json:"name"`
	WorkspaceID string `json:"workspaceId,omitempty"` // absent: the workspace of the member
}

// Created names what a command made.
type Created struct {
	ID string `json:"id"`
}

func (s *Server) postProject(c *gin.Context) error {
	body, err := readBody(c, maxSmallBody)
	if err != nil {
		return err
	}
	texts, err := members(domain.CodeInvalidProject, body, "name", "workspaceId")
	if err != nil {
		return err
	}
	meta, err := s.meta(c, body)
	if err != nil {
		return err
	}
	cmd := commands.CreateProject{Meta: meta, WorkspaceID: s.WorkspaceID, Name: texts["name"]}
	if id := texts["workspaceId"]; id != "" {
		cmd.WorkspaceID = id
	}
	done, err := s.Commands.CreateProject(c.Request.Context(), cmd)
	if err != nil {
		return err
	}
	return answerDone(c, done, projectPath(done.ID), Created{ID: done.ID})
}

func (s *Server) getProjects(c *gin.Context) error {
	p, err := page(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.Projects(c.Request.Context(), s.WorkspaceID, p)
	if err != nil {
		return err
	}
	return answer(c, 200, listOf(rows, func(p projections.Project) Project { return s.project(c, p) }))
}

func (s *Server) getProject(c *gin.Context) error {
	row, err := s.Projections.Project(c.Request.Context(), c.Param("projectId"))
	if err != nil {
		return err
	}
	return answer(c, 200, s.project(c, row))
}

func (s *Server) project(c *gin.Context, p projections.Project) Project {
	return Project{ID: p.ID, WorkspaceID: p.WorkspaceID, Name: p.Name, CreatedAt: p.CreatedAt.Time, CreatedBy: s.author(c.Request.Context(), p.CreatedBy)}
}

// projectPath is the path of a project.
func projectPath(id string) string { return "/api/projects/" + id }
