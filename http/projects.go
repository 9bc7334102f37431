package http

import (
	"errors"
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
	Version     int       `json:"version"`  // of the name: how often it was changed
	Archived    bool      `json:"archived"` // it is only read
	CreatedAt   time.Time `json:"createdAt"`
	CreatedBy   Author    `json:"createdBy"`
}

// NewProject is the body that creates a project.
type NewProject struct {
	Name        string `json:"name"`
	WorkspaceID string `json:"workspaceId,omitempty"` // absent: the workspace default
}

// ProjectName is the body that renames a project.
type ProjectName struct {
	Name string `json:"name"`
}

// SavedName is the answer to a rename.
type SavedName struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
	Name    string `json:"name"`
}

// Created names what a command made.
type Created struct {
	ID string `json:"id"`
}

func (s *Server) postProject(c *gin.Context) error {
	texts, meta, err := s.small(c, domain.CodeInvalidProject, "name", "workspaceId")
	if err != nil {
		return err
	}
	if err := notEmpty(domain.CodeInvalidProject, texts, "workspaceId"); err != nil {
		return err
	}
	cmd := commands.CreateProject{Meta: meta, WorkspaceID: s.WorkspaceID, Name: texts["name"]}
	id, given := texts["workspaceId"]
	if given {
		cmd.WorkspaceID = id
	}
	err = s.allowIn(c.Request, cmd.WorkspaceID, Editor, caller(c))
	if !given && errors.Is(err, domain.ErrNotFound) {
		return refuse(notFound, "you have no role in the workspace of a project that names none; say in workspaceId which workspace of yours it goes to (GET /api/workspaces)")
	}
	if err != nil {
		return err
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
	rows, err := s.Projections.Projects(c.Request.Context(), caller(c).ID, c.Query("workspaceId"), p)
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
	c.Header("ETag", etag(row.Version))
	return answer(c, 200, s.project(c, row))
}

func (s *Server) putProject(c *gin.Context) error {
	base, err := base(c)
	if err != nil {
		return err
	}
	texts, meta, err := s.small(c, domain.CodeInvalidProject, "name")
	if err != nil {
		return err
	}
	done, err := s.Commands.RenameProject(c.Request.Context(), commands.RenameProject{
		Meta: meta, ProjectID: c.Param(projectParam), Base: base, Name: texts["name"],
	})
	if err != nil {
		return err
	}
	return answerSaved(c, done, "", SavedName{ID: done.ID, Version: done.Version, Name: texts["name"]})
}

func (s *Server) archiveProject(c *gin.Context) error {
	meta, err := s.meta(c, nil)
	if err != nil {
		return err
	}
	done, err := s.Commands.ArchiveProject(c.Request.Context(), commands.ArchiveProject{Meta: meta, ProjectID: c.Param(projectParam)})
	if err != nil {
		return err
	}
	return answerDone(c, done, "", Created{ID: done.ID})
}

func (s *Server) project(c *gin.Context, p projections.Project) Project {
	return Project{
		ID: p.ID, WorkspaceID: p.WorkspaceID, Name: p.Name, Version: p.Version, Archived: p.Archived,
		CreatedAt: p.CreatedAt.Time, CreatedBy: s.author(c, p.CreatedBy),
	}
}

// projectPath is the path of a project.
func projectPath(id string) string { return "/api/projects/" + id }
