package http

import (
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

func serverContracts() []contract {
	return []contract{
		{route: "getHealth", name: "ok", request: getAbsolute("/healthz"), status: 200},
		{route: "getReadiness", name: "ok", request: getAbsolute("/readyz"), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var ready Readiness
			r.into(t, &ready)
			if ready.Status != "ready" || len(ready.Position) == 0 {
				t.Errorf("%+v", ready)
			}
		}},
		{route: "getReadiness", name: "halted", request: haltedProjector, status: 503, problem: "not_ready", check: says("cannot be read")},
		{route: "getOpenAPI", name: "ok", request: getAbsolute("/openapi.json"), status: 200},
	}
}

// haltedProjector appends a record that no projector can read and waits until the projector has halted.
func haltedProjector(w *world) request {
	_, err := w.store.Append(w.t.Context(), eventstore.Aggregate{Workspace: "x", Type: "project", ID: "x"}, eventstore.Tail{},
		eventstore.Commit{Events: []eventstore.Event{{Name: "ProjectCreated", Schema: 1, Data: []byte(`[]`)}}})
	must(w.t, err)
	for w.db.Status().Trouble == nil {
		time.Sleep(time.Millisecond)
	}
	return request{method: "GET", path: "/readyz"}
}

// says checks the detail of a problem.
func says(text string) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		if p := r.problem(t); !strings.Contains(p.Detail, text) {
			t.Errorf("%q does not say %q", p.Detail, text)
		}
	}
}

// names checks the field of a 400.
func names(field string) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		if p := r.problem(t); p.Field != field {
			t.Errorf("field %q, want %q: %+v", p.Field, field, p.Issues)
		}
	}
}

func projectContracts() []contract {
	post := func(body string) func(*world) request {
		return func(*world) request { return request{method: "POST", path: "/api/projects", body: body} }
	}
	return []contract{
		{route: "getProjects", name: "one", request: getAbsolute("/api/projects"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[Project]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].ID != w.projectID || l.Items[0].Name != "Shop" || l.Items[0].CreatedBy.Name != "admin" ||
				!l.Items[0].CreatedAt.Equal(started) || l.NextCursor != "" {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getProjects", name: "limit 0", request: getAbsolute("/api/projects?limit=0"), status: 400, problem: "validation_error", check: names("limit")},
		{route: "getProjects", name: "limit 201", request: getAbsolute("/api/projects?limit=201"), status: 400, problem: "validation_error", check: names("limit")},
		{route: "getProjects", name: "limit 200", request: getAbsolute("/api/projects?limit=200"), status: 200},
		{route: "getProjects", name: "bad cursor", request: getAbsolute("/api/projects?cursor=x"), status: 400, problem: "validation_error", check: names("cursor")},
		{route: "getProjects", name: "bad after", request: getAbsolute("/api/projects?after=-1"), status: 400, problem: "validation_error", check: names("after")},
		{route: "postProject", name: "created", request: post(`{"name":"Second"}`), status: 201, check: func(t *testing.T, w *world, r reply) {
			var p Project
			w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)}).into(t, &p)
			if p.Name != "Second" || p.WorkspaceID != w.first.WorkspaceID {
				t.Errorf("%+v", p)
			}
		}},
		{route: "postProject", name: "no name", request: post(`{"name":""}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postProject", name: "unknown member", request: post(`{"name":"x","a/b":"y"}`), status: 400, problem: "validation_error", check: names("/a~1b")},
		{route: "postProject", name: "name is a number", request: post(`{"name":7}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postProject", name: "a list", request: post(`[]`), status: 400, problem: "validation_error", check: names("")},
		{route: "postProject", name: "no such workspace", request: post(`{"name":"x","workspaceId":"` + unknown + `"}`), status: 404, problem: "not_found"},
		{route: "postProject", name: "an empty workspace", request: post(`{"name":"x","workspaceId":""}`), status: 400, problem: "validation_error", check: names("/workspaceId")},
		{route: "postProject", name: "no role in the workspace that is not named", request: asBob("", post(`{"name":"x"}`)), status: 404, problem: "not_found", check: says("workspaceId")},
		{route: "postProject", name: "a name of two lines", request: post(`{"name":"a\u2028b"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postProject", name: "a name that nobody sees", request: post(`{"name":"\u200b\u202e"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postProject", name: "key of another body", request: keyed(post(`{"name":"x"}`), post(`{"name":"y"}`)), status: 422, problem: "idempotency_mismatch"},
		{route: "postProject", name: "key of another workspace", request: otherWorkspace, status: 422, problem: "idempotency_mismatch"},
		{route: "getProject", name: "ok", request: get(""), status: 200},
		{route: "getProject", name: "unknown", request: getAbsolute("/api/projects/" + unknown), status: 404, problem: "not_found"},
	}
}

// otherWorkspace is a project of another workspace by the key of the first project.
func otherWorkspace(w *world) request {
	other := w.make(request{method: "POST", path: "/api/workspaces", body: `{"name":"Other"}`})
	project := func(body string) func(*world) request {
		return func(*world) request { return request{method: "POST", path: "/api/projects", body: body} }
	}
	return keyed(project(`{"name":"x"}`), project(`{"name":"x","workspaceId":"`+other+`"}`))(w)
}

// keyedBranch saves the same on another branch, by the key of a save of main.
func keyedBranch(w *world) request {
	draft := w.make(sendTo("POST", "/branches", `{"kind":"draft","name":"Draft"}`)(w))
	next := strings.Replace(aModel, "Buy", "A", 1)
	return keyed(sendTo("PUT", "/model", next, one), sendTo("PUT", "/model?branchId="+draft, next, one))(w)
}

func modelContracts() []contract {
	put := func(body string, header ...string) func(*world) request {
		return sendTo("PUT", "/model", body, header...)
	}
	return []contract{
		{route: "getModel", name: "newest", request: get("/model"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var d modelDocument
			r.into(t, &d)
			if d.Version != 1 || d.ID != w.projectID || d.SavedBy.Name != "admin" || !d.SavedAt.Equal(started) || d.Document.Operations[0].ID != "buy" {
				t.Errorf("%+v", d)
			}
			if r.header.Get("ETag") != `"1"` {
				t.Errorf("ETag %s", r.header.Get("ETag"))
			}
		}},
		{route: "getModel", name: "version 0", request: get("/model?version=0&branchId=main"), status: 200, check: emptyAtZero},
		{route: "getModel", name: "version 0 of main by its id", request: func(w *world) request { return get("/model?version=0&branchId=" + w.projectID)(w) }, status: 200, check: emptyAtZero},
		{route: "getModel", name: "unknown version", request: get("/model?version=2"), status: 404, problem: "not_found", check: says("version 2 of the model of branch")},
		{route: "getModel", name: "unknown branch", request: get("/model?branchId=" + unknown), status: 404, problem: "not_found"},
		{route: "getModel", name: "bad version", request: get("/model?version=x"), status: 400, problem: "validation_error", check: names("version")},
		{route: "putModel", name: "next version", request: put(strings.Replace(aModel, "Buy", "Pay", 1), one), status: 200, check: func(t *testing.T, w *world, r reply) {
			var old, saved modelDocument
			w.send(request{method: "GET", path: w.at("/model?after=" + r.header.Get(headerPosition))}).into(t, &saved)
			w.send(request{method: "GET", path: w.at("/model?version=1")}).into(t, &old)
			if saved.Version != 2 || saved.Document.Operations[0].Name != "Pay" || old.Document.Operations[0].Name != "Buy" || r.header.Get("ETag") != `"2"` {
				t.Errorf("saved %+v, version 1 %+v", saved, old)
			}
		}},
		{route: "putModel", name: "the same again", request: put(aModel, one), status: 200, check: func(t *testing.T, _ *world, r reply) {
			if r.header.Get("ETag") != `"1"` {
				t.Errorf("a save that changes nothing made %s", r.header.Get("ETag"))
			}
		}},
		{route: "putModel", name: "no such kind", request: put(badModel, one), status: 400, problem: "validation_error", check: names("/elements/0/kind")},
		{route: "putModel", name: "unquoted If-Match", request: put(aModel, "If-Match: 1"), status: 400, problem: "validation_error", check: names("If-Match")},
		{route: "putModel", name: "long key", request: put(aModel, one, "Idempotency-Key: "+strings.Repeat("k", 201)), status: 400, problem: "validation_error", check: names("Idempotency-Key")},
		{route: "putModel", name: "unknown branch", request: sendTo("PUT", "/model?branchId="+unknown, aModel, `If-Match: "0"`), status: 404, problem: "not_found"},
		{route: "putModel", name: "stale", request: put(aModel, `If-Match: "0"`), status: 412, problem: "stale", check: staleAtOne},
		{route: "putModel", name: "an ETag of nothing", request: put(aModel, `If-Match: "abc"`), status: 412, problem: "stale", check: staleAtOne},
		{route: "putModel", name: "no If-Match", request: put(aModel), status: 428, problem: "precondition_required"},
		{route: "putModel", name: "key of another branch", request: keyedBranch, status: 200, check: func(t *testing.T, _ *world, r reply) {
			if r.header.Get("ETag") != `"2"` {
				t.Errorf("the branch is at %s", r.header.Get("ETag"))
			}
		}},
		{route: "putModel", name: "key of another body", request: keyed(put(strings.Replace(aModel, "Buy", "A", 1), one), put(aModel, one)), status: 422, problem: "idempotency_mismatch"},
	}
}

func emptyAtZero(t *testing.T, _ *world, r reply) {
	var d modelDocument
	r.into(t, &d)
	if r.header.Get("ETag") != `"0"` || d.Version != 0 || d.SavedBy != nil || d.SavedAt != nil || d.Document.Elements == nil || len(d.Document.Elements) != 0 {
		t.Errorf("%+v", d)
	}
}

// staleAtOne checks that a 412 names who saved what version and when.
func staleAtOne(t *testing.T, w *world, r reply) {
	p := r.problem(t)
	if p.Current == nil || p.Current.Version != 1 || p.Current.By == nil || p.Current.By.Name != "admin" || !p.Current.At.Equal(started) {
		t.Errorf("current version %+v", p.Current)
	}
	if !strings.Contains(p.Detail, "version 1, saved by admin at 2026-11-29T12:00:00Z") || r.header.Get("ETag") != `"1"` {
		t.Errorf("%q, ETag %s", p.Detail, r.header.Get("ETag"))
	}
}

func scenarioContracts() []contract {
	post := func(body string) func(*world) request { return sendTo("POST", "/scenarios", body) }
	put := func(body string, header ...string) func(*world) request {
		return sendTo("PUT", "/scenarios/{s}", body, header...)
	}
	other := strings.Replace(aScenario, "Checkout", "Other", 1)
	cyclic := strings.Replace(aScenario, "buy", "gone", 1)
	return []contract{
		{route: "getScenarios", name: "one", request: get("/scenarios"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[DocumentItem]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].ID != w.scenarioID || l.Items[0].Name != "Checkout" || l.Items[0].Version != 1 {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getScenarios", name: "bad limit", request: get("/scenarios?limit=x"), status: 400, problem: "validation_error"},
		{route: "getScenarios", name: "unknown project", request: getAbsolute("/api/projects/" + unknown + "/scenarios"), status: 404, problem: "not_found"},
		{route: "postScenario", name: "created", request: post(other), status: 201, check: func(t *testing.T, _ *world, r reply) {
			if r.header.Get("ETag") != `"1"` {
				t.Errorf("ETag %s", r.header.Get("ETag"))
			}
		}},
		{route: "postScenario", name: "unknown member", request: post(`{"name":"x","steps":[],"extra":1}`), status: 400, problem: "validation_error", check: names("/extra")},
		{route: "postScenario", name: "unknown project", request: func(*world) request {
			return request{method: "POST", path: "/api/projects/" + unknown + "/scenarios", body: aScenario}
		}, status: 404, problem: "not_found"},
		{route: "postScenario", name: "key of another body", request: keyed(post(other), post(aScenario)), status: 422, problem: "idempotency_mismatch"},
		{route: "getScenario", name: "ok", request: get("/scenarios/{s}"), status: 200},
		{route: "getScenario", name: "version", request: get("/scenarios/{s}?version=1"), status: 200},
		{route: "getScenario", name: "bad version", request: get("/scenarios/{s}?version=-1"), status: 400, problem: "validation_error"},
		{route: "getScenario", name: "unknown version", request: get("/scenarios/{s}?version=2"), status: 404, problem: "not_found", check: says("version 2 of scenario")},
		{route: "putScenario", name: "next version", request: put(other, one), status: 200},
		{route: "putScenario", name: "bad", request: put(`{"steps":[]}`, one), status: 400, problem: "validation_error", check: names("/name")},
		{route: "putScenario", name: "unknown", request: sendTo("PUT", "/scenarios/"+unknown, aScenario, one), status: 404, problem: "not_found"},
		{route: "putScenario", name: "stale", request: put(other, `If-Match: "2"`), status: 412, problem: "stale", check: staleAtOne},
		{route: "putScenario", name: "no If-Match", request: put(other), status: 428, problem: "precondition_required"},
		{route: "putScenario", name: "key of another body", request: keyed(put(other, one), put(aScenario, one)), status: 422, problem: "idempotency_mismatch"},
		{route: "getTrace", name: "ok", request: get("/scenarios/{s}/trace"), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var trace domain.Trace
			r.into(t, &trace)
			if len(trace.Issues) != 0 || trace.Steps[0].Target.Name != "Buy" {
				t.Errorf("%+v", trace)
			}
		}},
		{route: "getTrace", name: "invalid scenario", request: saved(put(cyclic, one), get("/scenarios/{s}/trace")), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var trace domain.Trace
			r.into(t, &trace)
			if len(trace.Issues) != 1 || trace.Issues[0].Code != "invalid-scenario" {
				t.Errorf("%+v", trace)
			}
		}},
		{route: "getTrace", name: "unknown", request: get("/scenarios/" + unknown + "/trace"), status: 404, problem: "not_found"},
		{route: "getTrace", name: "unknown branch", request: get("/scenarios/{s}/trace?branchId=" + unknown), status: 404, problem: "not_found"},
		{route: "getRequirements", name: "ok", request: requirements(""), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var req domain.Requirements
			r.into(t, &req)
			if len(req.Elements) != 1 || req.Elements[0].ID != "shop" || len(req.ServiceTimes) != 1 || req.ServiceTimes[0].ID != "buy" {
				t.Errorf("%+v", req)
			}
		}},
		{route: "getRequirements", name: "no scenario named", request: get("/stress/requirements"), status: 400, problem: "validation_error", check: names("scenarioId")},
		{route: "getRequirements", name: "unknown", request: get("/stress/requirements?scenarioId=" + unknown), status: 404, problem: "not_found"},
		{route: "getRequirements", name: "unknown branch", request: requirements("&branchId=" + unknown), status: 404, problem: "not_found"},
		{route: "getRequirements", name: "invalid scenario", request: saved(put(cyclic, one), requirements("")), status: 422, problem: "stress-refused", check: func(t *testing.T, _ *world, r reply) {
			if p := r.problem(t); len(p.Issues) != 1 || p.Issues[0].Code != "invalid-scenario" {
				t.Errorf("%+v", p)
			}
		}},
	}
}

func requirements(more string) func(*world) request {
	return func(w *world) request {
		return request{method: "GET", path: w.at("/stress/requirements?scenarioId=" + w.scenarioID + more)}
	}
}

// saved sends a save before the request.
func saved(save, then func(*world) request) func(*world) request {
	return func(w *world) request {
		w.make(save(w))
		return then(w)
	}
}
