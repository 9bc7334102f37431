package http

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/commands"
)

// bodyBytes are the limits of bodies as the page (256 KB of a profile), spec 1 (1 MB of a model and of a scenario) and the
// documentation have them, route by route.
var bodyBytes = map[string]int{
	"postProfile": 262_144, "putProfile": 262_144, "putModel": 1_048_576, "postScenario": 1_048_576, "putScenario": 1_048_576,
	"putObjectives": 262_144, "putWorkspaceSettings": 65_536, "putInstanceSettings": 65_536,
	"postSession": 4096, "postToken": 4096, "postWorkspace": 4096, "postMember": 4096, "putMember": 4096, "postProject": 4096, "putProject": 4096,
	"postBranch": 4096,
}

// TestBodyLimits sends every route that takes a body one of as many bytes as it takes, and one more.
func TestBodyLimits(t *testing.T) {
	m := newTeam(t)
	sent := 0
	for _, route := range Routes() {
		if route.Body == nil {
			continue
		}
		sent++
		limit := bodyBytes[route.Name]
		if route.Body.Limit != int64(limit) {
			t.Errorf("%s: the table has %d bytes, want %d", route.Name, route.Body.Limit, limit)
		}
		r := request{method: route.Method, path: m.paths.Replace(route.Path)}
		if slices.Contains(route.Params, ifMatchParam) {
			r.header = []string{`If-Match: "1"`}
		}
		if !strings.HasPrefix(r.path, "/api/instance") && !strings.HasPrefix(r.path, "/api/workspaces") || strings.Contains(r.path, m.first.WorkspaceID) {
			r = r.as(m.tokens[owner])
		}
		body := strings.ReplaceAll(examples[route.Name], exampleScenario, m.scenarioID)
		for over := range 2 {
			r.body = body + strings.Repeat(" ", limit+over-len(body))
			got := m.send(r)
			if (got.status == 413) != (over == 1) || got.status == 400 || got.status == 403 {
				t.Errorf("%s, %d bytes: %d %s", route.Name, len(r.body), got.status, got.body)
			}
			if over == 1 && got.problem(t).Limit != int64(limit) {
				t.Errorf("%s: %s", route.Name, got.body)
			}
		}
	}
	if sent != len(bodyBytes) {
		t.Errorf("%d routes take a body, %d are known", sent, len(bodyBytes))
	}
}

// A page of a list has 50 entries unless the client asks for another number, up to 200.
func TestEntriesOfAPage(t *testing.T) {
	w := newWorld(t)
	w.shop()
	for i := range 51 {
		r := w.send(request{method: "POST", path: w.at("/scenarios"), body: strings.Replace(aScenario, "Checkout", fmt.Sprint("S", i), 1)})
		if r.status != http.StatusCreated {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	w.caughtUp()
	for query, want := range map[string]int{"": 50, "?limit=50": 50, "?limit=51": 51, "?limit=200": 52, "?limit=1": 1} {
		var page List[DocumentItem]
		w.send(request{method: "GET", path: w.at("/scenarios" + query)}).into(t, &page)
		if len(page.Items) != want || (page.NextCursor == "") != (want == 52) {
			t.Errorf("%q: %d entries, next %q", query, len(page.Items), page.NextCursor)
		}
	}
}

// Names of preferences have no case (RFC 7240, section 2), and one line may have several.
func TestPreferences(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.RunWait = 50 * time.Millisecond })
	w.shop()
	for _, prefer := range []string{"respond-async", "Respond-Async", "RESPOND-ASYNC", "wait=10, Respond-async"} {
		r := w.send(run("Prefer: " + prefer)(w))
		if r.status != 202 || r.header.Get("Preference-Applied") != "respond-async" {
			t.Errorf("%s: %d %s", prefer, r.status, r.body)
		}
		id := r.header.Get("Location")[strings.LastIndex(r.header.Get("Location"), "/")+1:]
		must(t, w.commands.EndRun(t.Context(), w.first.WorkspaceID, id, w.completedRun(id), commands.Meta{Member: w.first.MemberID}))
	}
}

// No command is taken from the page of another site, whatever its method.
func TestNoCommandOfAnotherSite(t *testing.T) {
	m := newTeam(t)
	for _, route := range Routes() {
		if !route.isCommand() {
			continue
		}
		for _, header := range []string{"Sec-Fetch-Site: cross-site", "Origin: http://evil.example"} {
			r := request{method: route.Method, path: m.paths.Replace(route.Path), header: []string{header}}.as(m.tokens[owner])
			if got := m.send(r); got.status != 403 || got.problem(t).Type != "cross_origin" {
				t.Errorf("%s with %s: %d %s", route.Name, header, got.status, got.body)
			}
		}
	}
}
