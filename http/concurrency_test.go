package http

import (
	"fmt"
	"testing"

	"github.com/proofload/proofload/domain"
)

// 50 writers race on one profile with the same If-Match: one wins, 49 get a 412 that names the version, and the
// log holds one event.
func TestRaceOfSaves(t *testing.T) {
	const writers = 50
	w := newWorld(t)
	w.shop()
	replies := make(chan reply, writers)
	for i := range writers {
		go func() {
			replies <- w.send(request{
				method: "PUT", path: w.at("/stress/profiles/{f}"), header: []string{one},
				body: aProfile(w.scenarioID, fmt.Sprint("Writer ", i)),
			})
		}()
	}
	won, lost := 0, 0
	for range writers {
		switch r := <-replies; r.status {
		case 200:
			won++
		case 412:
			lost++
			if p := r.problem(t); p.Current == nil || p.Current.Version != 2 || p.Current.By.Name != "admin" {
				t.Errorf("%+v", p)
			}
		default:
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if won != 1 || lost != writers-1 {
		t.Errorf("%d won, %d lost", won, lost)
	}
	if n := w.commits(domain.AggregateProfile, w.profileID); n != 2 {
		t.Errorf("the log holds %d saves, want that of the shop and one more", n)
	}
}

// 100 creates race on one project: 50 profiles are the most, whoever wins, and what lost is not to be seen.
func TestRaceOfCreates(t *testing.T) {
	const writers = 100
	w := newWorld(t)
	w.shop() // has one profile
	replies := make(chan reply, writers)
	for i := range writers {
		go func() {
			replies <- w.send(request{method: "POST", path: w.at("/stress/profiles"), body: aProfile(w.scenarioID, fmt.Sprint("Writer ", i))})
		}()
	}
	won := 0
	for range writers {
		switch r := <-replies; r.status {
		case 201:
			won++
		case 409:
			if p := r.problem(t); p.Type != "conflict" {
				t.Errorf("%+v", p)
			}
		default:
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	w.caughtUp()
	var l List[DocumentItem]
	w.send(request{method: "GET", path: w.at("/stress/profiles?limit=200")}).into(t, &l)
	if won != domain.MaxProfiles-1 || len(l.Items) != domain.MaxProfiles {
		t.Errorf("%d won, %d are listed, want %d with that of the shop", won, len(l.Items), domain.MaxProfiles)
	}
}

// commits counts what the log holds of an aggregate.
func (w *world) commits(typ, id string) int {
	w.t.Helper()
	agg, err := w.store.Find(w.t.Context(), typ, id)
	must(w.t, err)
	records, err := w.store.Load(w.t.Context(), agg)
	must(w.t, err)
	return len(records)
}

// A command that is sent twice with one key is done once and answers the same, also after a later save.
func TestSameKeyTwice(t *testing.T) {
	w := newWorld(t)
	w.shop()
	for name, r := range map[string]request{
		"project":  {method: "POST", path: "/api/projects", body: `{"name":"Second"}`},
		"model":    {method: "PUT", path: w.at("/model"), header: []string{one}, body: badlyNamed},
		"scenario": {method: "POST", path: w.at("/scenarios"), body: aScenario},
		"profile":  {method: "POST", path: w.at("/stress/profiles"), body: aProfile(w.scenarioID, "Twice")},
		"saved":    {method: "PUT", path: w.at("/stress/profiles/{f}"), header: []string{one}, body: aProfile(w.scenarioID, "Second")},
		"run":      {method: "POST", path: w.at("/stress/profiles/{f}/runs"), header: []string{"Prefer: respond-async"}},
	} {
		r.header = append(r.header, "Idempotency-Key: "+name)
		w.checkTwice(t, name, r)
	}
}

const badlyNamed = `{"elements":[{"id":"shop","name":"?","kind":"service"}],"operations":[],"channels":[],"bindings":[],"subscriptions":[]}`

func (w *world) checkTwice(t *testing.T, name string, r request) {
	t.Helper()
	first := w.send(r)
	if first.status >= 300 {
		t.Fatalf("%s: %d %s", name, first.status, first.body)
	}
	if name == "saved" { // a later save changes nothing of the answer
		w.make(request{method: "PUT", path: r.path, header: []string{`If-Match: "2"`}, body: aProfile(w.scenarioID, "Third")})
	}
	before, err := w.store.Position(t.Context())
	must(t, err)
	second := w.send(r)
	if second.status != first.status || string(second.body) != string(first.body) {
		t.Errorf("%s: %d %s, at first %d %s", name, second.status, second.body, first.status, first.body)
	}
	for _, header := range []string{"ETag", "Location", headerPosition} {
		if first.header.Get(header) != second.header.Get(header) {
			t.Errorf("%s: %s %s, at first %s", name, header, second.header.Get(header), first.header.Get(header))
		}
	}
	after, err := w.store.Position(t.Context())
	must(t, err)
	if after.Last != before.Last {
		t.Errorf("%s: the second one appended", name)
	}
}

// A run that is requested again with its key answers the same outcome.
func TestSameKeyOfARunThatEnded(t *testing.T) {
	w := newWorld(t)
	w.shop()
	r := run("Idempotency-Key: k")(w)
	first := w.run(r, (*world).completedRun)
	second := w.send(r)
	if first.status != 201 || second.status != 201 || string(first.body) != string(second.body) {
		t.Errorf("%d %s, then %d %s", first.status, first.body, second.status, second.body)
	}
	if first.header.Get(headerPosition) != second.header.Get(headerPosition) {
		t.Errorf("position %s, then %s", first.header.Get(headerPosition), second.header.Get(headerPosition))
	}
}

// The same key on another path is another command.
func TestSameKeyOnAnotherPath(t *testing.T) {
	w := newWorld(t)
	w.shop()
	header := []string{"Prefer: respond-async", "Idempotency-Key: k"}
	second := w.make(request{method: "POST", path: w.at("/stress/profiles"), body: aProfile(w.scenarioID, "Second")})
	a := w.send(request{method: "POST", path: w.at("/stress/profiles/{f}/runs"), header: header})
	b := w.send(request{method: "POST", path: w.at("/stress/profiles/" + second + "/runs"), header: header})
	if a.status != 202 || b.status != 202 || a.header.Get("Location") == b.header.Get("Location") {
		t.Errorf("%d %s and %d %s", a.status, a.body, b.status, b.body)
	}
}
