package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
)

const keyCaller = "caller"

// Names of path parameters that say where a role is asked for.
const (
	projectParam   = "projectId"
	workspaceParam = "workspaceId"
)

// admit lets the members pass who may use a route. It comes before everything that a request can cost.
func (s *Server) admit(r Route) gin.HandlerFunc {
	return func(c *gin.Context) {
		if r.Role == Anyone {
			return
		}
		who, err := s.authenticate(c.Request)
		if err == nil {
			c.Set(keyCaller, who)
			err = s.allow(c, r.Role, who)
		}
		if err != nil {
			s.fail(c, err)
		}
	}
}

// caller is the member who sends the request.
func caller(c *gin.Context) domain.Member {
	who, _ := c.Get(keyCaller)
	member, _ := who.(domain.Member)
	return member
}

// authenticate finds the member by the bearer token, the user header of a proxy, or the cookie of a browser. A
// bearer token that is not valid is refused whatever else the request has.
func (s *Server) authenticate(r *http.Request) (domain.Member, error) {
	access := s.access(r)
	if token, ok := bearer(r); ok {
		return access.Authenticate(r.Context(), token)
	}
	if users := s.proxiedUsers(r); len(users) > 0 {
		return s.proxiedMember(r.Context(), access, users)
	}
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		return access.Authenticate(r.Context(), cookie.Value)
	}
	return domain.Member{}, domain.ErrUnauthenticated
}

// proxiedMember is the member whom the header of a proxy names.
func (s *Server) proxiedMember(ctx context.Context, known access, users []string) (domain.Member, error) {
	if len(users) > 1 || users[0] == "" {
		return domain.Member{}, refuse(unauthenticated, "the header %s of the proxy names nobody, or more than one member", s.UserHeader)
	}
	member, err := known.MemberNamed(ctx, users[0])
	if errors.Is(err, domain.ErrUnauthenticated) {
		return member, refuse(unauthenticated, "the header %s of the proxy names %q, and no member has this name; "+
			"an owner of a workspace lets it in: POST /api/workspaces/{workspaceId}/members", s.UserHeader, users[0])
	}
	return member, err
}

// access says who has a token and which role. A request that only reads may be let in by what the log last said.
type access interface {
	Authenticate(ctx context.Context, token string) (domain.Member, error)
	MemberNamed(ctx context.Context, name string) (domain.Member, error)
	Role(ctx context.Context, workspaceID, memberID string) (string, error)
}

func (s *Server) access(r *http.Request) access {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return s.Commands.Known()
	}
	return s.Commands
}

// bearer is the token of an Authorization header. Another scheme is that of a proxy and says nothing here.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}

// proxiedUsers are the values of the user header, if the request comes from the proxy that sets it.
func (s *Server) proxiedUsers(r *http.Request) []string {
	if s.UserHeader == "" || !s.fromProxy(r) {
		return nil
	}
	return r.Header.Values(s.UserHeader)
}

// fromProxy says whether the connection comes from a proxy of ours.
func (s *Server) fromProxy(r *http.Request) bool {
	peer, ok := peerOf(r)
	return ok && !atDoor(r) && slices.ContainsFunc(s.Proxies, func(p netip.Prefix) bool { return p.Contains(peer) })
}

// peerOf is the other end of the connection.
func peerOf(r *http.Request) (netip.Addr, bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap().WithZone(""), err == nil
}

// allow asks for the role where the path says: in its workspace, or in that of its project. A path with neither
// leaves it to the handler, which knows the workspace from the body.
func (s *Server) allow(c *gin.Context, needed Role, who domain.Member) error {
	switch {
	case needed == Member:
		return nil
	case needed == Administrator:
		if !who.Administrator {
			return refuse(forbidden, "only the administrator of the instance may do this")
		}
		return nil
	case c.Param(projectParam) != "":
		return s.allowInProject(c.Request, c.Param(projectParam), needed, who)
	case c.Param(workspaceParam) != "":
		return s.allowIn(c.Request, c.Param(workspaceParam), needed, who)
	}
	return nil
}

// allowInProject answers who has no role as if there were no such project.
func (s *Server) allowInProject(r *http.Request, projectID string, needed Role, who domain.Member) error {
	workspaceID, err := s.workspaceOf(r.Context(), projectID)
	if err == nil {
		err = s.allowIn(r, workspaceID, needed, who)
	}
	if errors.Is(err, domain.ErrNotFound) {
		return fmt.Errorf("project %s: %w", projectID, domain.ErrNotFound)
	}
	return err
}

// allowIn asks for a role in a workspace. Who has none does not learn that it exists.
func (s *Server) allowIn(r *http.Request, workspaceID string, needed Role, who domain.Member) error {
	role, err := s.access(r).Role(r.Context(), workspaceID, who.ID)
	if err != nil {
		return err
	}
	if !domain.RoleAllows(role, string(needed)) {
		return refuse(forbidden, "it needs the role %s in the workspace; yours is %s", needed, role)
	}
	return nil
}

// workspaceOf is the workspace of a project, which never changes.
func (s *Server) workspaceOf(ctx context.Context, projectID string) (string, error) {
	if known, ok := s.workspaces.Load(projectID); ok {
		return known.(string), nil
	}
	id, err := s.Commands.WorkspaceOf(ctx, projectID)
	if err == nil {
		s.workspaces.Store(projectID, id)
	}
	return id, err
}
