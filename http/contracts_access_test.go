package http

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

func accessContracts() []contract {
	return slices.Concat(sessionContracts(), tokenContracts(), workspaceContracts(), memberContracts(), settingsContracts(), renameContracts())
}

// sendAbsolute is a request outside of the shop's project. {w}, {me} and {token} stand for the workspace, the
// administrator and a token of the administrator.
func sendAbsolute(method, path, body string, header ...string) func(*world) request {
	return func(w *world) request {
		known := strings.NewReplacer("{w}", w.first.WorkspaceID, "{me}", w.first.MemberID, "{token}", w.token)
		return request{method: method, path: known.Replace(path), header: header, body: known.Replace(body)}
	}
}

func sessionContracts() []contract {
	const session = "/api/session"
	return []contract{
		{route: "postSession", name: "token", request: sendAbsolute("POST", session, `{"token":"{token}"}`), status: 200},
		{route: "postSession", name: "code", request: func(w *world) request {
			return request{method: "POST", path: session, body: `{"code":"` + w.server.LoginCode(w.first.MemberID) + `"}`, anonymous: true}
		}, status: 200, check: func(t *testing.T, w *world, r reply) {
			var who Session
			r.into(t, &who)
			if who.Member.Name != "admin" || who.Member.ID != w.first.MemberID || !who.Administrator {
				t.Errorf("%+v", who)
			}
		}},
		{route: "postSession", name: "wrong token", request: sendAbsolute("POST", session, `{"token":"{token}x"}`), status: 401, problem: "unauthenticated", check: says("proofload token issue")},
		{route: "postSession", name: "wrong code", request: sendAbsolute("POST", session, `{"code":"x"}`), status: 401, problem: "unauthenticated", check: says("a link works once")},
		{route: "postSession", name: "nothing", request: sendAbsolute("POST", session, `{}`), status: 400, problem: "validation_error", check: names("")},
		{route: "postSession", name: "a code beside a token", request: sendAbsolute("POST", session, `{"token":"{token}","code":"x"}`), status: 400, problem: "validation_error", check: names("")},
		{route: "postSession", name: "an empty token", request: sendAbsolute("POST", session, `{"token":""}`), status: 401, problem: "unauthenticated"},
		{route: "postSession", name: "unknown member", request: sendAbsolute("POST", session, `{"password":"x"}`), status: 400, problem: "validation_error", check: names("/password")},
		{route: "getSession", name: "me", request: getAbsolute(session), status: 200},
		{route: "deleteSession", name: "without a cookie", request: sendAbsolute("DELETE", session, ""), status: 204},
	}
}

func tokenContracts() []contract {
	const tokens = "/api/tokens"
	post := func(body string) func(*world) request { return sendAbsolute("POST", tokens, body) }
	return []contract{
		{route: "getTokens", name: "mine", request: getAbsolute(tokens), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[Token]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].Name != "data folder" || l.Items[0].Member.Name != "admin" || l.Items[0].ExpiresAt != nil || !l.Items[0].IssuedAt.Equal(started) {
				t.Errorf("%+v", l)
			}
			if strings.Contains(string(r.body), w.token[3:]) {
				t.Error("the list shows the text of a token")
			}
		}},
		{route: "getTokens", name: "of a member", request: invited("viewer", sendAbsolute("GET", tokens+"?member=bob", "")), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var l List[Token]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].Member.Name != "bob" || l.Items[0].IssuedBy.Name != "admin" {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getTokens", name: "bad limit", request: getAbsolute(tokens + "?limit=0"), status: 400, problem: "validation_error", check: names("limit")},
		{route: "getTokens", name: "another's", request: asBob("viewer", sendAbsolute("GET", tokens+"?member=admin", "")), status: 403, problem: "forbidden"},
		{route: "getTokens", name: "nobody", request: getAbsolute(tokens + "?member=nobody"), status: 404, problem: "not_found"},
		{route: "postToken", name: "mine", request: post(`{"name":"ci","expiresAt":"2999-01-31T12:00:00Z"}`), status: 201, check: func(t *testing.T, w *world, r reply) {
			var issued IssuedToken
			r.into(t, &issued)
			if got := w.send(request{method: "GET", path: "/api/session"}.as(issued.Token)); got.status != 200 || r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("the token opens nothing: %d %s", got.status, got.body)
			}
		}},
		{route: "postToken", name: "another's by the administrator", request: invited("viewer", post(`{"member":"bob"}`)), status: 201},
		{route: "postToken", name: "bad time", request: post(`{"expiresAt":"tomorrow"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "in the past", request: post(`{"expiresAt":"2000-01-31T12:00:00Z"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "at the zero time", request: post(`{"expiresAt":"0001-01-01T00:00:00Z"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "at the zero time elsewhere", request: post(`{"expiresAt":"0001-01-01T01:00:00+01:00"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "a second after", request: post(`{"expiresAt":"0001-01-01T00:00:01Z"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "the epoch", request: post(`{"expiresAt":"1970-01-01T00:00:00Z"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "no time", request: post(`{"expiresAt":""}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "the last second", request: post(`{"expiresAt":"9999-12-31T23:59:59Z"}`), status: 201, check: listsTokens},
		{route: "postToken", name: "in the year 10000", request: post(`{"expiresAt":"9999-12-31T23:59:59-00:01"}`), status: 400, problem: "validation_error", check: names("/expiresAt")},
		{route: "postToken", name: "of nobody", request: post(`{"member":""}`), status: 400, problem: "validation_error", check: names("/member")},
		{route: "postToken", name: "named as a session", request: post(`{"name":"browser session"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postToken", name: "named as that of the folder", request: post(`{"name":"data folder"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postToken", name: "named as the operator's", request: post(`{"name":"operator file"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postToken", name: "my own in capitals", request: asBob("viewer", post(`{"member":"BOB"}`)), status: 201},
		{route: "getTokens", name: "of a member in capitals", request: invited("viewer", sendAbsolute("GET", tokens+"?member=BOB", "")), status: 200},
		{route: "postToken", name: "name of two lines", request: post(`{"name":"a\nb"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postToken", name: "another's", request: asBob("owner", post(`{"member":"admin"}`)), status: 403, problem: "forbidden"},
		{route: "postToken", name: "nobody", request: post(`{"member":"nobody"}`), status: 404, problem: "not_found"},
		{route: "postToken", name: "key of another body", request: keyed(post(`{"name":"x"}`), post(`{"name":"y"}`)), status: 422, problem: "idempotency_mismatch"},
		{route: "postToken", name: "the same key", request: keyed(post(`{"name":"x"}`), post(`{"name":"x"}`)), status: 201, check: func(t *testing.T, _ *world, r reply) {
			var issued IssuedToken
			r.into(t, &issued)
			if issued.ID == "" || issued.Token != "" {
				t.Errorf("the text is shown again: %+v", issued)
			}
		}},
		{route: "postToken", name: "one too many", request: func(w *world) request {
			for range domain.MaxTokens - 1 { // the folder's is there
				_, err := w.commands.IssueToken(w.t.Context(), commands.IssueToken{Meta: commands.Meta{Member: w.first.MemberID}, MemberID: w.first.MemberID})
				must(w.t, err)
			}
			return post(`{}`)(w)
		}, status: 409, problem: "conflict", check: says("200 tokens")},
		{route: "deleteTokens", name: "another's", request: invited("viewer", sendAbsolute("DELETE", tokens+"?member=bob", "")), status: 204, check: func(t *testing.T, w *world, r reply) {
			var l List[Token]
			w.send(request{method: "GET", path: tokens + "?member=bob&after=" + r.header.Get(headerPosition)}).into(t, &l)
			if len(l.Items) != 0 {
				t.Errorf("bob has %+v", l)
			}
		}},
		{route: "deleteTokens", name: "mine", request: asBob("viewer", sendAbsolute("DELETE", tokens, "")), status: 204, check: func(t *testing.T, w *world, _ reply) {
			if got := w.send(request{method: "GET", path: tokens}); got.status != 200 {
				t.Errorf("the administrator's is revoked too: %d", got.status)
			}
		}},
		{route: "deleteTokens", name: "another's, not by the administrator", request: asBob("owner", sendAbsolute("DELETE", tokens+"?member=admin", "")), status: 403, problem: "forbidden"},
		{route: "deleteTokens", name: "nobody", request: sendAbsolute("DELETE", tokens+"?member=nobody", ""), status: 404, problem: "not_found"},
		{route: "deleteTokens", name: "key of another member", request: func(w *world) request {
			w.invite("ann", "viewer")
			w.invite("bob", "viewer")
			w.send(sendAbsolute("DELETE", tokens+"?member=ann", "", "Idempotency-Key: k")(w))
			return sendAbsolute("DELETE", tokens+"?member=bob", "", "Idempotency-Key: k")(w)
		}, status: 422, problem: "idempotency_mismatch"},
		{route: "deleteToken", name: "mine", request: func(w *world) request {
			return request{method: "DELETE", path: tokens + "/" + w.make(post(`{}`)(w))}
		}, status: 204},
		{route: "deleteToken", name: "another's", request: func(w *world) request {
			id := w.make(post(`{}`)(w))
			return asBob("owner", sendAbsolute("DELETE", tokens+"/"+id, ""))(w)
		}, status: 404, problem: "not_found"},
	}
}

// listsTokens checks that the tokens can be listed, whatever they have.
func listsTokens(t *testing.T, w *world, r reply) {
	if got := w.send(request{method: "GET", path: "/api/tokens?after=" + r.header.Get(headerPosition)}); got.status != 200 || !strings.Contains(string(got.body), "9999-12-31T23:59:59Z") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// invited makes the member bob with a role in the first workspace and a token first.
func invited(role string, then func(*world) request) func(*world) request {
	return func(w *world) request {
		w.invite("bob", role)
		return then(w)
	}
}

// asBob sends the request as the member bob with a role.
func asBob(role string, then func(*world) request) func(*world) request {
	return func(w *world) request { return then(w).as(w.invite("bob", role)) }
}

// invite makes a member with a role in the first workspace, no role when it is empty, and gives a token of it.
func (w *world) invite(name, role string) string {
	w.t.Helper()
	body := `{"name":"` + name + `","role":"` + role + `"}`
	if role == "" {
		body = `{"name":"` + name + `","role":"viewer"}`
	}
	id := w.make(request{method: "POST", path: "/api/workspaces/" + w.first.WorkspaceID + "/members", body: body})
	if role == "" {
		w.send(request{method: "DELETE", path: "/api/workspaces/" + w.first.WorkspaceID + "/members/" + id})
	}
	var issued IssuedToken
	w.send(request{method: "POST", path: "/api/tokens", body: `{"member":"` + name + `"}`}).into(w.t, &issued)
	w.caughtUp()
	return issued.Token
}

func workspaceContracts() []contract {
	const workspaces = "/api/workspaces"
	post := func(body string) func(*world) request { return sendAbsolute("POST", workspaces, body) }
	return []contract{
		{route: "getWorkspaces", name: "mine", request: getAbsolute(workspaces), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[Workspace]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0] != (Workspace{ID: w.first.WorkspaceID, Name: "default", Role: "owner"}) {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getWorkspaces", name: "bad cursor", request: getAbsolute(workspaces + "?cursor=x"), status: 400, problem: "validation_error", check: names("cursor")},
		{route: "postWorkspace", name: "created", request: post(`{"name":"Team"}`), status: 201, check: func(t *testing.T, w *world, r reply) {
			var got Workspace
			w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)}).into(t, &got)
			if got.Name != "Team" || got.Role != "owner" {
				t.Errorf("%+v", got)
			}
		}},
		{route: "postWorkspace", name: "no name", request: post(`{"name":" "}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postWorkspace", name: "key of another body", request: keyed(post(`{"name":"x"}`), post(`{"name":"y"}`)), status: 422, problem: "idempotency_mismatch"},
		{route: "getWorkspace", name: "ok", request: sendAbsolute("GET", workspaces+"/{w}", ""), status: 200},
		{route: "getWorkspace", name: "unknown", request: getAbsolute(workspaces + "/" + unknown), status: 404, problem: "not_found"},
	}
}

// keyedMember lets a new member in by the key that let in one who was a member of the instance before.
func keyedMember(w *world) request {
	w.invite("bob", "viewer")
	team := w.make(request{method: "POST", path: "/api/workspaces", body: `{"name":"Team"}`})
	join := func(name string) func(*world) request {
		return func(*world) request {
			return request{method: "POST", path: "/api/workspaces/" + team + "/members", body: `{"name":"` + name + `","role":"viewer"}`}
		}
	}
	return keyed(join("bob"), join("zed"))(w)
}

func memberContracts() []contract {
	const members = "/api/workspaces/{w}/members"
	post := func(body string) func(*world) request { return sendAbsolute("POST", members, body) }
	put := func(body string) func(*world) request { return sendAbsolute("PUT", members+"/{me}", body) }
	elsewhere := strings.Replace(members, "{w}", unknown, 1)
	return []contract{
		{route: "getMembers", name: "two", request: invited("editor", sendAbsolute("GET", members, "")), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[WorkspaceMember]
			r.into(t, &l)
			if len(l.Items) != 2 || l.Items[0] != (WorkspaceMember{w.first.MemberID, "admin", "owner"}) || l.Items[1].Name != "bob" || l.Items[1].Role != "editor" {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getMembers", name: "bad limit", request: sendAbsolute("GET", members+"?limit=x", ""), status: 400, problem: "validation_error", check: names("limit")},
		{route: "getMembers", name: "unknown workspace", request: sendAbsolute("GET", elsewhere, ""), status: 404, problem: "not_found"},
		{route: "postMember", name: "new", request: post(`{"name":"bob","role":"viewer"}`), status: 201},
		{route: "postMember", name: "known in another workspace", request: func(w *world) request {
			w.invite("bob", "viewer")
			team := w.make(request{method: "POST", path: "/api/workspaces", body: `{"name":"Team"}`})
			return request{method: "POST", path: "/api/workspaces/" + team + "/members", body: `{"name":"bob","role":"owner"}`}
		}, status: 201},
		{route: "postMember", name: "known, in capitals", request: invited("", post(`{"name":"BOB","role":"viewer"}`)), status: 201},
		{route: "postMember", name: "has a role, in capitals", request: post(`{"name":"ADMIN","role":"viewer"}`), status: 409, problem: "conflict", check: says("with the role owner; PUT ")},
		{route: "postMember", name: "nothing to be seen", request: post(`{"name":"\u3164","role":"viewer"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postMember", name: "no name", request: post(`{"role":"viewer"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postMember", name: "no such role", request: post(`{"name":"bob","role":"king"}`), status: 400, problem: "validation_error", check: names("/role")},
		{route: "postMember", name: "unknown workspace", request: sendAbsolute("POST", elsewhere, `{"name":"bob","role":"viewer"}`), status: 404, problem: "not_found"},
		{route: "postMember", name: "has a role", request: post(`{"name":"admin","role":"viewer"}`), status: 409, problem: "conflict", check: says("with the role owner; PUT ")},
		{route: "postMember", name: "has that role", request: post(`{"name":"admin","role":"owner"}`), status: 409, problem: "conflict", check: says("with the role owner; PUT ")},
		{route: "postMember", name: "again by its key", request: keyed(post(`{"name":"bob","role":"viewer"}`), post(`{"name":"bob","role":"viewer"}`)), status: 201},
		{
			route: "postMember", name: "key of a member that was there, for a new one", request: keyedMember, status: 422, problem: "idempotency_mismatch",
			check: func(t *testing.T, w *world, _ reply) {
				if r := w.send(getAbsolute("/api/tokens?member=zed")(w)); r.status != 404 {
					t.Errorf("the refused request made a member: %d %s", r.status, r.body)
				}
			},
		},
		{route: "postMember", name: "key of another body", request: keyed(post(`{"name":"bob","role":"viewer"}`), post(`{"name":"bob","role":"editor"}`)), status: 422, problem: "idempotency_mismatch"},
		{route: "putMember", name: "another role", request: func(w *world) request {
			id := w.make(post(`{"name":"bob","role":"viewer"}`)(w))
			return sendAbsolute("PUT", members+"/"+id, `{"role":"editor"}`)(w)
		}, status: 200},
		{route: "putMember", name: "no such role", request: put(`{"role":"king"}`), status: 400, problem: "validation_error", check: names("/role")},
		{route: "putMember", name: "a member of the instance without a role here", request: func(w *world) request {
			id := w.make(post(`{"name":"bob","role":"viewer"}`)(w))
			w.send(sendAbsolute("DELETE", members+"/"+id, "")(w))
			return sendAbsolute("PUT", members+"/"+id, `{"role":"viewer"}`)(w)
		}, status: 404, problem: "not_found"},
		{route: "putMember", name: "unknown", request: sendAbsolute("PUT", members+"/"+unknown, `{"role":"viewer"}`), status: 404, problem: "not_found"},
		{route: "putMember", name: "the last owner", request: put(`{"role":"editor"}`), status: 409, problem: "conflict", check: says("no owner")},
		{route: "putMember", name: "key of another body", request: func(w *world) request {
			id := w.make(post(`{"name":"bob","role":"viewer"}`)(w))
			at := func(role string) func(*world) request {
				return sendAbsolute("PUT", members+"/"+id, `{"role":"`+role+`"}`)
			}
			return keyed(at("editor"), at("owner"))(w)
		}, status: 422, problem: "idempotency_mismatch"},
		{route: "deleteMember", name: "gone", request: func(w *world) request {
			return sendAbsolute("DELETE", members+"/"+w.make(post(`{"name":"bob","role":"viewer"}`)(w)), "")(w)
		}, status: 204},
		{route: "deleteMember", name: "unknown", request: sendAbsolute("DELETE", members+"/"+unknown, ""), status: 404, problem: "not_found"},
		{route: "deleteMember", name: "the last owner", request: sendAbsolute("DELETE", members+"/{me}", ""), status: 409, problem: "conflict"},
	}
}

func settingsContracts() []contract {
	const workspace, instance = "/api/workspaces/{w}/settings", "/api/instance/settings"
	const zero = `If-Match: "0"`
	simulation := `{"simulation":{"seed":"7","durationSeconds":60,"warmUpSeconds":1,"arrivalRatePerSecond":0.5}}`
	policy := func(n string) string { return `{"policy":{"maxConcurrentStressRuns":` + n + `}}` }
	put := func(body string, header ...string) func(*world) request {
		return sendAbsolute("PUT", workspace, body, header...)
	}
	putPolicy := func(n string, header ...string) func(*world) request {
		return sendAbsolute("PUT", instance, policy(n), header...)
	}
	atZero := func(want string) func(*testing.T, *world, reply) {
		return func(t *testing.T, _ *world, r reply) {
			if r.header.Get("ETag") != `"0"` || strings.TrimSpace(string(r.body)) != want {
				t.Errorf("%s %s", r.header.Get("ETag"), r.body)
			}
		}
	}
	return []contract{
		{
			route: "getWorkspaceSettings", name: "of a new workspace", request: sendAbsolute("GET", workspace, ""), status: 200,
			check: atZero(`{"simulation":{"seed":"1","durationSeconds":300,"warmUpSeconds":5,"arrivalRatePerSecond":10}}`),
		},
		{route: "getWorkspaceSettings", name: "unknown", request: getAbsolute("/api/workspaces/" + unknown + "/settings"), status: 404, problem: "not_found"},
		{route: "putWorkspaceSettings", name: "saved", request: put(simulation, zero), status: 200, check: func(t *testing.T, w *world, r reply) {
			got := w.send(sendAbsolute("GET", workspace, "")(w))
			if r.header.Get("ETag") != `"1"` || got.header.Get("ETag") != `"1"` || strings.TrimSpace(string(got.body)) != simulation {
				t.Errorf("%s %s", got.header.Get("ETag"), got.body)
			}
		}},
		{route: "putWorkspaceSettings", name: "rate 0", request: put(strings.Replace(simulation, "0.5", "0", 1), zero), status: 400, problem: "validation_error", check: names("/simulation/arrivalRatePerSecond")},
		{route: "putWorkspaceSettings", name: "unknown", request: sendAbsolute("PUT", "/api/workspaces/"+unknown+"/settings", simulation, zero), status: 404, problem: "not_found"},
		{route: "putWorkspaceSettings", name: "stale", request: saved(put(simulation, zero), put(simulation, zero)), status: 412, problem: "stale", check: staleAtOne},
		{route: "putWorkspaceSettings", name: "no If-Match", request: put(simulation), status: 428, problem: "precondition_required"},
		{route: "putWorkspaceSettings", name: "key of another body", request: keyed(put(simulation, zero), put(strings.Replace(simulation, "60", "61", 1), zero)), status: 422, problem: "idempotency_mismatch"},
		{route: "getInstanceSettings", name: "of a new instance", request: getAbsolute(instance), status: 200, check: atZero(policy("4"))},
		{route: "putInstanceSettings", name: "1", request: putPolicy("1", zero), status: 200},
		{route: "putInstanceSettings", name: "64", request: putPolicy("64", zero), status: 200, check: func(t *testing.T, w *world, r reply) {
			got := w.send(getAbsolute(instance)(w))
			if got.header.Get("ETag") != `"1"` || strings.TrimSpace(string(got.body)) != policy("64") {
				t.Errorf("%s %s", got.header.Get("ETag"), got.body)
			}
		}},
		{route: "putInstanceSettings", name: "0", request: putPolicy("0", zero), status: 400, problem: "validation_error", check: names("/policy/maxConcurrentStressRuns")},
		{route: "putInstanceSettings", name: "65", request: putPolicy("65", zero), status: 400, problem: "validation_error", check: names("/policy/maxConcurrentStressRuns")},
		{route: "putInstanceSettings", name: "1.5", request: putPolicy("1.5", zero), status: 400, problem: "validation_error", check: names("/policy/maxConcurrentStressRuns")},
		{route: "putInstanceSettings", name: "stale", request: saved(putPolicy("2", zero), putPolicy("3", zero)), status: 412, problem: "stale", check: staleAtOne},
		{route: "putInstanceSettings", name: "no If-Match", request: putPolicy("2"), status: 428, problem: "precondition_required"},
		{route: "putInstanceSettings", name: "key of another body", request: keyed(putPolicy("2", zero), putPolicy("3", zero)), status: 422, problem: "idempotency_mismatch"},
	}
}

func renameContracts() []contract {
	const zero = `If-Match: "0"`
	put := func(body string, header ...string) func(*world) request { return sendTo("PUT", "", body, header...) }
	archive := sendTo("POST", "/archive", "")
	name := func(text string) string { return `{"name":"` + text + `"}` }
	return []contract{
		{route: "putProject", name: "renamed", request: put(name("Store"), zero), status: 200, check: func(t *testing.T, w *world, r reply) {
			var p Project
			got := w.send(request{method: "GET", path: w.at("?after=" + r.header.Get(headerPosition))})
			got.into(t, &p)
			if p.Name != "Store" || p.Version != 1 || got.header.Get("ETag") != `"1"` || p.Archived {
				t.Errorf("%+v", p)
			}
		}},
		{route: "putProject", name: "no name", request: put(name(""), zero), status: 400, problem: "validation_error", check: names("/name")},
		{route: "putProject", name: "unknown", request: sendAbsolute("PUT", "/api/projects/"+unknown, name("x"), zero), status: 404, problem: "not_found"},
		{route: "putProject", name: "archived", request: saved(archive, put(name("x"), zero)), status: 409, problem: "conflict"},
		{route: "putProject", name: "stale", request: saved(put(name("x"), zero), put(name("y"), zero)), status: 412, problem: "stale", check: staleAtOne},
		{route: "putProject", name: "no If-Match", request: put(name("x")), status: 428, problem: "precondition_required"},
		{route: "putProject", name: "key of another body", request: keyed(put(name("x"), zero), put(name("y"), zero)), status: 422, problem: "idempotency_mismatch"},
		{route: "archiveProject", name: "done", request: archive, status: 200, check: func(t *testing.T, w *world, r reply) {
			var p Project
			w.send(request{method: "GET", path: w.at("?after=" + r.header.Get(headerPosition))}).into(t, &p)
			if !p.Archived {
				t.Errorf("%+v", p)
			}
			if got := w.send(sendTo("POST", "/scenarios", aScenario)(w)); got.status != 409 {
				t.Errorf("an archived project takes a scenario: %d", got.status)
			}
		}},
		{route: "archiveProject", name: "twice", request: archived(archive), status: 200},
		{route: "archiveProject", name: "unknown", request: sendAbsolute("POST", "/api/projects/"+unknown+"/archive", ""), status: 404, problem: "not_found"},
	}
}

// A code opens once, and not after an hour.
func TestLoginCodes(t *testing.T) {
	now := started
	w := newWorld(t, func(c *Config) { c.Now = func() time.Time { return now } })
	login := func(code string) int {
		return w.send(request{method: "POST", path: "/api/session", body: `{"code":"` + code + `"}`, anonymous: true}).status
	}
	used, old := w.server.LoginCode(w.first.MemberID), w.server.LoginCode(w.first.MemberID)
	if login(used) != 200 || login(used) != 401 {
		t.Error("a code opens other than once")
	}
	now = now.Add(time.Hour)
	if login(old) != 401 {
		t.Error("a code opens after an hour")
	}
}
