package http

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proofload/proofload/commands"
)

func logContracts() []contract {
	rebuild := func(name string) func(*world) request {
		return func(*world) request { return request{method: "POST", path: "/api/projections/" + name + "/rebuild"} }
	}
	return []contract{
		{route: "getLog", name: "all that the administrator did", request: getAbsolute("/api/log?limit=200"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[LogEntry[EventPayload]]
			r.into(t, &l)
			var names []string
			for _, entry := range l.Items {
				for _, e := range entry.Events {
					names = append(names, e.Name)
				}
			}
			for _, name := range []string{"MemberCreated", "WorkspaceCreated", "ProjectCreated", "ModelSaved", "ScenarioSaved", "ProfileSaved", "ProfileAdmitted"} {
				if !slices.Contains(names, name) {
					t.Errorf("%s is not among %v", name, names)
				}
			}
			last := l.Items[len(l.Items)-1]
			if l.NextCursor != "" || last.Aggregate != "project" || last.AggregateID != w.projectID || last.WorkspaceID != w.first.WorkspaceID ||
				last.Member.Name != "admin" || !last.At.Equal(started) || last.Events[0].Data["profileId"] != w.profileID {
				t.Errorf("next %q, last %+v", l.NextCursor, last)
			}
		}},
		{route: "getLog", name: "page by page", request: getAbsolute("/api/log?limit=1"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var whole List[LogEntry[EventPayload]]
			w.send(request{method: "GET", path: "/api/log?limit=200"}).into(t, &whole)
			var got []string
			for {
				var l List[LogEntry[EventPayload]]
				r.into(t, &l)
				got = append(got, l.Items[0].Position)
				if l.NextCursor == "" {
					break
				}
				r = w.send(request{method: "GET", path: "/api/log?limit=1&cursor=" + l.NextCursor})
			}
			if len(got) != len(whole.Items) || got[len(got)-1] != whole.Items[len(got)-1].Position {
				t.Errorf("%v, want as many as %d", got, len(whole.Items))
			}
		}},
		{route: "getLog", name: "behind the end", request: getAbsolute("/api/log?cursor=999999"), status: 200, check: func(t *testing.T, _ *world, r reply) {
			if got := strings.TrimSpace(string(r.body)); got != `{"items":[],"nextCursor":""}` {
				t.Error(got)
			}
		}},
		{route: "getLog", name: "bad cursor", request: getAbsolute("/api/log?cursor=x"), status: 400, problem: "validation_error", check: names("cursor")},
		{route: "getBackup", name: "the whole log", request: getAbsolute("/api/log/backup"), status: 200, check: func(t *testing.T, w *world, r reply) {
			end, err := w.store.Position(t.Context())
			must(t, err)
			var first, last BackupLine
			lines := r.documents()
			reply{body: lines[0]}.into(t, &first)
			reply{body: lines[len(lines)-1]}.into(t, &last)
			if first.Begin == nil || first.Begin.Stream != "EVT" || first.Begin.Last != strconv.FormatUint(end.Last, 10) || last.End == nil || last.End.Stream != "BLOB" {
				t.Errorf("first %+v, last %+v; the log ends at %d", first, last, end.Last)
			}
			if want := int(end.Last) + 2; bytes.Count(r.body, []byte(`{"message":{"seq":`)) < want { // and some blobs
				t.Errorf("%d lines, want %d", len(lines), want)
			}
		}},
		{route: "getProjections", name: "views", request: getAbsolute("/api/projections"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[ReadModel]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].Name != "views" || l.Items[0].Position == "0" || l.Items[0].End != l.Items[0].Position || l.Items[0].Trouble != "" {
				t.Errorf("%+v", l)
			}
		}},
		{route: "postRebuild", name: "views", request: rebuild("views"), status: 200, check: func(t *testing.T, w *world, _ reply) {
			if r := w.send(get("/stress/profiles/{f}")(w)); r.status != 200 {
				t.Errorf("after the rebuild: %d %s", r.status, r.body)
			}
		}},
		{route: "postRebuild", name: "unknown", request: rebuild("nothing"), status: 404, problem: "not_found"},
		{route: "postRebuild", name: "of a log that cannot be read", request: func(w *world) request {
			haltedProjector(w)
			return rebuild("views")(w)
		}, status: 503, problem: "not_ready", check: says("cannot be read")},
	}
}

// Two rebuilds at once are one after the other, and readers see a whole view all the time.
func TestTwoRebuilds(t *testing.T) {
	w := newWorld(t)
	w.shop()
	answers := make(chan reply, 2)
	for range 2 {
		go func() { answers <- w.send(request{method: "POST", path: "/api/projections/views/rebuild"}) }()
	}
	for done := 0; done < 2; {
		select {
		case r := <-answers:
			if done++; r.status != 200 {
				t.Errorf("%d %s", r.status, r.body)
			}
		default:
			if r := w.send(get("/stress/profiles/{f}")(w)); r.status != 200 {
				t.Errorf("meanwhile: %d %s", r.status, r.body)
			}
		}
	}
}

// A member sees the log of the workspaces in which it has a role, and nothing of the instance.
func TestLogOfAMember(t *testing.T) {
	w := newWorld(t)
	w.shop()
	meta := commands.Meta{Member: w.first.MemberID}
	other, err := w.commands.CreateWorkspace(t.Context(), commands.CreateWorkspace{Meta: meta, Name: "Other"})
	must(t, err)
	ann, err := w.commands.CreateMember(t.Context(), commands.CreateMember{Meta: meta, Name: "ann"})
	must(t, err)
	_, err = w.commands.GrantMember(t.Context(), commands.GrantMember{Meta: meta, WorkspaceID: other.ID, MemberID: ann.ID, Role: "viewer"})
	must(t, err)
	token, err := w.commands.IssueToken(t.Context(), commands.IssueToken{Meta: commands.Meta{Member: ann.ID}, MemberID: ann.ID})
	must(t, err)
	var l List[LogEntry[EventPayload]]
	w.send(request{method: "GET", path: "/api/log", header: []string{"Authorization: Bearer " + token.Text}}).into(t, &l)
	for _, entry := range l.Items {
		if entry.WorkspaceID != other.ID {
			t.Errorf("ann reads of the workspace %s: %+v", entry.WorkspaceID, entry.Events)
		}
	}
	if len(l.Items) == 0 {
		t.Error("ann reads nothing of her own workspace")
	}
}

// The log shows nobody more than the other routes: members and settings are the owner's to see. An administrator reads all
// of a workspace in which it has a role.
func TestLogByRole(t *testing.T) {
	w := newWorld(t)
	w.shop()
	w.make(sendAbsolute("PUT", "/api/workspaces/{w}/settings", `{"simulation":{"seed":"7","durationSeconds":60,"warmUpSeconds":1,"arrivalRatePerSecond":0.5}}`, `If-Match: "0"`)(w))
	tokens := map[string]string{"administrator": w.token}
	for _, role := range []string{"viewer", "editor", "owner"} {
		tokens[role] = w.invite(role, role)
	}
	gone := w.make(sendAbsolute("POST", "/api/workspaces/{w}/members", `{"name":"gone","role":"viewer"}`)(w))
	w.send(sendAbsolute("DELETE", "/api/workspaces/{w}/members/"+gone, "")(w))
	const owners, instance = "MemberGranted MemberRevoked SimulationSettingsChanged", "MemberCreated TokenIssued"
	for who, token := range tokens {
		read := w.eventsFor(token)
		for _, name := range strings.Fields("WorkspaceCreated ProjectCreated ModelSaved ScenarioSaved ProfileSaved ProfileAdmitted") {
			if !read[name] {
				t.Errorf("the %s does not read %s", who, name)
			}
		}
		for _, name := range strings.Fields(owners) {
			if read[name] != (who == "owner" || who == "administrator") {
				t.Errorf("the %s reads %s: %t", who, name, read[name])
			}
		}
		for _, name := range strings.Fields(instance) {
			if read[name] != (who == "administrator") {
				t.Errorf("the %s reads %s: %t", who, name, read[name])
			}
		}
	}
	w.make(sendAbsolute("PUT", "/api/workspaces/{w}/members/{me}", `{"role":"viewer"}`)(w))
	if !w.eventsFor(w.token)["MemberGranted"] {
		t.Error("an administrator who became a viewer does not read who is a member")
	}
}

// eventsFor are the names of the events that a member reads in the log. No commit without one is among them.
func (w *world) eventsFor(token string) map[string]bool {
	w.t.Helper()
	var l List[LogEntry[EventPayload]]
	w.send(request{method: "GET", path: "/api/log?limit=200"}.as(token)).into(w.t, &l)
	names := map[string]bool{}
	for _, entry := range l.Items {
		if len(entry.Events) == 0 {
			w.t.Errorf("a commit without an event: %+v", entry)
		}
		for _, e := range entry.Events {
			names[e.Name] = true
		}
	}
	return names
}

// What a later version writes is the owner's until somebody says otherwise.
func TestUnknownEventsAreTheOwners(t *testing.T) {
	for _, e := range []commands.LoggedEvent{{Aggregate: "workspace", Name: "Renamed"}, {Aggregate: "key", Name: "KeyClaimed"}, {Aggregate: "instance", Name: "TokenIssued"}, {Aggregate: "new", Name: "New"}} {
		if got := readerOf(e); got != Owner {
			t.Errorf("%+v: %s", e, got)
		}
	}
}
