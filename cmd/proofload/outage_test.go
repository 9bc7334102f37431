package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore/natstest"
)

// answersWithin is the longest that a client waits for an answer while the log is in trouble: one append and one reading,
// each given up after the store's timeout, and some room for a busy machine.
const answersWithin = 8 * time.Second

// outage is a server whose NATS gets into trouble, and what its clients were told.
type outage struct {
	*killedServer
	nats  *natstest.Cluster
	lasts time.Duration
	sent  []sentCommand
	slow  time.Duration // the longest answer
}

// sentCommand is a project that a client asked for, and the type word of what it was told.
type sentCommand struct{ key, told string }

// While NATS is gone, hangs or has no quorum, clients that write, read and run go on asking. Each is told within a bound
// what holds, reads of views go on, and what was in progress is finished afterwards. 30 s with PROOFLOAD_SOAK.
func TestSoakOutageOfNATS(t *testing.T) {
	t.Parallel()
	nats := natstest.StartCluster(t, 3)
	server := program(t, "serve", "--nats", nats.URL(), "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(t))
	server.says("proofload serves")
	o := &outage{killedServer: &killedServer{t: t, url: servesAt.FindString(server.out.text()), token: chosenToken}, nats: nats, lasts: 3 * time.Second}
	if os.Getenv("PROOFLOAD_SOAK") != "" {
		o.lasts = 30 * time.Second
	}
	want := o.saveExample()
	all, two := nats.Servers, nats.Servers[:2]
	for _, fault := range []struct {
		name    string
		servers []*natstest.Server
		begin   func(*natstest.Server)
		end     func(*natstest.Server)
	}{
		{"killed", all, (*natstest.Server).Kill, func(s *natstest.Server) { s.Start(t) }},
		{"hangs", all, func(s *natstest.Server) { s.Pause(t) }, func(s *natstest.Server) { s.Continue(t) }},
		{"no quorum", two, (*natstest.Server).Kill, func(s *natstest.Server) { s.Start(t) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			o.t = t
			id := o.requestRun("before " + fault.name)
			eventually(t, func() bool { return o.timed(http.MethodGet, o.project+"/stress/runs", "", "").status == http.StatusOK }, "the views show the project")
			for _, s := range fault.servers {
				fault.begin(s)
			}
			o.endure(fault.name)
			for _, s := range fault.servers {
				fault.end(s)
			}
			nats.WaitReady(t)
			o.recover()
			if got := o.outcome(id); got.Status != "completed" || got.ResultHash != want {
				t.Errorf("the run is %+v, want it completed with %s", got, want)
			}
			o.checkOnce(id)
			t.Logf("the slowest answer took %v", o.slow.Round(time.Millisecond))
		})
	}
	server.stop()
}

// endure is what clients meet while the fault lasts.
func (o *outage) endure(name string) {
	o.t.Helper()
	o.sent, o.slow = nil, 0
	began := time.Now()
	for n := 0; n < 2 || time.Since(began) < o.lasts; n++ {
		key := fmt.Sprintf("%s %d", name, n)
		told := o.refused(http.MethodPost, "projects", fmt.Sprintf(`{"name":%q}`, key), key)
		o.sent = append(o.sent, sentCommand{key, told})
		o.refused(http.MethodPost, o.profile+"/runs", "", "run "+key)
		for _, path := range []string{"projects", o.project + "/stress/runs", o.project + "/stress/profiles"} {
			if r := o.timed(http.MethodGet, path, "", ""); r.status != http.StatusOK {
				o.t.Errorf("GET %s: %d %s", path, r.status, r.body)
			}
		}
		if r := o.timed(http.MethodGet, "/readyz", "", ""); r.status != http.StatusServiceUnavailable {
			o.t.Errorf("/readyz: %d %s", r.status, r.body)
		}
		if r := o.timed(http.MethodGet, "/healthz", "", ""); r.status != http.StatusOK {
			o.t.Errorf("/healthz: %d %s", r.status, r.body)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// refused sends a command that cannot be done now, and gives the type word of the answer.
func (o *outage) refused(method, path, body, key string) string {
	o.t.Helper()
	r := o.timed(method, path, body, key)
	var p struct{ Type string }
	if err := json.Unmarshal([]byte(r.body), &p); err != nil || r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" ||
		!slices.Contains([]string{"unavailable", "unknown_outcome"}, p.Type) {
		o.t.Errorf("%s %s: %d %s %s", method, path, r.status, r.header.Get("Retry-After"), r.body)
	}
	return p.Type
}

// timed sends a request, which must be answered within the bound.
func (o *outage) timed(method, path, body, key string) reply {
	o.t.Helper()
	header := http.Header{}
	if key != "" {
		header.Set("Idempotency-Key", key)
		header.Set("Prefer", "respond-async")
	}
	began := time.Now()
	r := send(o.t, o.killedServer, method, path, body, header)
	took := time.Since(began)
	if o.slow = max(o.slow, took); tooLong(o.t, took, answersWithin) {
		o.t.Errorf("%s %s is answered after %v", method, path, took)
	}
	return r
}

// recover sends each command again, with its key. One that the client was told is not done is not there before.
func (o *outage) recover() {
	o.t.Helper()
	eventually(o.t, func() bool { return o.timed(http.MethodGet, "/readyz", "", "").status == http.StatusOK }, "ready")
	before := o.projects()
	for _, c := range o.sent {
		if c.told == "unavailable" && before[c.key] > 0 {
			o.t.Errorf("%q was stored although its client was told that it is not", c.key)
		}
		o.call(http.MethodPost, "projects", fmt.Sprintf(`{"name":%q}`, c.key), map[string]string{"Idempotency-Key": c.key}, &struct{}{})
	}
	after := o.projects()
	for _, c := range o.sent {
		if after[c.key] != 1 {
			o.t.Errorf("%q is there %d times", c.key, after[c.key])
		}
	}
}

// projects counts the projects of each name, once the read models have caught up with the log.
func (o *outage) projects() map[string]int {
	o.t.Helper()
	counts := map[string]int{}
	path := "projects?limit=200&after=" + o.end()
	for cursor := ""; ; {
		var page struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
			NextCursor string `json:"nextCursor"`
		}
		o.call(http.MethodGet, path+cursor, "", nil, &page)
		for _, p := range page.Items {
			counts[p.Name]++
		}
		if page.NextCursor == "" {
			return counts
		}
		cursor = "&cursor=" + page.NextCursor
	}
}

type outageEntry struct {
	Position    string `json:"position"`
	AggregateID string `json:"aggregateId"`
	Events      []struct {
		Name string `json:"name"`
	} `json:"events"`
}

// entries is the whole log.
func (o *outage) entries() []outageEntry {
	o.t.Helper()
	var all []outageEntry
	for cursor := ""; ; {
		var page struct {
			Items      []outageEntry `json:"items"`
			NextCursor string        `json:"nextCursor"`
		}
		o.call(http.MethodGet, "log?limit=200"+cursor, "", nil, &page)
		all = append(all, page.Items...)
		if page.NextCursor == "" {
			return all
		}
		cursor = "&cursor=" + page.NextCursor
	}
}

func (o *outage) end() string {
	all := o.entries()
	return all[len(all)-1].Position
}

// checkOnce makes sure that the run has one outcome.
func (o *outage) checkOnce(id string) {
	o.t.Helper()
	outcomes := 0
	for _, entry := range o.entries() {
		for _, event := range entry.Events {
			if entry.AggregateID == id && event.Name == "RunCompleted" {
				outcomes++
			}
		}
	}
	if outcomes != 1 {
		o.t.Errorf("the run has %d outcomes", outcomes)
	}
}
