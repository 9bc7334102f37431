package http

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

func profileContracts() []contract {
	const profiles = "/stress/profiles"
	peak, other := aProfile("{s}", "Peak"), aProfile("{s}", "Other")
	measured := strings.Replace(other, `"time":`, `"label":"measured","measurementRef":"m1","time":`, 1)
	post := func(body string) func(*world) request { return sendTo("POST", profiles, body) }
	put := func(body string, header ...string) func(*world) request {
		return sendTo("PUT", profiles+"/{f}", body, header...)
	}
	return []contract{
		{route: "getProfiles", name: "one", request: get(profiles), status: 200, check: func(t *testing.T, w *world, r reply) {
			var l List[DocumentItem]
			r.into(t, &l)
			if len(l.Items) != 1 || l.Items[0].ID != w.profileID || l.Items[0].Name != "Peak" || l.Items[0].ScenarioID != w.scenarioID {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getProfiles", name: "pages", request: saved(post(other), get(profiles+"?limit=1")), status: 200, check: func(t *testing.T, w *world, r reply) {
			var first, second List[DocumentItem]
			r.into(t, &first)
			w.send(request{method: "GET", path: w.at(profiles + "?limit=1&cursor=" + first.NextCursor)}).into(t, &second)
			if len(first.Items) != 1 || first.Items[0].Name != "Peak" || len(second.Items) != 1 || second.Items[0].Name != "Other" || second.NextCursor != "" {
				t.Errorf("%+v then %+v", first, second)
			}
		}},
		{route: "getProfiles", name: "bad cursor", request: get(profiles + "?cursor=0"), status: 400, problem: "validation_error"},
		{route: "getProfiles", name: "unknown project", request: getAbsolute("/api/projects/" + unknown + profiles), status: 404, problem: "not_found"},
		{route: "postProfile", name: "created", request: post(other), status: 201, check: func(t *testing.T, w *world, r reply) {
			var d profileDocument
			w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)}).into(t, &d)
			if d.Version != 1 || d.Document.Name != "Other" || d.Document.Seed != "18446744073709551615" {
				t.Errorf("%+v", d)
			}
		}},
		{route: "postProfile", name: "out of range", request: post(strings.Replace(peak, `"concurrency":2`, `"concurrency":10001`, 1)), status: 400, problem: "validation_error", check: names("/resources/0/concurrency")},
		{route: "postProfile", name: "unknown scenario", request: post(aProfile(unknown, "x")), status: 400, problem: "validation_error", check: names("/scenarioId")},
		{route: "postProfile", name: "unknown project", request: func(w *world) request {
			return request{method: "POST", path: "/api/projects/" + unknown + profiles, body: aProfile(w.scenarioID, "x")}
		}, status: 404, problem: "not_found"},
		{route: "postProfile", name: "the 51st", request: fifty(post(other)), status: 409, problem: "conflict", check: says("delete one")},
		{route: "postProfile", name: "key of another body", request: keyed(post(other), post(peak)), status: 422, problem: "idempotency_mismatch"},
		{route: "getProfile", name: "ok", request: get(profiles + "/{f}"), status: 200},
		{route: "getProfile", name: "unknown", request: get(profiles + "/" + unknown), status: 404, problem: "not_found"},
		{route: "getProfile", name: "of another project", request: func(w *world) request {
			second := w.make(request{method: "POST", path: "/api/projects", body: `{"name":"Second"}`})
			return request{method: "GET", path: "/api/projects/" + second + profiles + "/" + w.profileID}
		}, status: 404, problem: "not_found"},
		{route: "postProfile", name: "a measurement that is not there", request: post(measured), status: 400, problem: "validation_error", check: names("/serviceTimes/0/measurementRef")},
		{route: "postProfile", name: "256 KB", request: post(padded(other, domain.MaxProfileBytes-len(unknown)+len("{s}"))), status: 201},
		{route: "postProfile", name: "256 KB and a byte", request: post(padded(other, domain.MaxProfileBytes-len(unknown)+len("{s}")+1)), status: 413, problem: "body_too_large"},
		{route: "putProfile", name: "a measurement that is not there", request: put(measured, one), status: 400, problem: "validation_error", check: names("/serviceTimes/0/measurementRef")},
		{route: "putProfile", name: "next version", request: put(other, one), status: 200},
		{route: "putProfile", name: "bad", request: put(`{}`, one), status: 400, problem: "validation_error"},
		{route: "putProfile", name: "unknown", request: sendTo("PUT", profiles+"/"+unknown, peak, one), status: 404, problem: "not_found"},
		{route: "putProfile", name: "stale", request: put(other, `If-Match: "0"`), status: 412, problem: "stale", check: staleAtOne},
		{route: "putProfile", name: "no If-Match", request: put(other), status: 428, problem: "precondition_required"},
		{route: "putProfile", name: "key of another body", request: keyed(put(other, one), put(peak, one)), status: 422, problem: "idempotency_mismatch"},
		{route: "getProfileVersions", name: "two", request: saved(put(other, one), get(profiles+"/{f}/versions")), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var l List[ProfileVersion]
			r.into(t, &l)
			if len(l.Items) != 2 || l.Items[0].Version != 2 || l.Items[0].Name != "Other" || l.Items[1].Version != 1 {
				t.Errorf("%+v", l)
			}
		}},
		{route: "getProfileVersions", name: "bad limit", request: get(profiles + "/{f}/versions?limit=-1"), status: 400, problem: "validation_error"},
		{route: "getProfileVersions", name: "unknown", request: get(profiles + "/" + unknown + "/versions"), status: 404, problem: "not_found"},
		{route: "getProfileVersion", name: "with its run", request: completed(get(profiles + "/{f}/versions/1")), status: 200, check: func(t *testing.T, _ *world, r reply) {
			var v ProfileVersionDocument[domain.Profile]
			r.into(t, &v)
			if v.Document.Name != "Peak" || v.RunCount != 1 || len(v.Runs) != 1 || v.Runs[0].Status != domain.StatusCompleted {
				t.Errorf("%+v", v)
			}
		}},
		{route: "getProfileVersion", name: "unknown", request: get(profiles + "/{f}/versions/2"), status: 404, problem: "not_found", check: says("version 2 of profile")},
		{route: "getProfileVersion", name: "not a version", request: get(profiles + "/{f}/versions/x"), status: 404, problem: "not_found"},
	}
}

// fifty fills the project with profiles before the request.
func fifty(then func(*world) request) func(*world) request {
	return func(w *world) request {
		for range domain.MaxProfiles - 1 {
			w.make(request{method: "POST", path: w.at("/stress/profiles"), body: aProfile(w.scenarioID, "Peak")})
		}
		return then(w)
	}
}

// stored makes that many stored runs before the request.
func stored(runs int, then func(*world) request) func(*world) request {
	return func(w *world) request {
		for range runs {
			storedRunID(w)
		}
		return then(w)
	}
}

// completed makes a stored run before the request.
func completed(then func(*world) request) func(*world) request {
	return func(w *world) request {
		if r := w.run(run()(w), (*world).completedRun); r.status != 201 {
			w.t.Fatalf("%d %s", r.status, r.body)
		}
		return then(w)
	}
}

func runContracts() []contract {
	const runs = "/stress/runs"
	return []contract{
		{route: "postRun", name: "completed", request: run(), outcome: (*world).completedRun, status: 201, check: checkStoredRun},
		{route: "postRun", name: "respond-async", request: run("Prefer: wait=9, respond-async"), status: 202, check: checkPreferred},
		{route: "postRun", name: "respond-async with a parameter", request: run("Prefer: respond-async;foo=1"), status: 202, check: checkPreferred},
		{route: "postRun", name: "a preference that is none", request: run("Prefer: respond async"), status: 400, problem: "validation_error", check: names("Prefer")},
		{route: "postRun", name: "takes too long", request: impatient, status: 202, check: checkAsync},
		{route: "postRun", name: "bad key", request: run("Idempotency-Key: \u00e9"), status: 400, problem: "validation_error", check: names("Idempotency-Key")},
		{route: "postRun", name: "unknown profile", request: sendTo("POST", "/stress/profiles/"+unknown+"/runs", ""), status: 404, problem: "not_found"},
		{route: "postRun", name: "unknown branch", request: sendTo("POST", "/stress/profiles/{f}/runs?branchId="+unknown, ""), status: 404, problem: "not_found"},
		{route: "postRun", name: "a parameter that there is not", request: sendTo("POST", "/stress/profiles/{f}/runs?branch=x", ""), status: 400, problem: "validation_error", check: names("branch")},
		{route: "postRun", name: "a parameter twice", request: sendTo("POST", "/stress/profiles/{f}/runs?branchId=main&branchId=x", ""), status: 400, problem: "validation_error", check: names("branchId")},
		{route: "postRun", name: "a body", request: sendTo("POST", "/stress/profiles/{f}/runs", "{}"), status: 400, problem: "validation_error", check: names("body")},
		{route: "getRuns", name: "lists what there is", request: get("/stress/runs?state=queued"), status: 400, problem: "validation_error", check: says("there is status, outdated, cursor, limit, after")},
		{route: "postRun", name: "refused", request: run(), outcome: refusedRun("stress-refused"), status: 422, problem: "stress-refused", check: checkRefused},
		{route: "postRun", name: "too large", request: run(), outcome: refusedRun("stress-too-large"), status: 422, problem: "stress-too-large", check: checkRefused},
		{route: "postRun", name: "key of another branch", request: anotherBranch, status: 422, problem: "idempotency_mismatch"},
		{route: "postRun", name: "again, completed meanwhile", request: ranBefore("", "Prefer: respond-async"), status: 202, check: checkAsyncCompleted},
		{route: "postRun", name: "again, the run deleted", request: ranBefore("{r}"), status: 404, problem: "not_found", check: says("was deleted")},
		{route: "postRun", name: "again, the profile deleted", request: ranBefore("/stress/profiles/{f}", "Prefer: respond-async"), status: 404, problem: "not_found", check: says("was deleted")},
		{route: "postRun", name: "failed", request: run(), outcome: failedRun, status: 500, problem: "run_failed", check: says("not-built-yet: writes")},
		{route: "getProfileRuns", name: "one", request: completed(get("/stress/profiles/{f}/runs")), status: 200, check: countRuns(1)},
		{route: "getProfileRuns", name: "a refused one is not stored", request: refused(get("/stress/profiles/{f}/runs")), status: 200, check: countRuns(0)},
		{route: "getProfileRuns", name: "the 20th", request: stored(20, get("/stress/profiles/{f}/runs")), status: 200, check: countRuns(20)},
		{route: "getProfileRuns", name: "the 21st", request: stored(21, get("/stress/profiles/{f}/runs")), status: 200, check: countRuns(20)},
		{route: "getProfileRuns", name: "unknown", request: get("/stress/profiles/" + unknown + "/runs"), status: 404, problem: "not_found"},
		{route: "getRuns", name: "all", request: refused(get(runs)), status: 200, check: countRuns(1)},
		{route: "getRuns", name: "completed ones", request: refused(get(runs + "?status=completed")), status: 200, check: countRuns(0)},
		{route: "getRuns", name: "outdated ones", request: completed(get(runs + "?outdated=true")), status: 200, check: countRuns(0)},
		{route: "getRuns", name: "an outdated one", request: completed(saved(sendTo("PUT", "/scenarios/{s}", strings.Replace(aScenario, "s1", "s2", 1), one), get(runs+"?outdated=true"))), status: 200, check: checkOutdated},
		{route: "getRuns", name: "bad status", request: get(runs + "?status=done"), status: 400, problem: "validation_error", check: names("status")},
		{route: "getRuns", name: "bad outdated", request: get(runs + "?outdated=1"), status: 400, problem: "validation_error", check: names("outdated")},
		{route: "getRuns", name: "unknown project", request: getAbsolute("/api/projects/" + unknown + runs), status: 404, problem: "not_found"},
		{route: "getRun", name: "refused", request: refusedOne, status: 200, check: func(t *testing.T, _ *world, r reply) {
			var got oneRun
			r.into(t, &got)
			if got.Status != domain.StatusRefused || got.Result != nil || got.Refusal.Type != "stress-refused" || len(got.Refusal.Issues) != 2 || got.Refusal.Issues[0] != missing {
				t.Errorf("%+v", got)
			}
		}},
		{route: "getRun", name: "unknown", request: get(runs + "/" + unknown), status: 404, problem: "not_found"},
	}
}

func checkStoredRun(t *testing.T, w *world, r reply) {
	var posted, read oneRun
	r.into(t, &posted)
	again := w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)})
	again.into(t, &read)
	if !bytes.Equal(r.body, again.body) {
		t.Errorf("GET of the run: %s, its POST answered %s", again.body, r.body)
	}
	if read.Seed != "18446744073709551615" || read.ProfileVersion != 1 || read.ModelVersion != 1 || *read.ScenarioVersion != 1 ||
		read.EngineVersion != 3 || read.Profile.Name != "Peak" || read.Key.Started != 9 || read.Refusal != nil || read.Outdated || read.OutdatedBecause == nil {
		t.Errorf("%+v", read)
	}
	outcome, err := w.store.Last(t.Context(), eventstore.Aggregate{Workspace: w.first.WorkspaceID, Type: domain.AggregateRun, ID: read.ID})
	must(t, err)
	if got := r.header.Get(headerPosition); got != strconv.FormatUint(outcome.Seq, 10) {
		t.Errorf("position %s, the outcome is at %d", got, outcome.Seq)
	}
	var raw struct{ Result json.RawMessage }
	must(t, json.Unmarshal(r.body, &raw))
	if string(raw.Result) != aResult {
		t.Errorf("the result %s is not the stored one", raw.Result)
	}
}

func checkPreferred(t *testing.T, w *world, r reply) {
	checkAsync(t, w, r)
	if r.header.Get("Preference-Applied") != "respond-async" {
		t.Errorf("Preference-Applied %q: it waited", r.header.Get("Preference-Applied"))
	}
}

func checkAsync(t *testing.T, w *world, r reply) {
	var requested RequestedRun
	r.into(t, &requested)
	location := r.header.Get("Location")
	if requested.Status != domain.StatusQueued || location != w.at("/stress/runs/"+requested.ID) {
		t.Errorf("%+v at %s", requested, location)
	}
	if got := w.send(request{method: "GET", path: location + "?after=" + r.header.Get(headerPosition)}); got.status != 200 {
		t.Errorf("the run: %d %s", got.status, got.body)
	}
}

func checkAsyncCompleted(t *testing.T, _ *world, r reply) {
	var requested RequestedRun
	if r.into(t, &requested); requested.Status != domain.StatusCompleted {
		t.Errorf("%+v", requested)
	}
}

func checkRefused(t *testing.T, w *world, r reply) {
	p := r.problem(t)
	if p.Title != "No" || len(p.Issues) != 2 || p.Issues[0] != missing || p.RunID == "" {
		t.Errorf("%+v", p)
	}
}

func checkOutdated(t *testing.T, _ *world, r reply) {
	var l List[RunItem]
	r.into(t, &l)
	if len(l.Items) != 1 || !l.Items[0].Outdated || len(l.Items[0].OutdatedBecause) != 1 || l.Items[0].OutdatedBecause[0] != "scenario" {
		t.Errorf("%+v", l)
	}
}

func countRuns(want int) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		var l List[RunItem]
		r.into(t, &l)
		if len(l.Items) != want {
			t.Errorf("%d runs, want %d: %+v", len(l.Items), want, l)
		}
	}
}

// impatient requests a run at a server that waits for its outcome hardly at all.
func impatient(w *world) request {
	w.serve([]func(*Config){func(c *Config) { c.RunWait = 1 }})
	return run()(w)
}

// refused makes a refused run before the request.
func refused(then func(*world) request) func(*world) request {
	return func(w *world) request {
		w.run(run()(w), refusedRun("stress-refused"))
		return then(w)
	}
}

func refusedOne(w *world) request {
	p := w.run(run()(w), refusedRun("stress-refused")).problem(w.t)
	return request{method: "GET", path: w.at("/stress/runs/" + p.RunID)}
}

// anotherBranch sends the key of a run on main with the request of a run on another branch.
// ranBefore sends the request of a run that completed again, by its key, after a deletion at the path.
func ranBefore(deleted string, header ...string) func(*world) request {
	return func(w *world) request {
		r := run(append(header, "Idempotency-Key: k")...)(w)
		first := w.run(run("Idempotency-Key: k")(w), (*world).completedRun)
		if first.status != 201 {
			w.t.Fatalf("%d %s", first.status, first.body)
		}
		if deleted == "" {
			return r
		}
		made := first.header.Get("Location")
		if gone := w.send(request{method: "DELETE", path: strings.ReplaceAll(w.at(deleted), w.at("{r}"), made)}); gone.status != 204 {
			w.t.Fatalf("%d %s", gone.status, gone.body)
		}
		return r
	}
}

func anotherBranch(w *world) request {
	r := w.run(run("Idempotency-Key: k")(w), (*world).completedRun)
	if r.status != 201 {
		w.t.Fatalf("%d %s", r.status, r.body)
	}
	second := w.make(request{method: "POST", path: "/api/projects", body: `{"name":"Second"}`})
	return request{method: "POST", path: w.at("/stress/profiles/{f}/runs?branchId=" + second), header: []string{"Idempotency-Key: k"}}
}
