package http

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine/worker"
)

// bundle is what a run needs, each as JSON. {s} in the profile is the scenario.
type bundle struct{ model, scenario, profile string }

// work runs a real worker until the test ends.
func (w *world) work() { w.workOn(1) }

// workOn runs a real worker that computes so many runs at once.
func (w *world) workOn(slots int) {
	w.t.Helper()
	engine, err := worker.New(worker.Config{Store: w.store, Commands: w.commands, Name: "w", Slots: slots})
	must(w.t, err)
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && ctx.Err() == nil {
			w.t.Error(err)
		}
	})
}

// save makes a project of the bundle and gives the path of the runs of its profile.
func (w *world) save(b bundle) string { return w.saveIn(w.first.WorkspaceID, b) }

// saveIn saves in a workspace.
func (w *world) saveIn(workspaceID string, b bundle) string {
	w.t.Helper()
	project := "/api/projects/" + w.make(request{method: "POST", path: "/api/projects", body: `{"name":"Page","workspaceId":"` + workspaceID + `"}`})
	w.make(request{method: "PUT", path: project + "/model", header: []string{`If-Match: "0"`}, body: b.model})
	scenario := w.make(request{method: "POST", path: project + "/scenarios", body: b.scenario})
	profile := w.make(request{
		method: "POST", path: project + "/stress/profiles", body: strings.ReplaceAll(b.profile, "{s}", scenario),
	})
	return project + "/stress/profiles/" + profile + "/runs"
}

// limitTest is a bundle that is at a limit of the page, or one over it.
type limitTest struct {
	limit string
	over  bool
	bundle
}

// repeated joins n texts that are made of a format and their number, with commas.
func repeated(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

const anOperation = `{"id":"o#","elementId":"e#","name":"O","timeoutMs":TIMEOUT,"retry":{"maxAttempts":1,"backoffMs":0}}`

// flow calls that many operations one after the other, each of an element of its own with 10 000 workers that take
// serviceMs. A constant rate makes exactly arrivals arrivals within seconds.
func flow(elements, callsOfEach, arrivals int, seconds, serviceMs float64, timeoutMs int) bundle {
	calls := make([]string, 0, elements*callsOfEach)
	for i := range elements * callsOfEach {
		calls = append(calls, fmt.Sprintf(`{"id":"c%d","kind":"call","operationId":"o%d"}`, i, i%elements))
	}
	return bundle{
		model: `{"elements":[` + repeated(elements, `{"id":"e#","name":"E","kind":"service"}`) + `],"operations":[` +
			strings.ReplaceAll(repeated(elements, anOperation), "TIMEOUT", fmt.Sprint(timeoutMs)) + `],"channels":[],"bindings":[],"subscriptions":[]}`,
		scenario: `{"name":"Flow","steps":[` + strings.Join(calls, ",") + `]}`,
		profile: `{"name":"Limit","scenarioId":"{s}","seed":"1","arrivals":{"kind":"constant","ratePerSecond":` + number(float64(arrivals)/seconds) +
			`,"durationSeconds":` + number(seconds) + `,"warmUpSeconds":0},"resources":[` + repeated(elements, `{"elementId":"e#","concurrency":10000}`) +
			`],"serviceTimes":[` + strings.ReplaceAll(repeated(elements, `{"target":"o#","time":{"kind":"fixed","ms":MS}}`), "MS", number(serviceMs)) +
			`],"subscriptions":[],"branches":[],"overrides":[],"outages":[]}`,
	}
}

// waiting sends flows to two elements at once, each with one worker that takes longer than the run: of n flows, all
// but one wait at each.
func waiting(flows int) bundle {
	b := flow(2, 1, flows, 10, 3_600_000, 0)
	b.profile = strings.ReplaceAll(b.profile, `"concurrency":10000`, `"concurrency":1`)
	b.scenario = `{"name":"Both","steps":[{"id":"p","kind":"parallel","branches":[[{"id":"a","kind":"call","operationId":"o0"}],[{"id":"b","kind":"call","operationId":"o1"}]]}]}`
	return b
}

// targets has 50 elements with workers and their operations, and more operations of the first.
func targets(more int) bundle {
	b := flow(50, 1, 1, 1, 1, 0)
	for i := range more {
		id := fmt.Sprintf("x%d", i)
		b.model = strings.Replace(b.model, `"operations":[`, `"operations":[{"id":"`+id+`","elementId":"e0","name":"X","timeoutMs":0,"retry":{"maxAttempts":1,"backoffMs":0}},`, 1)
		b.scenario = strings.Replace(b.scenario, `"steps":[`, `"steps":[{"id":"`+id+`","kind":"call","operationId":"`+id+`"},`, 1)
		b.profile = strings.Replace(b.profile, `"serviceTimes":[`, `"serviceTimes":[{"target":"`+id+`","time":{"kind":"fixed","ms":1}},`, 1)
	}
	return b
}

// routes publishes to a channel that is bound to n others.
func routes(n int) bundle {
	b := flow(1, 1, 1, 1, 1, 0)
	b.model = `{"elements":[],"operations":[],"channels":[{"id":"from","name":"F","kind":"topic"},` + repeated(n, `{"id":"ch#","name":"C","kind":"queue"}`) +
		`],"bindings":[` + repeated(n, `{"id":"b#","fromChannelId":"from","toChannelId":"ch#"}`) + `],"subscriptions":[]}`
	b.scenario = `{"name":"Publish","steps":[{"id":"p","kind":"publish","channelId":"from"}]}`
	b.profile = `{"name":"Limit","scenarioId":"{s}","seed":"1","arrivals":{"kind":"constant","ratePerSecond":1,"durationSeconds":1,"warmUpSeconds":0},
		"resources":[],"serviceTimes":[],"subscriptions":[],"branches":[],"overrides":[],"outages":[]}`
	return b
}

// limitTests are at each limit and over it, but that of real time: engine/worker has its test, TestStoppedByALimit what is
// answered. The last two columns of the flows follow from how the page counts: a flow of
// 24 calls is 25 events (its arrival, and the end of each service), a call whose timeout has not passed is a scheduled one.
func limitTests() []limitTest {
	return []limitTest{
		{"duration", false, flow(1, 1, 36, 3600, 1, 0)},
		{"duration", true, flow(1, 1, 36, 3600.001, 1, 0)},
		{"arrivals", false, flow(1, 1, 200_000, 10, 0, 0)},
		{"arrivals", true, flow(1, 1, 200_001, 10, 0, 0)},
		{"events", false, flow(1, 24, 200_000, 10, 0, 0)},
		{"events", true, flow(1, 25, 200_000, 10, 0, 0)},
		{"queued", false, waiting(125_001)},
		{"queued", true, waiting(125_002)},
		{"pending", false, flow(1, 3, 83_333, 10, 0, 3_600_000)},
		{"pending", true, flow(1, 3, 83_334, 10, 0, 3_600_000)},
		{"targets", false, targets(0)},
		{"targets", true, targets(1)},
		{"routes", false, routes(200)},
		{"routes", true, routes(201)},
	}
}

// TestLimits runs a bundle at each limit of the page and one over it, with the real engine.
func TestLimits(t *testing.T) {
	for _, test := range limitTests() {
		t.Run(fmt.Sprintf("%s/over=%v", test.limit, test.over), func(t *testing.T) {
			w := newWorld(t)
			w.work()
			r := w.send(request{method: "POST", path: w.save(test.bundle)})
			if test.over {
				checkOver(t, r, test.limit)
			} else {
				checkAt(t, r, test.limit)
			}
		})
	}
}

// checkAt checks that a run has a result, and that the count that the result states is the limit itself.
func checkAt(t *testing.T, r reply, limit string) {
	t.Helper()
	var run Run[domain.Profile, struct {
		Events float64
		Flow   struct{ Started float64 }
		Limits map[string]float64
	}]
	if r.status != 201 || json.Unmarshal(r.body, &run) != nil {
		t.Fatalf("at the limit: %d %.300s", r.status, r.body)
	}
	stated := map[string]float64{"events": run.Result.Events, "arrivals": run.Result.Flow.Started, "duration": run.Profile.Arrivals.DurationSeconds}
	if count, ok := stated[limit]; ok && count != run.Result.Limits[limit] {
		t.Errorf("the run has %v %s, the limit is %v", count, limit, run.Result.Limits[limit])
	}
}

func checkOver(t *testing.T, r reply, limit string) {
	t.Helper()
	p := r.problem(t)
	if p.Status != 422 || p.Type != "stress-too-large" || len(p.Issues) != 1 || p.Issues[0].Limit != limit || p.Issues[0].Code != "stress-too-large" {
		t.Errorf("%+v, want 422 stress-too-large with the limit %s", p, limit)
	}
}

// A run that a limit stopped stores nothing: its profile lists no run, GET shows why there is no result.
func TestStoppedByALimit(t *testing.T) {
	w := newWorld(t)
	w.shop()
	refused := domain.TooLarge("wall-clock", 20, " s")
	r := w.run(run()(w), func(_ *world, id string) domain.Event {
		return domain.RunRefused{RunID: id, Type: refused.Type, Title: refused.Title, Issues: refused.Issues}
	})
	checkOver(t, r, "wall-clock")
	countRuns(0)(t, w, w.send(get("/stress/profiles/{f}/runs")(w)))
	var got oneRun
	w.send(get("/stress/runs/"+r.problem(t).RunID)(w)).into(t, &got)
	if got.Status != domain.StatusRefused || got.Refusal == nil || got.Refusal.Issues[0].Limit != "wall-clock" || got.ResultHash != "" {
		t.Errorf("%+v", got)
	}
}
