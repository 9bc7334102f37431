package http

import (
	"net/http"

	"github.com/proofload/proofload/domain"
)

func sessionRoutes() []Route {
	const session = "/api/session"
	return []Route{
		{
			Name: "postSession", Method: http.MethodPost, Path: session, Role: Anyone,
			Summary: "Logs a browser in: an HttpOnly cookie for a token, or for the code of a log-in link",
			Body:    body(maxSmallBody, NewSession{}), Answers: answers(200, Session{}),
			Refusals: words(validationError, unauthenticated), handle: (*Server).postSession,
		},
		{
			Name: "getSession", Method: http.MethodGet, Path: session, Role: Member,
			Summary: "Who sends the request", Params: params(), Answers: answers(200, Session{}), handle: (*Server).getSession,
		},
		{
			Name: "deleteSession", Method: http.MethodDelete, Path: session, Role: Member,
			Summary: "Logs the browser out", Params: params(), Answers: answers(204, nil), handle: (*Server).deleteSession,
		},
	}
}

func tokenRoutes() []Route {
	const tokens = "/api/tokens"
	member := Param{Name: "member", In: "query", Type: "string", About: "The name of a member; absent: yourself. Another's: the administrator."}
	return []Route{
		{
			Name: "getTokens", Method: http.MethodGet, Path: tokens, Role: Member,
			Summary: "The tokens of a member that are not revoked, the oldest first", Params: list(member),
			Answers: answers(200, List[Token]{}), Refusals: words(validationError, forbidden, notFound), handle: (*Server).getTokens,
		},
		{
			Name: "postToken", Method: http.MethodPost, Path: tokens, Role: Member,
			Summary: "A new token; its text is shown this once. For another member: the administrator", Params: params(keyParam),
			Body: body(maxSmallBody, NewToken{}), Answers: answers(201, IssuedToken{}),
			Refusals: words(validationError, forbidden, notFound, conflict, idempotencyMismatch), handle: (*Server).postToken,
		},
		{
			Name: "deleteTokens", Method: http.MethodDelete, Path: tokens, Role: Member,
			Summary: "Revokes all tokens of a member at once, also the one of the request when they are your own", Params: params(keyParam, member),
			Answers: answers(204, nil), Refusals: words(forbidden, notFound, idempotencyMismatch), handle: (*Server).deleteTokens,
		},
		{
			Name: "deleteToken", Method: http.MethodDelete, Path: tokens + "/{tokenId}", Role: Member,
			Summary: "Revokes a token: it opens nothing from now on. Another's: the administrator", Params: params(keyParam),
			Answers: answers(204, nil), Refusals: words(notFound), handle: (*Server).deleteToken,
		},
	}
}

func workspaceRoutes() []Route {
	const workspaces = "/api/workspaces"
	const members = workspaces + "/{workspaceId}/members"
	return []Route{
		{
			Name: "getWorkspaces", Method: http.MethodGet, Path: workspaces, Role: Member,
			Summary: "The workspaces in which you have a role, the oldest first", Params: list(),
			Answers: answers(200, List[Workspace]{}), Refusals: words(validationError), handle: (*Server).getWorkspaces,
		},
		{
			Name: "postWorkspace", Method: http.MethodPost, Path: workspaces, Role: Administrator,
			Summary: "A new workspace; you become its owner", Params: params(keyParam), Body: body(maxSmallBody, NewWorkspace{}),
			Answers: answers(201, Created{}), Refusals: words(validationError, idempotencyMismatch), handle: (*Server).postWorkspace,
		},
		{
			Name: "getWorkspace", Method: http.MethodGet, Path: workspaces + "/{workspaceId}", Role: Viewer,
			Summary: "One workspace, with your role in it", Params: params(),
			Answers: answers(200, Workspace{}), Refusals: words(notFound), handle: (*Server).getWorkspace,
		},
		{
			Name: "getMembers", Method: http.MethodGet, Path: members, Role: Owner,
			Summary: "The members of a workspace with their roles, the oldest first", Params: list(),
			Answers: answers(200, List[WorkspaceMember]{}), Refusals: words(validationError, notFound), handle: (*Server).getMembers,
		},
		{
			Name: "postMember", Method: http.MethodPost, Path: members, Role: Owner,
			Summary: "Gives a member that has no role a role, by name; a name that is new to the instance becomes a member", Params: params(keyParam),
			Body: body(maxSmallBody, NewMember{}), Answers: answers(201, Created{}),
			Refusals: words(validationError, notFound, conflict, idempotencyMismatch), handle: (*Server).postMember,
		},
		{
			Name: "putMember", Method: http.MethodPut, Path: members + "/{memberId}", Role: Owner,
			Summary: "Gives a member another role", Params: params(keyParam), Body: body(maxSmallBody, NewRole{}),
			Answers:  answers(200, Created{}),
			Refusals: words(validationError, notFound, conflict, idempotencyMismatch), handle: (*Server).putMember,
		},
		{
			Name: "deleteMember", Method: http.MethodDelete, Path: members + "/{memberId}", Role: Owner,
			Summary: "Takes a member's role away; the last owner stays", Params: params(keyParam),
			Answers: answers(204, nil), Refusals: words(notFound, conflict), handle: (*Server).deleteMember,
		},
	}
}

func settingsRoutes() []Route {
	const workspace, instance = "/api/workspaces/{workspaceId}/settings", "/api/instance/settings"
	return []Route{
		{
			Name: "getWorkspaceSettings", Method: http.MethodGet, Path: workspace, Role: Owner,
			Summary: "What a new profile of the workspace starts with", Params: params(),
			Answers: answers(200, WorkspaceSettings{}), Refusals: words(notFound), handle: (*Server).getWorkspaceSettings,
		},
		{
			Name: "putWorkspaceSettings", Method: http.MethodPut, Path: workspace, Role: Owner,
			Summary: "Saves what a new profile of the workspace starts with", Params: params(ifMatchParam, keyParam),
			Body: body(domain.MaxSettingsBytes, WorkspaceSettings{}), Answers: answers(200, WorkspaceSettings{}),
			Refusals: words(validationError, notFound, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putWorkspaceSettings,
		},
		{
			Name: "getInstanceSettings", Method: http.MethodGet, Path: instance, Role: Member,
			Summary: "What holds for every workspace", Params: params(),
			Answers: answers(200, InstanceSettings{}), handle: (*Server).getInstanceSettings,
		},
		{
			Name: "putInstanceSettings", Method: http.MethodPut, Path: instance, Role: Administrator,
			Summary: "Saves what holds for every workspace, from the next run on", Params: params(ifMatchParam, keyParam),
			Body: body(domain.MaxSettingsBytes, InstanceSettings{}), Answers: answers(200, InstanceSettings{}),
			Refusals: words(validationError, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putInstanceSettings,
		},
	}
}

func projectRoutes() []Route {
	const projects = "/api/projects"
	workspace := Param{Name: "workspaceId", In: "query", Type: "string", About: "Only the projects of this workspace."}
	return []Route{
		{
			Name: "getProjects", Method: http.MethodGet, Path: projects, Role: Member,
			Summary: "The projects of the workspaces in which you have a role, the oldest first", Params: list(workspace),
			Answers: answers(200, List[Project]{}), Refusals: words(validationError), handle: (*Server).getProjects,
		},
		{
			Name: "postProject", Method: http.MethodPost, Path: projects, Role: Editor,
			Summary: "A new project", Params: params(keyParam), Body: body(maxSmallBody, NewProject{}),
			Answers:  answers(201, Created{}),
			Refusals: words(validationError, notFound, idempotencyMismatch), handle: (*Server).postProject,
		},
		{
			Name: "getProject", Method: http.MethodGet, Path: projects + "/{projectId}", Role: Viewer,
			Summary: "One project", Params: params(),
			Answers: answers(200, Project{}), Refusals: words(notFound), handle: (*Server).getProject,
		},
		{
			Name: "putProject", Method: http.MethodPut, Path: projects + "/{projectId}", Role: Editor,
			Summary: "Gives a project another name", Params: params(ifMatchParam, keyParam), Body: body(maxSmallBody, ProjectName{}),
			Answers:  answers(200, SavedName{}),
			Refusals: words(validationError, notFound, conflict, stale, preconditionRequired, idempotencyMismatch), handle: (*Server).putProject,
		},
		{
			Name: "archiveProject", Method: http.MethodPost, Path: projects + "/{projectId}/archive", Role: Owner,
			Summary: "Archives a project for good: it can be read, writes and runs are refused", Params: params(keyParam),
			Answers: answers(200, Created{}), Refusals: words(notFound), handle: (*Server).archiveProject,
		},
	}
}
