package http

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Workspace is a workspace in which the member who asks has a role.
type Workspace struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"` // yours: viewer, editor or owner
}

// NewWorkspace is the body that opens a workspace.
type NewWorkspace struct {
	Name string `json:"name"`
}

// WorkspaceMember is a member with a role in a workspace.
type WorkspaceMember struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

// NewMember is the body that gives a member of the instance, or a new one, a role where it has none.
type NewMember struct {
	Name string `json:"name"`
	Role string `json:"role"` // viewer, editor or owner
}

// NewRole is the body that gives a member another role.
type NewRole struct {
	Role string `json:"role"` // viewer, editor or owner
}

func workspaceOf(row projections.Workspace) Workspace {
	return Workspace{ID: row.ID, Name: row.Name, Role: row.Role}
}

func (s *Server) getWorkspaces(c *gin.Context) error {
	p, err := page(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.Workspaces(c.Request.Context(), caller(c).ID, p)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, listOf(rows, workspaceOf))
}

func (s *Server) getWorkspace(c *gin.Context) error {
	row, err := s.Projections.Workspace(c.Request.Context(), caller(c).ID, c.Param(workspaceParam))
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, workspaceOf(row))
}

// small reads a small body with some of the named members, and makes what a command carries.
func (s *Server) small(c *gin.Context, code string, names ...string) (map[string]string, commands.Meta, error) {
	body, err := readBody(c, maxSmallBody)
	if err != nil {
		return nil, commands.Meta{}, err
	}
	texts, err := members(code, body, names...)
	if err != nil {
		return nil, commands.Meta{}, err
	}
	meta, err := s.meta(c, body)
	return texts, meta, err
}

func (s *Server) postWorkspace(c *gin.Context) error {
	texts, meta, err := s.small(c, domain.CodeInvalidWorkspace, "name")
	if err != nil {
		return err
	}
	done, err := s.Commands.CreateWorkspace(c.Request.Context(), commands.CreateWorkspace{Meta: meta, Name: texts["name"]})
	if err != nil {
		return err
	}
	return answerDone(c, done, "/api/workspaces/"+done.ID, Created{ID: done.ID})
}

func (s *Server) getMembers(c *gin.Context) error {
	p, err := page(c)
	if err != nil {
		return err
	}
	rows, err := s.Projections.WorkspaceMembers(c.Request.Context(), c.Param(workspaceParam), p)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, listOf(rows, func(row projections.WorkspaceMember) WorkspaceMember {
		return WorkspaceMember{ID: row.ID, Name: row.Name, Role: row.Role}
	}))
}

func (s *Server) postMember(c *gin.Context) error {
	texts, meta, err := s.small(c, domain.CodeInvalidMember, "name", "role")
	if err != nil {
		return err
	}
	done, err := s.Commands.JoinMember(c.Request.Context(), commands.JoinMember{
		Meta: meta, WorkspaceID: c.Param(workspaceParam), Name: texts["name"], Role: texts["role"],
	})
	if err != nil {
		return err
	}
	return answerDone(c, done, "/api/workspaces/"+c.Param(workspaceParam)+"/members/"+done.ID, Created{ID: done.ID})
}

func (s *Server) putMember(c *gin.Context) error {
	texts, meta, err := s.small(c, domain.CodeInvalidRole, "role")
	if err != nil {
		return err
	}
	id := c.Param("memberId")
	workspace, err := s.Commands.Workspace(c.Request.Context(), c.Param(workspaceParam))
	if err != nil {
		return err
	}
	if workspace.Roles[id] == "" {
		return refuse(notFound, "the workspace has no member %s", id)
	}
	done, err := s.Commands.GrantMember(c.Request.Context(), commands.GrantMember{
		Meta: meta, WorkspaceID: c.Param(workspaceParam), MemberID: id, Role: texts["role"],
	})
	if err != nil {
		return err
	}
	return answerDone(c, done, "", Created{ID: id})
}

func (s *Server) deleteMember(c *gin.Context) error {
	return s.deletion(c, func(m commands.Meta) (commands.Answer, error) {
		return s.Commands.RevokeMember(c.Request.Context(), commands.RevokeMember{
			Meta: m, WorkspaceID: c.Param(workspaceParam), MemberID: c.Param("memberId"),
		})
	})
}
