package http

import (
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Branch is a branch of a project's model, at its newest version.
type Branch struct {
	ID      string     `json:"id"`   // of main: the project's
	Kind    string     `json:"kind"` // main, draft or variant
	Name    string     `json:"name"`
	Version int        `json:"version"` // of the model; 0: the empty one of a main that was never saved
	SavedAt *time.Time `json:"savedAt"`
	SavedBy *Author    `json:"savedBy"`
}

// NewBranch is the body that opens a branch.
type NewBranch struct {
	Kind string `json:"kind"` // draft or variant
	Name string `json:"name"`
}

// OpenedBranch names a branch that was opened.
type OpenedBranch struct {
	ID      string `json:"id"`
	Version int    `json:"version"` // of its model
}

func (s *Server) getBranches(c *gin.Context) error {
	p, err := s.pageOfProject(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.Branches(c.Request.Context(), c.Param("projectId"), p)
	if err != nil {
		return err
	}
	return answer(c, 200, listOf(rows, func(row projections.Branch) Branch { return s.branch(c, row) }))
}

func (s *Server) branch(c *gin.Context, row projections.Branch) Branch {
	b := Branch{ID: row.ID, Kind: row.Kind, Name: row.Name, Version: row.Version}
	if row.Version > 0 {
		by := s.author(c, row.SavedBy)
		b.SavedAt, b.SavedBy = &row.SavedAt.Time, &by
	}
	return b
}

func (s *Server) postBranch(c *gin.Context) error {
	texts, meta, err := s.small(c, domain.CodeInvalidBranch, "kind", "name")
	if err != nil {
		return err
	}
	done, err := s.Commands.OpenBranch(c.Request.Context(), commands.OpenBranch{
		Meta: meta, ProjectID: c.Param("projectId"), Kind: texts["kind"], Name: texts["name"],
	})
	if err != nil {
		return err
	}
	model := projectPath(c.Param("projectId")) + "/model?branchId=" + done.ID
	return answerSaved(c, done, model, OpenedBranch{ID: done.ID, Version: done.Version})
}
