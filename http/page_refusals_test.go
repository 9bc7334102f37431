package http

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// refusalTest is a bundle that is refused with a code of the page, at a target.
type refusalTest struct {
	code, target string
	bundle
	before func(w *world, project string) // the run
}

func refusalTests() []refusalTest {
	valid := bundle{
		model: `{"elements":[{"id":"shop","name":"Shop","kind":"service"},{"id":"till","name":"Till","kind":"store"}],
			"operations":[{"id":"buy","elementId":"shop","name":"Buy","timeoutMs":0,"retry":{"maxAttempts":1,"backoffMs":0}}],
			"channels":[{"id":"paid","name":"Paid","kind":"topic"}],"bindings":[],
			"subscriptions":[{"id":"mail","channelId":"paid","elementId":"shop","name":"Mail","retry":{"maxAttempts":1,"backoffMs":0}}]}`,
		scenario: `{"name":"Checkout","steps":[{"id":"s1","kind":"call","operationId":"buy","steps":[{"id":"s4","kind":"write","elementId":"till"}]},
			{"id":"s2","kind":"branch","then":[{"id":"s3","kind":"publish","channelId":"paid"}],"else":[]}]}`,
		profile: `{"name":"Peak","scenarioId":"{s}","seed":"1","arrivals":{"kind":"constant","ratePerSecond":1,"durationSeconds":1,"warmUpSeconds":0},
			"resources":[{"elementId":"shop","concurrency":1},{"elementId":"till","concurrency":1}],
			"serviceTimes":[{"target":"till","time":{"kind":"fixed","ms":1}},{"target":"buy","time":{"kind":"fixed","ms":1}},{"target":"mail","time":{"kind":"fixed","ms":1}}],
			"subscriptions":[{"subscriptionId":"mail","consumers":1}],"branches":[{"stepId":"s2","probability":0.5}],
			"overrides":[],"outages":[]}`,
	}
	profile := func(old, changed string) bundle {
		b := valid
		b.profile = strings.Replace(b.profile, old, changed, 1)
		return b
	}
	return []refusalTest{
		{"", "", valid, nil},
		{"invalid-profile", "/overrides/0/timeoutMs", profile(`"overrides":[]`, `"overrides":[{"target":"mail","timeoutMs":1}]`), nil},
		{"invalid-scenario", "s1", bundle{valid.model, strings.Replace(valid.scenario, `"buy"`, `"sell"`, 1), valid.profile}, nil},
		{"unknown-scenario", "", valid, deleteItsScenario},
		{"missing-concurrency", "shop", profile(`{"elementId":"shop","concurrency":1},`, ""), nil},
		{"missing-service-time", "buy", profile(`{"target":"buy","time":{"kind":"fixed","ms":1}},`, ""), nil},
		{"missing-service-time", "till", profile(`{"target":"till","time":{"kind":"fixed","ms":1}},`, ""), nil},
		{"missing-service-time", "mail", profile(`,{"target":"mail","time":{"kind":"fixed","ms":1}}`, ""), nil},
		{"missing-consumers", "mail", profile(`{"subscriptionId":"mail","consumers":1}`, ""), nil},
		{"missing-branch-probability", "s2", profile(`{"stepId":"s2","probability":0.5}`, ""), nil},
		{"unknown-target", "sell", profile(`"overrides":[]`, `"overrides":[{"target":"sell","timeoutMs":1}]`), nil},
		{"unknown-target", "bank", profile(`"outages":[]`, `"outages":[{"target":"bank","fromSeconds":0,"toSeconds":1}]`), nil},
		{"stress-too-large", "duration", profile(`"durationSeconds":1`, `"durationSeconds":3601`), nil},
	}
}

func deleteItsScenario(w *world, project string) {
	var scenarios List[DocumentItem]
	w.send(request{method: "GET", path: project + "/scenarios"}).into(w.t, &scenarios)
	path := project + "/scenarios/" + scenarios.Items[0].ID
	if r := w.send(request{method: "DELETE", path: path}); r.status != 204 {
		w.t.Fatalf("%d %s", r.status, r.body)
	}
	w.caughtUp()
}

// TestRefusals runs a bundle for each code of the page, with the real engine.
func TestRefusals(t *testing.T) {
	w := newWorld(t)
	w.work()
	for _, test := range refusalTests() {
		t.Run(test.code+" "+test.target, func(t *testing.T) {
			runs := w.save(test.bundle)
			if test.before != nil {
				project, _, _ := strings.Cut(runs, "/stress/")
				test.before(w, project)
			}
			r := w.ask(runs)
			if test.code == "" {
				if r.status != 201 {
					t.Errorf("a valid bundle: %d %s", r.status, r.body)
				}
				return
			}
			checkRefusal(t, r, test)
		})
	}
}

// ask requests a run; while the one before is being given back to its workspace, again.
func (w *world) ask(path string) reply {
	for {
		if r := w.send(request{method: "POST", path: path}); r.status != 429 {
			return r
		}
		time.Sleep(time.Millisecond)
	}
}

func checkRefusal(t *testing.T, r reply, test refusalTest) {
	t.Helper()
	p := r.problem(t)
	typ := "stress-refused"
	if test.code == "stress-too-large" {
		typ = test.code
	}
	named := slices.ContainsFunc(p.Issues, func(i domain.Issue) bool {
		return i.Code == test.code && i.Message != "" && (test.target == "" || i.Target == test.target)
	})
	if p.Status != 422 || p.Type != typ || p.Title == "" || !named {
		t.Errorf("%+v, want 422 %s with %s at %s", p, typ, test.code, test.target)
	}
}
