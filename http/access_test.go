package http

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Who sends a request of the matrix. The administrator has no role in the workspace; the stranger owns another one.
const (
	nobody        = "no token"
	stranger      = "member of another workspace"
	viewer        = "Viewer"
	editor        = "Editor"
	owner         = "Owner"
	administrator = "administrator"
)

// senders are those of the matrix, the ones who may least first: who may delete something comes last.
var senders = []string{nobody, stranger, administrator, viewer, editor, owner}

// verdicts are what each sender gets at a role: 401, 403, 404, or 200 for any answer of the handler itself (spec 3,
// Roles).
var verdicts = map[Role]map[string]int{
	Anyone:        {nobody: 200, stranger: 200, viewer: 200, editor: 200, owner: 200, administrator: 200},
	Member:        {nobody: 401, stranger: 200, viewer: 200, editor: 200, owner: 200, administrator: 200},
	Viewer:        {nobody: 401, stranger: 404, viewer: 200, editor: 200, owner: 200, administrator: 404},
	Editor:        {nobody: 401, stranger: 404, viewer: 403, editor: 200, owner: 200, administrator: 404},
	Owner:         {nobody: 401, stranger: 404, viewer: 403, editor: 403, owner: 200, administrator: 404},
	Administrator: {nobody: 401, stranger: 403, viewer: 403, editor: 403, owner: 403, administrator: 200},
}

// roles are those of spec 3 ("Roles") and of the page ("HTTP"), route by route, written down here and not taken from the
// table under test. Below a project: reading is the Viewer's, writing, cancelling and the creation of a project the
// Editor's; settings, members and archiving are the Owner's; own tokens the member's; creating workspaces, instance
// settings and what concerns the whole instance the administrator's.
var roles = map[string]Role{
	"getHealth": Anyone, "getReadiness": Anyone, "getOpenAPI": Anyone, "postSession": Anyone,
	"getSession": Member, "deleteSession": Member, "getTokens": Member, "postToken": Member, "deleteToken": Member, "deleteTokens": Member,
	"getWorkspaces": Member, "getProjects": Member, "getInstanceSettings": Member, "getLog": Member,

	"getWorkspace": Viewer, "getProject": Viewer, "getBranches": Viewer, "getModel": Viewer, "getScenarios": Viewer, "getScenario": Viewer,
	"getTrace": Viewer, "getObjectives": Viewer, "getExport": Viewer, "getRequirements": Viewer, "getDefaults": Viewer, "getProfiles": Viewer,
	"getProfile": Viewer, "getProfileVersions": Viewer, "getProfileVersion": Viewer, "getProfileRuns": Viewer, "getRuns": Viewer, "getRun": Viewer,
	"getComparison": Viewer,

	"postProject": Editor, "putProject": Editor, "postBranch": Editor, "putModel": Editor, "postScenario": Editor, "putScenario": Editor,
	"deleteScenario": Editor, "putObjectives": Editor, "postProfile": Editor, "putProfile": Editor, "deleteProfile": Editor, "postRun": Editor,
	"cancelRun": Editor, "deleteRun": Editor,

	"getMembers": Owner, "postMember": Owner, "putMember": Owner, "deleteMember": Owner, "getWorkspaceSettings": Owner, "putWorkspaceSettings": Owner,
	"archiveProject": Owner,

	"postWorkspace": Administrator, "putInstanceSettings": Administrator, "getProjections": Administrator, "postRebuild": Administrator,
	"getBackup": Administrator,
}

// matrixQueries are those that a route needs to answer at all.
var matrixQueries = map[string]string{
	"getRequirements": "?scenarioId={scenarioId}", "getExport": "?profileId={profileId}", "getComparison": "?left={runId}&right={runId}",
}

// matrixBodies are those of routes whose workspace stands in the body.
var matrixBodies = map[string]string{"postProject": `{"name":"x","workspaceId":"{workspaceId}"}`}

// team is a shop with a member for each sender.
type team struct {
	*world
	tokens map[string]string
	paths  *strings.Replacer // of the parameters of paths
}

func newTeam(t *testing.T) *team {
	t.Helper()
	w := newWorld(t)
	w.shop()
	runID := storedRunID(w)
	m := &team{world: w, tokens: map[string]string{
		nobody: "", viewer: w.invite("vera", "viewer"), editor: w.invite("ed", "editor"), owner: w.invite("ow", "owner"),
		stranger: w.invite("eve", ""), administrator: w.token,
	}}
	other := w.make(request{method: "POST", path: "/api/workspaces", body: `{"name":"Other"}`})
	w.make(request{method: "POST", path: "/api/workspaces/" + other + "/members", body: `{"name":"eve","role":"owner"}`})
	var me Session
	w.send(request{method: "GET", path: "/api/session"}.as(m.tokens[viewer])).into(t, &me)
	leave := request{method: "DELETE", path: "/api/workspaces/" + w.first.WorkspaceID + "/members/" + w.first.MemberID}
	if r := w.send(leave); r.status != 204 {
		t.Fatalf("the administrator cannot leave: %d %s", r.status, r.body)
	}
	w.caughtUp()
	m.paths = strings.NewReplacer("{projectId}", w.projectID, "{workspaceId}", w.first.WorkspaceID, "{scenarioId}", w.scenarioID,
		"{profileId}", w.profileID, "{runId}", runID, "{version}", "1", "{memberId}", me.Member.ID, "{tokenId}", unknown, "{projection}", "views")
	return m
}

// ask sends a request of the matrix.
func (m *team) ask(route Route, sender string) reply {
	r := request{method: route.Method, path: m.paths.Replace(route.Path), body: m.paths.Replace(matrixBodies[route.Name]), anonymous: true}
	if strings.Contains(r.path, "{") {
		m.t.Fatalf("%s: the matrix does not know a parameter of %s", route.Name, r.path)
	}
	r.path += m.paths.Replace(matrixQueries[route.Name])
	if route.Name == "postRun" {
		r.header = []string{"Prefer: respond-async"}
	}
	if sender != nobody {
		r = r.as(m.tokens[sender])
	}
	return m.send(r)
}

// TestAccess sends every route of the table as every sender.
func TestAccess(t *testing.T) {
	for _, route := range Routes() {
		t.Run(route.Name, func(t *testing.T) {
			t.Parallel()
			role, known := roles[route.Name]
			if !known {
				t.Fatal("the matrix does not know the route")
			}
			if route.Role != role {
				t.Errorf("the table gives it to %s, spec 3 to %s", route.Role, role)
			}
			want := verdicts[role]
			m := newTeam(t)
			for _, sender := range senders {
				m.judge(route, sender, want[sender])
			}
		})
	}
}

func (m *team) judge(route Route, sender string, want int) {
	m.t.Helper()
	got := m.ask(route, sender)
	hidden := got.status == 404 && strings.Contains(got.problem(m.t).Detail, m.paths.Replace(scopeOf(route)))
	switch {
	case want == 200 && (got.status == 401 || got.status == 403 || hidden || got.status >= 500):
		m.t.Errorf("%s is refused: %d %s", sender, got.status, got.body)
	case want == 200 && route.Method == http.MethodGet && got.status != 200:
		m.t.Errorf("%s cannot read: %d %s", sender, got.status, got.body)
	case want == 404 && !hidden, want != 200 && got.status != want:
		m.t.Errorf("%s gets %d, want %d: %s", sender, got.status, want, got.body)
	case want == 401 && got.header.Get("WWW-Authenticate") == "":
		m.t.Errorf("%s: 401 without WWW-Authenticate", sender)
	}
}

// scopeOf is what a 404 hides: the project or the workspace of the route.
func scopeOf(route Route) string {
	if strings.Contains(route.Path, "{projectId}") {
		return "project {projectId}"
	}
	return "workspace {workspaceId}"
}

// The matrix has no row of a route that is not there.
func TestTheMatrixHasNoOtherRoutes(t *testing.T) {
	for name := range roles {
		if !slices.ContainsFunc(Routes(), func(r Route) bool { return r.Name == name }) {
			t.Errorf("%s is no route", name)
		}
	}
}

// No handler is reached beside the table but the pages of the log-in.
func TestEveryRouteIsInTheTable(t *testing.T) {
	w := newWorld(t)
	var known []string
	for _, r := range Routes() {
		known = append(known, r.Method+" "+ginPath(r.Path))
	}
	for _, p := range webPages {
		known = append(known, "GET "+p.path)
	}
	for _, route := range known { // HEAD comes with GET
		if path, ok := strings.CutPrefix(route, "GET "); ok {
			known = append(known, "HEAD "+path)
		}
	}
	for _, r := range w.server.engine().Routes() {
		if !slices.Contains(known, r.Method+" "+r.Path) {
			t.Errorf("%s %s is not in the table", r.Method, r.Path)
		}
	}
	if got := len(w.server.engine().Routes()); got != len(known) {
		t.Errorf("%d routes, %d are known", got, len(known))
	}
}

// Lists show what is in workspaces in which one has a role, and nothing else.
func TestListsShowWhatOneMaySee(t *testing.T) {
	m := newTeam(t)
	for sender, want := range map[string][2]string{
		viewer: {"Shop", "default"}, stranger: {"", "Other"}, administrator: {"", "Other"},
	} {
		var projects List[Project]
		var workspaces List[Workspace]
		m.send(request{method: "GET", path: "/api/projects"}.as(m.tokens[sender])).into(t, &projects)
		m.send(request{method: "GET", path: "/api/workspaces"}.as(m.tokens[sender])).into(t, &workspaces)
		var got [2]string
		for _, p := range projects.Items {
			got[0] += p.Name
		}
		for _, w := range workspaces.Items {
			got[1] += w.Name
		}
		if got != want {
			t.Errorf("%s sees %q, want %q", sender, got, want)
		}
		elsewhere := m.send(request{method: "GET", path: "/api/projects?workspaceId=" + unknown}.as(m.tokens[sender]))
		if elsewhere.into(t, &projects); len(projects.Items) != 0 {
			t.Errorf("%s sees %v in another workspace", sender, projects.Items)
		}
	}
}

// A role that is taken away opens nothing from the answer on, whatever the read models show.
func TestARoleEndsAtOnce(t *testing.T) {
	w := newWorld(t)
	w.shop()
	token := w.invite("bob", "editor")
	read := request{method: "GET", path: w.at("")}.as(token)
	if r := w.send(read); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	var l List[WorkspaceMember]
	members := "/api/workspaces/" + w.first.WorkspaceID + "/members"
	w.send(request{method: "GET", path: members}).into(t, &l)
	if r := w.send(request{method: "DELETE", path: members + "/" + l.Items[1].ID}); r.status != 204 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := w.send(read); r.status != 404 {
		t.Errorf("after the revocation: %d", r.status)
	}
}
