package http

import (
	"strings"
	"testing"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

const aDraft = `{"kind":"draft","name":"With a cache"}`

// branch opens a draft and gives its id.
func (w *world) branch() string {
	return w.make(request{method: "POST", path: w.at("/branches"), body: aDraft})
}

// inBranch sends a request to a path with {b}, the id of a draft that it opens.
func inBranch(method, path, body string, header ...string) func(*world) request {
	return func(w *world) request {
		return sendTo(method, strings.ReplaceAll(path, "{b}", w.branch()), body, header...)(w)
	}
}

// archived archives the project before the request.
func archived(then func(*world) request) func(*world) request {
	return func(w *world) request {
		r := then(w)
		_, err := w.commands.ArchiveProject(w.t.Context(), commands.ArchiveProject{ProjectID: w.projectID, Meta: commands.Meta{Member: w.first.MemberID}})
		must(w.t, err)
		return r
	}
}

func branchContracts() []contract {
	post := func(body string) func(*world) request { return sendTo("POST", "/branches", body) }
	const none = "/api/projects/" + unknown
	return []contract{
		{route: "getBranches", name: "main alone", request: get("/branches"), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[Branch]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].ID != w.projectID || l.Items[0].Kind != "main" || l.Items[0].Version != 1 || l.Items[0].SavedBy.Name != "admin" {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getBranches", name: "pages", request: saved(post(aDraft), get("/branches?limit=1")), status: 200, check: func(t *testing.T, w *world, r reply) {
			var first, second List[Branch]
			r.into(t, &first)
			w.send(request{method: "GET", path: w.at("/branches?limit=1&cursor=" + first.NextCursor)}).into(t, &second)
			if len(second.Items) != 1 || second.Items[0].Kind != "draft" || second.Items[0].Name != "With a cache" || second.NextCursor != "" {
				t.Errorf("%+v then %+v", first, second)
			}
		}},
		{route: "getBranches", name: "bad limit", request: get("/branches?limit=0"), status: 400, problem: "validation_error", check: names("limit")},
		{route: "getBranches", name: "unknown project", request: getAbsolute(none + "/branches"), status: 404, problem: "not_found"},
		{route: "postBranch", name: "a variant", request: post(strings.Replace(aDraft, "draft", "variant", 1)), status: 201, check: checkOpened},
		{route: "postBranch", name: "no kind", request: post(`{"name":"x"}`), status: 400, problem: "validation_error", check: names("/kind")},
		{route: "postBranch", name: "main", request: post(`{"kind":"main","name":"x"}`), status: 400, problem: "validation_error", check: names("/kind")},
		{route: "postBranch", name: "two lines", request: post(`{"kind":"draft","name":"a\u2028b"}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postBranch", name: "no name", request: post(`{"kind":"draft","name":""}`), status: 400, problem: "validation_error", check: names("/name")},
		{route: "postBranch", name: "unknown member", request: post(`{"kind":"draft","name":"x","from":"main"}`), status: 400, problem: "validation_error", check: names("/from")},
		{route: "postBranch", name: "unknown project", request: func(*world) request {
			return request{method: "POST", path: none + "/branches", body: aDraft}
		}, status: 404, problem: "not_found"},
		{route: "postBranch", name: "archived", request: archived(post(aDraft)), status: 409, problem: "conflict"},
		{route: "postBranch", name: "key of another body", request: keyed(post(aDraft), post(`{"kind":"draft","name":"x"}`)), status: 422, problem: "idempotency_mismatch"},
		{route: "putModel", name: "of a draft", request: inBranch("PUT", "/model?branchId={b}", strings.Replace(aModel, "Buy", "Pay", 1), one), status: 200, check: draftOnly},
		{route: "putModel", name: "archived", request: archived(sendTo("PUT", "/model", aModel, one)), status: 409, problem: "conflict"},
		{route: "postScenario", name: "archived", request: archived(sendTo("POST", "/scenarios", aScenario)), status: 409, problem: "conflict"},
		{route: "putScenario", name: "archived", request: archived(sendTo("PUT", "/scenarios/{s}", aScenario, one)), status: 409, problem: "conflict"},
		{route: "getModel", name: "of a draft", request: inBranch("GET", "/model?branchId={b}", ""), status: 200},
		{route: "getModel", name: "version 0 of a draft", request: inBranch("GET", "/model?branchId={b}&version=0", ""), status: 404, problem: "not_found", check: says("version 0 of the model of branch")},
		{route: "getTrace", name: "of a draft", request: inBranch("GET", "/scenarios/{s}/trace?branchId={b}", ""), status: 200},
		{route: "getRequirements", name: "on a draft", request: func(w *world) request {
			return get("/stress/requirements?scenarioId=" + w.scenarioID + "&branchId=" + w.branch())(w)
		}, status: 200},
		{route: "postRun", name: "on a draft", request: inBranch("POST", "/stress/profiles/{f}/runs?branchId={b}", "", "Prefer: respond-async"), status: 202, check: func(t *testing.T, w *world, r reply) {
			var run oneRun
			w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)}).into(t, &run)
			if run.BranchID == w.projectID || run.ModelVersion != 1 {
				t.Errorf("the run is on %s at %d", run.BranchID, run.ModelVersion)
			}
		}},
	}
}

// checkOpened checks that a branch holds a copy of main as its version 1.
func checkOpened(t *testing.T, w *world, r reply) {
	var d modelDocument
	w.send(request{method: "GET", path: r.header.Get("Location") + "&after=" + r.header.Get(headerPosition)}).into(t, &d)
	if d.Version != 1 || len(d.Document.Elements) != 1 || r.header.Get("ETag") != `"1"` {
		t.Errorf("%+v", d)
	}
}

// draftOnly checks that a save to a draft is its version 2 and leaves main.
func draftOnly(t *testing.T, w *world, r reply) {
	var draft savedModel
	var main modelDocument
	r.into(t, &draft)
	w.send(request{method: "GET", path: w.at("/model?after=" + r.header.Get(headerPosition))}).into(t, &main)
	if draft.Version != 2 || draft.ID == w.projectID || main.Version != 1 || main.Document.Operations[0].Name != "Buy" {
		t.Errorf("draft %+v, main %+v", draft, main)
	}
}

const someObjectives = `[{"name":"fast","expect":"flow.p99 < 250ms"}]`

func objectivesContracts() []contract {
	const path = "/scenarios/{s}/objectives"
	zero := `If-Match: "0"`
	put := func(body string, header ...string) func(*world) request { return sendTo("PUT", path, body, header...) }
	remove := sendTo("DELETE", "/scenarios/{s}", "")
	return []contract{
		{route: "getObjectives", name: "none", request: get(path), status: 200, check: func(t *testing.T, w *world, r reply) {
			var d objectivesDocument
			r.into(t, &d)
			if d.ID != w.scenarioID || d.Version != 0 || d.Document == nil || len(d.Document) != 0 || r.header.Get("ETag") != `"0"` {
				t.Errorf("%+v", d)
			}
		}},
		{route: "getObjectives", name: "saved", request: saved(put(someObjectives, zero), get(path)), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var d objectivesDocument
			r.into(t, &d)
			if d.Version != 1 || len(d.Document) != 1 || d.Document[0].Expect != "flow.p99 < 250ms" || r.header.Get("ETag") != `"1"` {
				t.Errorf("%+v", d)
			}
		}},
		{route: "getObjectives", name: "unknown", request: get("/scenarios/" + unknown + "/objectives"), status: 404, problem: "not_found"},
		{route: "putObjectives", name: "the scenario stays", request: put(someObjectives, zero), status: 200, check: func(t *testing.T, w *world, r reply) {
			var d scenarioDocument
			w.send(request{method: "GET", path: w.at("/scenarios/{s}?after=" + r.header.Get(headerPosition))}).into(t, &d)
			if d.Version != 1 || r.header.Get("ETag") != `"1"` {
				t.Errorf("scenario at %d, ETag %s", d.Version, r.header.Get("ETag"))
			}
		}},
		{route: "putObjectives", name: "no list", request: put(`{}`, zero), status: 400, problem: "validation_error"},
		{route: "putObjectives", name: "no expression", request: put(`[{"name":"x","expect":""}]`, zero), status: 400, problem: "validation_error", check: names("/0/expect")},
		{route: "putObjectives", name: "an expression that cannot be read", request: put(`[{"name":"x","expect":"flow.p99 < 5 apples"}]`, zero), status: 400, problem: "validation_error", check: names("/0/expect")},
		{route: "putObjectives", name: "two of one name", request: put(`[{"name":"x","expect":"flow.p99 < 5ms"},{"name":"x","expect":"flow.failed == 0"}]`, zero), status: 400, problem: "validation_error", check: names("/1/name")},
		{route: "putObjectives", name: "at the limit", request: put(padded(someObjectives, domain.MaxObjectivesBytes), zero), status: 200},
		{route: "putObjectives", name: "over the limit", request: put(padded(someObjectives, domain.MaxObjectivesBytes+1), zero), status: 413, problem: "body_too_large"},
		{route: "putObjectives", name: "unknown", request: sendTo("PUT", "/scenarios/"+unknown+"/objectives", someObjectives, zero), status: 404, problem: "not_found"},
		{route: "putObjectives", name: "archived", request: archived(put(someObjectives, zero)), status: 409, problem: "conflict"},
		{route: "putObjectives", name: "stale", request: saved(put(someObjectives, zero), put(`[]`, zero)), status: 412, problem: "stale", check: staleAtOne},
		{route: "putObjectives", name: "no If-Match", request: put(someObjectives), status: 428, problem: "precondition_required"},
		{route: "putObjectives", name: "key of another body", request: keyed(put(someObjectives, zero), put(`[]`, zero)), status: 422, problem: "idempotency_mismatch"},
		{route: "deleteScenario", name: "its profile stays", request: remove, status: 204, check: scenarioGone},
		{route: "deleteScenario", name: "unknown", request: sendTo("DELETE", "/scenarios/"+unknown, ""), status: 404, problem: "not_found"},
		{route: "deleteScenario", name: "twice", request: deletedFirst(remove), status: 404, problem: "not_found"},
		{route: "deleteScenario", name: "archived", request: archived(remove), status: 409, problem: "conflict"},
		{route: "getScenario", name: "deleted", request: then(deletedFirst(remove), get("/scenarios/{s}")), status: 404, problem: "not_found"},
		{route: "getRequirements", name: "of a deleted scenario", request: then(deletedFirst(remove), requirements("")), status: 404, problem: "not_found"},
		{route: "putProfile", name: "of a deleted scenario", request: then(deletedFirst(remove), sendTo("PUT", "/stress/profiles/{f}", aProfile("{s}", "x"), one)), status: 400, problem: "validation_error", check: names("/scenarioId")},
	}
}

// padded is a document of that many bytes.
func padded(document string, bytes int) string {
	return document + strings.Repeat(" ", bytes-len(document))
}

// deletedFirst sends the deletion once before it is sent.
func deletedFirst(remove func(*world) request) func(*world) request {
	return func(w *world) request {
		r := remove(w)
		if got := w.send(r); got.status != 204 {
			w.t.Fatalf("%s: %d %s", r.path, got.status, got.body)
		}
		w.caughtUp()
		return r
	}
}

// then makes the first request's preparations and sends the second.
func then(first, second func(*world) request) func(*world) request {
	return func(w *world) request {
		first(w)
		return second(w)
	}
}

func scenarioGone(t *testing.T, w *world, r reply) {
	after := "?after=" + r.header.Get(headerPosition)
	if got := w.send(request{method: "GET", path: w.at("/scenarios/{s}" + after)}); got.status != 404 {
		t.Errorf("the scenario: %d", got.status)
	}
	var listed List[DocumentItem]
	w.send(request{method: "GET", path: w.at("/scenarios")}).into(t, &listed)
	if len(listed.Items) != 0 {
		t.Errorf("listed: %v", listed)
	}
	var profile profileDocument
	w.send(request{method: "GET", path: w.at("/stress/profiles/{f}")}).into(t, &profile)
	if profile.Document.ScenarioID != w.scenarioID {
		t.Errorf("its profile: %+v", profile)
	}
}
