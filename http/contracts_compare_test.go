package http

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// The runs of testdata/versions, by the engine version that made them.
const (
	runOfOne   = "versionsrunoneaaaaaaaaaaaa"
	runOfTwo   = "versionsruntwoaaaaaaaaaaaa"
	runOfThree = "versionsrunthreeaaaaaaaaaa"
	runAgain   = "versionsrunthreeagainaaaaa" // the same inputs as runOfThree
	runChanged = "versionsrunchangedaaaaaaaa" // another input of every kind, one of them measured and stale
	versions   = "versionsprojectaaaaaaaaaaa"
)

// storedRecord is a commit of testdata/versions/log.json.
type storedRecord struct {
	Type, ID string
	Events   []struct {
		Name   string
		Schema int
		Data   json.RawMessage
	}
}

// replay appends the log of testdata/versions to the store.
func (w *world) replay() {
	w.t.Helper()
	replace := []string{"{workspace}", w.first.WorkspaceID}
	files, err := filepath.Glob("testdata/versions/*-*.json")
	must(w.t, err)
	for _, file := range files {
		document, err := os.ReadFile(file)
		must(w.t, err)
		hash, err := w.store.PutBlob(w.t.Context(), document)
		must(w.t, err)
		replace = append(replace, "{"+strings.TrimSuffix(filepath.Base(file), ".json")+"}", hash)
	}
	log, err := os.ReadFile("testdata/versions/log.json")
	must(w.t, err)
	var records []storedRecord
	must(w.t, json.Unmarshal([]byte(strings.NewReplacer(replace...).Replace(string(log))), &records))
	tails := map[eventstore.Aggregate]eventstore.Tail{}
	for _, r := range records {
		agg := eventstore.Aggregate{Workspace: w.first.WorkspaceID, Type: r.Type, ID: r.ID}
		events := make([]eventstore.Event, len(r.Events))
		for i, e := range r.Events {
			events[i] = eventstore.Event{Name: e.Name, Schema: e.Schema, Data: e.Data}
		}
		done, err := w.store.Append(w.t.Context(), agg, tails[agg], eventstore.Commit{Member: w.first.MemberID, At: started, Events: events})
		must(w.t, err)
		tails[agg] = eventstore.Tail{Seq: done.Seq, Hash: done.Hash}
	}
	w.caughtUp()
}

// comparing asks for the comparison of two runs of testdata/versions.
func comparing(left, right string) func(*world) request {
	return func(w *world) request {
		w.replay()
		return request{method: "GET", path: "/api/projects/" + versions + "/stress/compare?left=" + left + "&right=" + right}
	}
}

func compareContracts() []contract {
	return []contract{
		{route: "getComparison", name: "the same inputs", request: comparing(runOfThree, runAgain), status: 200, check: differ(true)},
		{route: "getComparison", name: "every kind of input", request: comparing(runOfThree, runChanged), status: 200, check: differ(
			false, "profile", "model", "scenario", "seed",
			"arrivals.bursts[0].ratePerSecond", "arrivals.ratePerSecond", "bank.concurrency", "bank.queueCapacity", "branch.s2",
			"buy.backoffMs", "buy.time.kind", "buy.time.meanMs", "buy.timeoutMs", "mail.consumers", "outage.shop[0].toSeconds",
			"pay.backoffMs", "pay.maxAttempts", "pay.time.kind", "pay.time.ms", "pay.timeoutMs", "shop.concurrency")},
		{route: "getComparison", name: "engine version 2", request: comparing(runOfTwo, runOfThree), status: 200, check: differ(false, "engineVersion")},
		{route: "getComparison", name: "engine version 1", request: comparing(runOfOne, runOfThree), status: 200, check: differ(
			false, "engineVersion", "limits.arrivals", "limits.drainSeconds", "limits.duration", "limits.events", "limits.keptSamples",
			"limits.pending", "limits.queued", "limits.routes", "limits.seriesPoints", "limits.targets",
			"outage.shop[0]", "outage.shop[0].fromSeconds", "outage.shop[0].toSeconds")},
		{route: "getComparison", name: "pins, sources and limits", request: comparing(runOfOne, runChanged), status: 200, check: checkInputs},
		{route: "getComparison", name: "a thing of one side", request: comparing(runChanged, runOfThree), status: 200, check: checkMetrics},
		{route: "getComparison", name: "an evicted run", request: then(comparing("", ""), evictedComparison), status: 200, check: differ(true)},
		{route: "getComparison", name: "no left", request: get("/stress/compare?right=" + unknown), status: 400, problem: "validation_error", check: names("left")},
		{route: "getComparison", name: "no right", request: comparing(runOfOne, ""), status: 400, problem: "validation_error", check: names("right")},
		{route: "getComparison", name: "unknown", request: comparing(runOfOne, unknown), status: 404, problem: "not_found"},
		{route: "getComparison", name: "refused", request: ended(refusedRun("stress-refused")), status: 404, problem: "not_found", check: says("it is refused")},
		{route: "getComparison", name: "failed", request: ended(failedRun), status: 404, problem: "not_found", check: says("it is failed")},
		{route: "getComparison", name: "cancelled", request: ended(cancelledBy(domain.CancelAsked)), status: 404, problem: "not_found", check: says("it is cancelled")},
		{route: "getComparison", name: "deleted", request: func(w *world) request {
			stored := storedRunID(w)
			w.send(request{method: "DELETE", path: w.at("/stress/runs/" + stored)})
			w.caughtUp()
			return get("/stress/compare?left=" + stored + "&right=" + stored)(w)
		}, status: 404, problem: "not_found"},
		{route: "getComparison", name: "not stored", request: func(w *world) request {
			id := queued(w)
			return get("/stress/compare?left=" + id + "&right=" + id)(w)
		}, status: 404, problem: "not_found", check: says("not a stored run: it is queued")},
		{
			route: "getComparison", name: "a refused left", request: refusedSide("left"), status: 404, problem: "not_found",
			check: says("not a stored run: it is refused"),
		},
		{
			route: "getComparison", name: "a refused right", request: refusedSide("right"), status: 404, problem: "not_found",
			check: says("not a stored run: it is refused"),
		},
		{route: "getComparison", name: "of another project", request: func(w *world) request {
			w.replay()
			return get("/stress/compare?left=" + runOfOne + "&right=" + runOfTwo)(w)
		}, status: 404, problem: "not_found"},
	}
}

// refusedSide compares a stored run with a refused one on this side.
func refusedSide(side string) func(*world) request {
	return func(w *world) request {
		ids := map[string]string{"left": "", "right": ""}
		stored := w.run(run()(w), (*world).completedRun)
		refused := w.run(run()(w), refusedRun("stress-refused"))
		for name := range ids {
			ids[name] = path.Base(stored.header.Get("Location"))
			if name == side {
				ids[name] = path.Base(refused.header.Get("Location"))
			}
		}
		return get("/stress/compare?left=" + ids["left"] + "&right=" + ids["right"])(w)
	}
}

func readComparison(t *testing.T, r reply) Comparison {
	t.Helper()
	var c Comparison
	r.into(t, &c)
	if c.Left.Status != domain.StatusCompleted || c.Right.ResultHash == "" {
		t.Errorf("left %+v, right %+v", c.Left, c.Right)
	}
	return c
}

// differ checks the keys of the inputs that differ, in order, and whether the results are the same.
func differ(same bool, keys ...string) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, r reply) {
		c := readComparison(t, r)
		var got []string
		for _, d := range c.Inputs {
			got = append(got, d.Key)
		}
		if diff := cmp.Diff(keys, got); diff != "" {
			t.Error(diff)
		}
		if c.SameResult != same || c.SameResult != (c.Left.ResultHash == c.Right.ResultHash) {
			t.Errorf("sameResult %v, hashes %s and %s", c.SameResult, c.Left.ResultHash, c.Right.ResultHash)
		}
	}
}

func checkInputs(t *testing.T, _ *world, r reply) {
	got := map[string]string{}
	for _, d := range readComparison(t, r).Inputs {
		text, err := json.Marshal(map[string]any{"l": d.Left, "r": d.Right, "ls": d.LeftSource, "rs": d.RightSource})
		must(t, err)
		got[d.Key] = string(text)
	}
	for key, want := range map[string]string{
		"profile":        `{"l":{"id":"versionsprofileaaaaaaaaaaa","version":1},"ls":null,"r":{"id":"versionsprofileaaaaaaaaaaa","version":2},"rs":null}`,
		"model":          `{"l":{"id":"versionsprojectaaaaaaaaaaa","version":1},"ls":null,"r":{"id":"versionsprojectaaaaaaaaaaa","version":2},"rs":null}`,
		"scenario":       `{"l":{"id":"versionsscenarioaaaaaaaaaa","version":1},"ls":null,"r":{"id":"versionsscenarioaaaaaaaaaa","version":2},"rs":null}`,
		"seed":           `{"l":"7","ls":null,"r":"8","rs":null}`,
		"engineVersion":  `{"l":1,"ls":null,"r":3,"rs":null}`,
		"limits.events":  `{"l":"not recorded","ls":null,"r":5000000,"rs":null}`,
		"outage.shop[0]": `{"l":"2 to 2.1","ls":{"label":"declared"},"r":null,"rs":null}`,
		"buy.time.meanMs": `{"l":25,"ls":{"label":"declared"},"r":20,` +
			`"rs":{"label":"measured","measurementRef":"m1","measurementStale":true}}`,
		"buy.backoffMs":      `{"l":20,"ls":{"label":"declared","modelValue":10},"r":30,"rs":{"label":"declared","modelValue":10}}`,
		"bank.queueCapacity": `{"l":null,"ls":null,"r":null,"rs":{"label":"declared"}}`,
	} {
		if got[key] != want {
			t.Errorf("%s: %s, want %s", key, got[key], want)
		}
	}
}

// checkMetrics checks that delta is right minus left, and null for what one side does not have.
func checkMetrics(t *testing.T, _ *world, r reply) {
	rows := readComparison(t, r).Metrics
	without := 0
	for _, row := range rows {
		switch {
		case row.Left != nil && row.Right != nil:
			if row.Delta == nil || *row.Delta != *row.Right-*row.Left {
				t.Errorf("%s: %v to %v is %v", row.Key, *row.Left, *row.Right, row.Delta)
			}
		case row.Delta != nil:
			t.Errorf("%s has a delta without two values: %v", row.Key, *row.Delta)
		case strings.HasPrefix(row.Key, "elements[bank]") && row.Left != nil:
			without++
		}
	}
	if without == 0 || len(rows) < 100 {
		t.Errorf("%d rows, %d of an element that the right side does not have", len(rows), without)
	}
	if rows[0].Key[:5] != "flow." || rows[len(rows)-1].Key != "endMs" {
		t.Errorf("rows from %s to %s", rows[0].Key, rows[len(rows)-1].Key)
	}
}

// evictedComparison makes 20 more stored runs of the profile, so that its older ones leave its list.
func evictedComparison(w *world) request {
	for range 20 {
		runs := "/api/projects/" + versions + "/stress/profiles/versionsprofileaaaaaaaaaaa/runs"
		if r := w.run(request{method: "POST", path: runs}, (*world).completedRun); r.status != 201 {
			w.t.Fatalf("%d %s", r.status, r.body)
		}
	}
	var run oneRun
	w.send(request{method: "GET", path: "/api/projects/" + versions + "/stress/runs/" + runOfThree}).into(w.t, &run)
	if !run.Evicted {
		w.t.Fatal("the run is still among the newest 20")
	}
	return request{method: "GET", path: "/api/projects/" + versions + "/stress/compare?left=" + runOfThree + "&right=" + runAgain}
}

// ended compares a stored run with one that ended without a result, on either side.
func ended(outcome func(*world, string) domain.Event) func(*world) request {
	return func(w *world) request {
		stored := storedRunID(w)
		w.run(run()(w), outcome)
		var runs List[RunItem]
		w.send(get("/stress/runs?limit=1")(w)).into(w.t, &runs)
		if r := w.send(get("/stress/compare?left=" + stored + "&right=" + runs.Items[0].ID)(w)); r.status != 404 {
			w.t.Errorf("on the right: %d %s", r.status, r.body)
		}
		return get("/stress/compare?left=" + runs.Items[0].ID + "&right=" + stored)(w)
	}
}
