package main

import (
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/proofload/proofload/domain"
)

//go:embed testdata/heavy.yaml
var heavyBundle string

// heavyRate is near the limit of events: a run takes about a second.
const heavyRate = 1900

// TestSoakCluster runs what compose.yaml starts, as real processes, and asks of it what a user of one server takes for
// granted: it makes no difference which of them is asked. Then workers are killed.
func TestSoakCluster(t *testing.T) {
	c := startCompose(t)
	for _, part := range []struct {
		name string
		test func(*testing.T)
	}{
		{"health", c.testHealth},
		{"waiting request", c.testWaitingRequest},
		{"progress", c.testProgress},
		{"cancel", c.testCancel},
		{"position", c.testPosition},
		{"idempotency", c.testIdempotency},
		{"token", c.testToken},
		{"policy", c.testPolicy},
		{"projector", c.testProjector},
		{"rolling", c.testRolling},
		{"leader", c.testLeader},
		{"kills", c.testKills},
	} {
		t.Run(part.name, part.test)
	}
}

// at gives the calls of a server for a test.
func (c *startedCluster) at(t *testing.T, n int) *killedServer {
	s := *c.api[n].client
	s.t = t
	return &s
}

// both gives the calls of both servers on one new project with a bundle.
func (c *startedCluster) both(t *testing.T, text string, rate float64) (a, b *killedServer, bundle domain.Bundle) {
	a, b = c.at(t, 0), c.at(t, 1)
	bundle = a.save("", text, rate)
	b.project, b.profile = a.project, a.profile
	return a, b, bundle
}

// Each part of the cluster is well by the health check of its container.
func (c *startedCluster) testHealth(t *testing.T) {
	for _, a := range c.api {
		eventually(t, func() bool { return c.isHealthy(a.process, a.health...) }, "%q is healthy", a.process.args)
	}
	for _, w := range c.workers {
		address := w.args[slices.Index(w.args, "--health")+1]
		eventually(t, func() bool { return c.isHealthy(w, "health", "http://"+address) }, "%q is healthy", w.args)
	}
}

// A request that waits at one server ends when a worker ends the run, whichever server projects the outcome.
func (c *startedCluster) testWaitingRequest(t *testing.T) {
	a, b, bundle := c.both(t, demoBundle, 100)
	want := undisturbed(t, bundle)
	for _, s := range []*killedServer{b, a} {
		var run killedRun
		s.call("POST", s.profile+"/runs", "", nil, &run)
		if run.Status != "completed" || run.ResultHash != want {
			t.Errorf("the request is answered with %+v, want completed with %s", run, want)
		}
	}
}

// The progress of a run on a worker is seen at both servers.
func (c *startedCluster) testProgress(t *testing.T) {
	a, b, _ := c.both(t, heavyBundle, heavyRate)
	for range 5 { // a run may be over before anybody looks
		id, seen := a.requestRun(rand64()), [2]bool{}
		for status := ""; status != "completed"; time.Sleep(20 * time.Millisecond) {
			for i, s := range []*killedServer{a, b} {
				var run struct {
					Status   string              `json:"status"`
					Progress *domain.RunProgress `json:"progress"`
				}
				s.call("GET", s.project+"/stress/runs/"+id, "", nil, &run)
				status = run.Status
				seen[i] = seen[i] || run.Progress != nil && run.Progress.Events > 0
			}
		}
		if seen == [2]bool{true, true} {
			return
		}
	}
	t.Error("nobody sees progress")
}

// A cancel that is posted to one server stops the engine of a worker within 200 ms: a run that waited for its place
// starts there. The best of some tries counts; the machine may be busy with other things.
func (c *startedCluster) testCancel(t *testing.T) {
	a, b, _ := c.both(t, heavyBundle, heavyRate)
	var workspace struct {
		ID string `json:"id"`
	}
	a.call("POST", "workspaces", fmt.Sprintf(`{"name":%q}`, rand64()), nil, &workspace)
	waits := c.at(t, 1)
	waits.save(workspace.ID, demoBundle, 10)
	log := c.store()
	var took []time.Duration
	for range 5 {
		if len(took) > 0 && slices.Min(took) <= 200*time.Millisecond {
			break
		}
		first, second := a.requestRun(rand64()), b.requestRun(rand64())
		third := waits.requestRun(rand64())
		a.until(first, "running")
		a.until(second, "running")
		began := time.Now()
		status, answer, err := b.once("POST", b.project+"/stress/runs/"+first+"/cancel", "", nil)
		if err != nil || status != http.StatusAccepted && status != http.StatusConflict {
			t.Fatalf("cancel: %d %s %v", status, answer, err)
		}
		if got := waits.outcome(third); got.Status != "completed" {
			t.Errorf("the run that waited is %s", got.Status)
		}
		of, next := startsOf(t, log, first), startsOf(t, log, third)
		if got := a.outcome(first); got.Status == "cancelled" && len(next) == 1 && of[0].worker == next[0].worker {
			took = append(took, next[0].at.Sub(began))
		}
		a.outcome(second)
	}
	t.Logf("the worker was free after %v", took)
	if len(took) == 0 || slices.Min(took) > 200*time.Millisecond {
		t.Errorf("the worker was free after %v, want 200 ms", took)
	}
}

// What one server answers to be saved at a position is there at the other one with that position.
func (c *startedCluster) testPosition(t *testing.T) {
	a, b, _ := c.both(t, demoBundle, 10)
	for n := range 20 {
		name := fmt.Sprintf("name %d", n)
		saved := send(t, a, "PUT", a.project, fmt.Sprintf(`{"name":%q}`, name), http.Header{"If-Match": {fmt.Sprintf(`"%d"`, n)}})
		position := saved.header.Get("Proofload-Position")
		if saved.status != http.StatusOK || position == "" {
			t.Fatalf("rename: %d %s", saved.status, saved.body)
		}
		if read := send(t, b, "GET", b.project+"?after="+position, "", nil); read.status != http.StatusOK || !strings.Contains(read.body, `"`+name+`"`) {
			t.Errorf("after %s: %d %s", position, read.status, read.body)
		}
		a, b = b, a
	}
}

// A command with one key is done once, whichever server gets it again.
func (c *startedCluster) testIdempotency(t *testing.T) {
	a, b, _ := c.both(t, demoBundle, 10)
	for n := range 10 {
		key := http.Header{"Idempotency-Key": {rand64()}, "Prefer": {"respond-async"}}
		for path, body := range map[string]string{"projects": `{"name":"once"}`, a.profile + "/runs": ""} {
			if n > 0 && body == "" {
				continue // a workspace has 2 runs at once
			}
			first := send(t, a, "POST", path, body, key)
			again := send(t, b, "POST", path, body, key)
			id, same := idIn(t, first), idIn(t, again)
			if id == "" || id != same || first.status >= 300 {
				t.Errorf("POST %s: %d %s, then %d %s", path, first.status, first.body, again.status, again.body)
			}
		}
		if other := send(t, b, "POST", "projects", `{"name":"another"}`, key); other.status != http.StatusUnprocessableEntity {
			t.Errorf("another body with the key: %d", other.status)
		}
	}
}

// A token that one server revoked opens nothing at the other one, from the next request on.
func (c *startedCluster) testToken(t *testing.T) {
	a, b := c.at(t, 0), c.at(t, 1)
	for range 20 {
		var issued struct{ ID, Token string }
		if err := json.Unmarshal([]byte(send(t, a, "POST", "tokens", `{"name":"short"}`, nil).body), &issued, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		with := *b
		with.token = issued.Token
		if got := send(t, &with, "GET", "session", "", nil); got.status != http.StatusOK {
			t.Errorf("a new token: %d", got.status)
		}
		send(t, a, "DELETE", "tokens/"+issued.ID, "", nil)
		if got := send(t, &with, "GET", "session", "", nil); got.status != http.StatusUnauthorized {
			t.Errorf("a token that is revoked: %d", got.status)
		}
		a, b = b, a
	}
}

// The policy that one server takes holds at the other one for the next run. Each server counts the runs that it admitted.
func (c *startedCluster) testPolicy(t *testing.T) {
	a, b, _ := c.both(t, heavyBundle, heavyRate)
	set := func(s *killedServer, most int) {
		version := send(t, s, "GET", "instance/settings", "", nil).header.Get("ETag")
		body := fmt.Sprintf(`{"policy":{"maxConcurrentStressRuns":%d}}`, most)
		if got := send(t, s, "PUT", "instance/settings", body, http.Header{"If-Match": {version}}); got.status != http.StatusOK {
			t.Fatalf("policy: %d %s", got.status, got.body)
		}
	}
	request := func(s *killedServer) reply {
		return send(t, s, "POST", s.profile+"/runs", "", http.Header{"Prefer": {"respond-async"}, "Idempotency-Key": {rand64()}})
	}
	var workspace struct {
		ID string `json:"id"`
	}
	a.call("POST", "workspaces", fmt.Sprintf(`{"name":%q}`, rand64()), nil, &workspace)
	other := c.at(t, 1)
	other.save(workspace.ID, demoBundle, 10)
	set(a, 1)
	first, refused := request(b), request(other)
	if first.status != http.StatusAccepted || refused.status != http.StatusTooManyRequests || refused.header.Get("Retry-After") == "" {
		t.Errorf("with room for one run: %d, then %d %s", first.status, refused.status, refused.body)
	}
	second := request(a)
	if second.status != http.StatusAccepted {
		t.Errorf("the other server has room of its own: %d %s", second.status, second.body)
	}
	set(b, 64)
	if third := request(other); third.status != http.StatusAccepted {
		t.Errorf("with room for 64: %d %s", third.status, third.body)
	}
	for _, run := range []reply{first, second} {
		if got := a.outcome(idIn(t, run)); got.Status != "completed" {
			t.Errorf("the run is %s", got.Status)
		}
	}
}

// reply is an answer of a server.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request once; the path is below /api/, or begins with a slash.
func send(t *testing.T, s *killedServer, method, path, body string, header http.Header) reply {
	t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = "/api/" + path
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(data)}
}

func idIn(t *testing.T, r reply) string {
	t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(r.body), &made); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
	return made.ID
}
