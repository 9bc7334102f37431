package http

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// serviceContracts are those of the stress routes beside profiles and runs as such.
func serviceContracts() []contract {
	const profile = "/stress/profiles/{f}"
	removeProfile := sendTo("DELETE", profile, "")
	return []contract{
		{route: "getExport", name: "with objectives", request: saved(sendTo("PUT", "/scenarios/{s}/objectives", someObjectives, `If-Match: "0"`), export("")), status: 200, check: exports(true, 1)},
		{route: "getExport", name: "without objectives", request: export(""), status: 200, check: exports(true, 0)},
		{route: "getExport", name: "of a deleted scenario", request: then(deletedFirst(sendTo("DELETE", "/scenarios/{s}", "")), export("")), status: 200, check: exports(false, 0)},
		{route: "getExport", name: "no profile named", request: get("/export"), status: 400, problem: "validation_error", check: names("profileId")},
		{route: "getExport", name: "unknown profile", request: get("/export?profileId=" + unknown), status: 404, problem: "not_found"},
		{route: "getExport", name: "unknown branch", request: export("&branchId=" + unknown), status: 404, problem: "not_found"},
		{route: "getDefaults", name: "of nobody's settings", request: get("/stress/defaults"), status: 200, check: defaults(`{"seed":"1","durationSeconds":300,"warmUpSeconds":5,"arrivalRatePerSecond":10}`)},
		{route: "getDefaults", name: "clamped", request: settings(domain.SimulationSettings{Seed: "18446744073709551615", DurationSeconds: 86400, WarmUpSeconds: 4000, ArrivalRatePerSecond: 0.5}, get("/stress/defaults")), status: 200, check: defaults(`{"seed":"18446744073709551615","durationSeconds":3600,"warmUpSeconds":3599,"arrivalRatePerSecond":0.5}`)},
		{route: "getDefaults", name: "at the clamps", request: settings(domain.SimulationSettings{Seed: "0", DurationSeconds: 3600, WarmUpSeconds: 3599, ArrivalRatePerSecond: 1}, get("/stress/defaults")), status: 200, check: defaults(`{"seed":"0","durationSeconds":3600,"warmUpSeconds":3599,"arrivalRatePerSecond":1}`)},
		{route: "getDefaults", name: "shorter than a second", request: settings(domain.SimulationSettings{Seed: "0", DurationSeconds: 0.5, WarmUpSeconds: 0.2, ArrivalRatePerSecond: 1}, get("/stress/defaults")), status: 200, check: defaults(`{"seed":"0","durationSeconds":0.5,"warmUpSeconds":0,"arrivalRatePerSecond":1}`)},
		{route: "getDefaults", name: "unknown project", request: getAbsolute("/api/projects/" + unknown + "/stress/defaults"), status: 404, problem: "not_found"},

		{route: "deleteProfile", name: "with its runs", request: completed(removeProfile), status: 204, check: profileGone},
		{route: "deleteProfile", name: "unknown", request: sendTo("DELETE", "/stress/profiles/"+unknown, ""), status: 404, problem: "not_found"},
		{route: "deleteProfile", name: "twice", request: deletedFirst(removeProfile), status: 404, problem: "not_found"},
		{route: "deleteProfile", name: "archived", request: archived(removeProfile), status: 409, problem: "conflict"},
		{route: "postProfile", name: "after a deletion there is room again", request: then(deletedFirst(fifty(removeProfile)), sendTo("POST", "/stress/profiles", aProfile("{s}", "x"))), status: 201},
		{route: "postProfile", name: "the 50th", request: filled(domain.MaxProfiles-2, sendTo("POST", "/stress/profiles", aProfile("{s}", "x"))), status: 201},
		{route: "postProfile", name: "archived", request: archived(sendTo("POST", "/stress/profiles", aProfile("{s}", "x"))), status: 409, problem: "conflict"},
		{route: "putProfile", name: "archived", request: archived(sendTo("PUT", profile, aProfile("{s}", "x"), one)), status: 409, problem: "conflict"},
		{route: "putProfile", name: "deleted", request: then(deletedFirst(removeProfile), sendTo("PUT", profile, aProfile("{s}", "x"), one)), status: 404, problem: "not_found"},

		{route: "cancelRun", name: "a queued one", request: cancelOf(queued), status: 202, check: checkCancelled},
		{route: "cancelRun", name: "an ended one", request: cancelOf(storedRunID), status: 409, problem: "conflict"},
		{route: "cancelRun", name: "unknown", request: sendTo("POST", "/stress/runs/"+unknown+"/cancel", ""), status: 404, problem: "not_found"},
		{route: "cancelRun", name: "of a deleted profile", request: cancelOf(orphan), status: 404, problem: "not_found"},
		{route: "cancelRun", name: "archived", request: archived(cancelOf(queued)), status: 409, problem: "conflict"},
		{route: "deleteRun", name: "of a deleted profile", request: deletionOf(orphan), status: 404, problem: "not_found"},
		{route: "deleteRun", name: "a stored one", request: deletionOf(storedRunID), status: 204, check: runGone},
		{route: "deleteRun", name: "a queued one", request: deletionOf(queued), status: 204, check: runGone},
		{route: "deleteRun", name: "unknown", request: sendTo("DELETE", "/stress/runs/"+unknown, ""), status: 404, problem: "not_found"},
		{route: "deleteRun", name: "twice", request: deletedFirst(deletionOf(storedRunID)), status: 404, problem: "not_found"},
		{route: "deleteRun", name: "archived", request: archived(deletionOf(storedRunID)), status: 409, problem: "conflict"},
		{route: "getRun", name: "a cancelled one", request: cancelledRun, status: 200, check: func(t *testing.T, _ *world, r reply) {
			var run oneRun
			r.into(t, &run)
			if run.Status != domain.StatusCancelled || run.Refusal.Type != "run_cancelled" || run.Refusal.Code != "asked" || run.Result != nil {
				t.Errorf("%+v", run)
			}
		}},
		{route: "postRun", name: "cancelled meanwhile", request: run(), outcome: cancelledBy(domain.CancelAsked), status: 409, problem: "run_cancelled", check: says("cancelled before it ended")},
		{route: "postRun", name: "archived", request: archived(run()), status: 409, problem: "conflict"},
		{route: "postRun", name: "the second at the same time", request: open(1, run("Prefer: respond-async")), status: 202},
		{route: "postRun", name: "the third at the same time", request: open(2, run()), status: 429, problem: "rate_limited", check: retryAfter(1)},
		{route: "postRun", name: "the 30th of a minute", request: started30(29), status: 202},
		{route: "postRun", name: "the 31st of a minute", request: started30(30), status: 429, problem: "rate_limited", check: retryAfter(60)},
		{route: "postRun", name: "one more than the instance has room for", request: policy(1, open(1, run())), status: 429, problem: "busy", check: retryAfter(1)},
		{route: "postRun", name: "as many as the instance has room for", request: policy(2, open(1, run("Prefer: respond-async"))), status: 202},
		{route: "postRun", name: "a raised policy holds at once", request: policy(1, open(1, policy(2, run("Prefer: respond-async")))), status: 202},
		{route: "postRun", name: "over both bounds", request: policy(2, open(2, run())), status: 429, problem: "rate_limited"},
	}
}

func export(more string) func(*world) request {
	return func(w *world) request { return get("/export?profileId=" + w.profileID + more)(w) }
}

// exports checks that the answer is a bundle of the command line.
func exports(scenario bool, objectives int) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		b, err := domain.ParseBundle(r.body)
		if err != nil || (b.Scenario != nil) != scenario || len(b.Objectives) != objectives || b.Profile.Name != "Peak" || len(b.Model.Elements) != 1 {
			t.Errorf("%v, %+v", err, b)
		}
	}
}

func defaults(want string) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		if got := strings.TrimSpace(string(r.body)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// settings saves the simulation settings of the workspace before the request.
func settings(s domain.SimulationSettings, then func(*world) request) func(*world) request {
	return func(w *world) request {
		_, err := w.commands.ChangeSimulationSettings(w.t.Context(), commands.ChangeSimulationSettings{
			Meta: commands.Meta{Member: w.first.MemberID}, WorkspaceID: w.first.WorkspaceID, Settings: s,
		})
		must(w.t, err)
		w.caughtUp()
		return then(w)
	}
}

// policy changes how many runs the instance has at the same time before the request.
func policy(most int, then func(*world) request) func(*world) request {
	return func(w *world) request {
		i, err := w.commands.Instance(w.t.Context())
		must(w.t, err)
		_, err = w.commands.ChangeInstancePolicy(w.t.Context(), commands.ChangeInstancePolicy{
			Meta: commands.Meta{Member: w.first.MemberID}, Base: i.Policy.Version, MaxConcurrentStressRuns: most,
		})
		must(w.t, err)
		return then(w)
	}
}

// filled makes that many more profiles before the request.
func filled(more int, then func(*world) request) func(*world) request {
	return func(w *world) request {
		for range more {
			w.make(request{method: "POST", path: w.at("/stress/profiles"), body: aProfile(w.scenarioID, "Peak")})
		}
		return then(w)
	}
}

// orphan is the id of a run whose profile was deleted after it was requested.
func orphan(w *world) string {
	id := queued(w)
	if r := w.send(sendTo("DELETE", "/stress/profiles/{f}", "")(w)); r.status != 204 {
		w.t.Fatalf("%d %s", r.status, r.body)
	}
	w.caughtUp()
	return id
}

// queued requests a run and gives its id.
func queued(w *world) string {
	var requested RequestedRun
	w.send(run("Prefer: respond-async")(w)).into(w.t, &requested)
	w.caughtUp()
	return requested.ID
}

// storedRunID makes a stored run and gives its id.
func storedRunID(w *world) string {
	var stored oneRun
	w.run(run()(w), (*world).completedRun).into(w.t, &stored)
	return stored.ID
}

func cancelOf(run func(*world) string) func(*world) request {
	return func(w *world) request { return sendTo("POST", "/stress/runs/"+run(w)+"/cancel", "")(w) }
}

func deletionOf(run func(*world) string) func(*world) request {
	return func(w *world) request { return sendTo("DELETE", "/stress/runs/"+run(w), "")(w) }
}

// open requests runs that do not end before the request.
func open(runs int, then func(*world) request) func(*world) request {
	return func(w *world) request {
		for range runs {
			queued(w)
		}
		return then(w)
	}
}

// started30 starts and ends runs at one instant, then asks for one more.
func started30(runs int) func(*world) request {
	return func(w *world) request {
		for range runs {
			must(w.t, w.commands.EndRun(w.t.Context(), w.first.WorkspaceID, queued(w), failedRun(w, ""), commands.Meta{Member: w.first.MemberID}))
		}
		return run("Prefer: respond-async")(w)
	}
}

func cancelledBy(reason string) func(*world, string) domain.Event {
	return func(_ *world, id string) domain.Event { return domain.RunCancelled{RunID: id, Reason: reason} }
}

func cancelledRun(w *world) request {
	id := queued(w)
	w.send(sendTo("POST", "/stress/runs/"+id+"/cancel", "")(w))
	w.caughtUp()
	return get("/stress/runs/" + id)(w)
}

// retryAfter checks when a client is told to ask again, in seconds.
func retryAfter(seconds int) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		got, err := time.ParseDuration(r.header.Get("Retry-After") + "s")
		if err != nil || got != time.Duration(seconds)*time.Second {
			t.Errorf("Retry-After %q, want %d", r.header.Get("Retry-After"), seconds)
		}
	}
}

func checkCancelled(t *testing.T, w *world, r reply) {
	var cancelled RequestedRun
	var run oneRun
	r.into(t, &cancelled)
	w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)}).into(t, &run)
	if cancelled.Status != domain.StatusCancelled || run.ID != cancelled.ID || run.Status != domain.StatusCancelled {
		t.Errorf("%+v, then %+v", cancelled, run)
	}
}

func runGone(t *testing.T, w *world, r reply) {
	var all, kept List[RunItem]
	w.send(request{method: "GET", path: w.at("/stress/runs?after=" + r.header.Get(headerPosition))}).into(t, &all)
	w.send(request{method: "GET", path: w.at("/stress/profiles/{f}/runs")}).into(t, &kept)
	if len(all.Items) != 0 || len(kept.Items) != 0 {
		t.Errorf("still listed: %v, %v", all, kept)
	}
}

func profileGone(t *testing.T, w *world, r reply) {
	runGoneFromProject := w.send(request{method: "GET", path: w.at("/stress/runs?after=" + r.header.Get(headerPosition))})
	var all List[RunItem]
	runGoneFromProject.into(t, &all)
	if len(all.Items) != 0 {
		t.Errorf("its runs: %v", all)
	}
	for _, path := range []string{"", "/runs", "/versions", "/versions/1"} {
		if got := w.send(request{method: "GET", path: w.at("/stress/profiles/{f}" + path)}); got.status != 404 {
			t.Errorf("GET %s of the profile: %d", path, got.status)
		}
	}
	var profiles List[DocumentItem]
	w.send(request{method: "GET", path: w.at("/stress/profiles")}).into(t, &profiles)
	if slices.ContainsFunc(profiles.Items, func(p DocumentItem) bool { return p.ID == w.profileID }) {
		t.Error("the profile is still listed")
	}
}
