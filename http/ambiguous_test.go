package http

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// raw sends lines as they are and gives the answer, which has to come within a time that no body has.
func (w *world) raw(text string) *http.Response {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	must(w.t, err)
	w.t.Cleanup(func() { _ = conn.Close() })
	must(w.t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = conn.Write([]byte(text))
	must(w.t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		w.t.Fatalf("%q: no answer: %v", text, err)
	}
	w.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// A header that counts once is refused when it stands there twice: a proxy may go by the other one.
func TestAHeaderThatStandsThereTwice(t *testing.T) {
	w := newWorld(t)
	w.shop()
	send := func(method, path, body string, lines ...string) *http.Response {
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n", method, path, len(body))
		return w.raw(head + strings.Join(lines, "\r\n") + "\r\n\r\n" + body)
	}
	me, json := "Authorization: Bearer "+w.token, "Content-Type: application/json"
	profile, projects := w.at("/stress/profiles/{f}"), "/api/projects"
	for _, test := range []struct {
		name   string
		answer *http.Response
		status int
		field  string
	}{
		{"none", send("POST", projects, `{"name":"x"}`, me, json), 201, ""},
		{"If-Match", send("PUT", profile, aProfile(w.scenarioID, "a"), me, json, `If-Match: "1"`, `If-Match: "9"`), 400, "If-Match"},
		{"Idempotency-Key", send("POST", projects, `{"name":"x"}`, me, json, "Idempotency-Key: a", "Idempotency-Key: b"), 400, "Idempotency-Key"},
		{"one key twice", send("POST", projects, `{"name":"x"}`, me, json, "Idempotency-Key: a", "idempotency-key: a"), 400, "Idempotency-Key"},
		{"Content-Type", send("POST", projects, `{"name":"x"}`, me, json, "Content-Type: text/plain"), 400, "Content-Type"},
		{"Authorization", send("GET", projects, "", me, "Authorization: Bearer x"), 400, "Authorization"},
		{"Authorization of a proxy", send("GET", projects, "", me, "Authorization: Basic x"), 400, "Authorization"},
		{"Authorization before a route for anyone", send("GET", "/healthz", "", me, me), 400, "Authorization"},
		{"Origin", send("POST", projects, `{"name":"x"}`, me, json, "Origin: "+w.url, "Origin: http://evil.example"), 403, ""},
		{"Origin, the own one twice", send("POST", projects, `{"name":"x"}`, me, json, "Origin: http://localhost", "Origin: http://localhost"), 400, "Origin"},
	} {
		var body bytes.Buffer
		_, err := body.ReadFrom(test.answer.Body)
		must(t, err)
		got := reply{test.answer.StatusCode, test.answer.Header, body.Bytes()}
		if got.status != test.status || test.field != "" && got.problem(t).Field != test.field {
			t.Errorf("%s: %d %s", test.name, got.status, got.body)
		}
	}
}

// A body is read as it is: one that is encoded is refused, in words that say so.
func TestContentEncoding(t *testing.T) {
	w := newWorld(t)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(`{"name":"x"}`))
	must(t, err)
	must(t, z.Close())
	for coding, test := range map[string]struct {
		body   string
		status int
	}{
		"gzip": {zipped.String(), 415}, "GZip": {`{"name":"x"}`, 415}, "br": {`{"name":"x"}`, 415}, "identity, deflate": {`{"name":"x"}`, 415},
		"nonsense": {`{"name":"x"}`, 415}, "identity": {`{"name":"x"}`, 201}, "": {`{"name":"x"}`, 201},
	} {
		r := w.send(request{method: "POST", path: "/api/projects", body: test.body, header: []string{"Content-Encoding: " + coding}})
		if r.status != test.status {
			t.Errorf("%s: %d %s", coding, r.status, r.body)
		}
		if r.status == 415 {
			if p := r.problem(t); p.Type != "unsupported_media_type" || !strings.Contains(p.Detail, "Content-Encoding") {
				t.Errorf("%s: %+v", coding, p)
			}
		}
	}
}

// Every parameter of the query that the table knows has a value, and no two texts name one thing.
func TestEmptyParametersAndOtherNumbers(t *testing.T) {
	w := newWorld(t)
	w.shop()
	paths := strings.NewReplacer("{projectId}", w.projectID, "{workspaceId}", w.first.WorkspaceID, "{scenarioId}", w.scenarioID, "{profileId}", w.profileID,
		"{runId}", unknown, "{version}", "1", "{memberId}", unknown, "{tokenId}", unknown, "{projection}", "views")
	for _, route := range Routes() {
		for _, name := range route.paramsIn("query") {
			r := w.send(request{method: route.Method, path: paths.Replace(route.Path) + "?" + name + "="})
			if p := r.problem(t); p.Status != 400 || p.Field != name {
				t.Errorf("%s ?%s= gets %d %s", route.Name, name, r.status, r.body)
			}
		}
	}
	for path, want := range map[string]int{
		"/stress/profiles/{f}/versions/1": 200, "/stress/profiles/{f}/versions/01": 404, "/stress/profiles/{f}/versions/+1": 404,
		"/stress/profiles/{f}/versions/%2B1": 404, "/stress/profiles/{f}/versions/-1": 404, "/stress/profiles/{f}/versions/1.0": 404,
		"/stress/profiles/{f}/versions/1e0": 404, "/stress/profiles/{f}/versions/18446744073709551617": 404,
		"/model?version=1": 200, "/model?version=01": 400, "/model?version=%2B1": 400, "/model?version=-0": 400,
		"/scenarios?limit=50": 200, "/scenarios?limit=050": 400, "/scenarios?limit=%2B5": 400, "/scenarios?cursor=01": 400, "/scenarios?cursor=%2B1": 400,
		"/scenarios?after=1": 200, "/scenarios?after=01": 400,
	} {
		if r := w.send(request{method: "GET", path: w.at(path)}); r.status != want {
			t.Errorf("%s: %d, want %d", path, r.status, want)
		}
	}
}

// An encoded slash is no border between the parts of a path, and no id of ours has one.
func TestAnEncodedSlashRoutesNowhere(t *testing.T) {
	w := newWorld(t)
	w.shop()
	for path, want := range map[string]int{
		"/api/projects/" + w.projectID: 200, "/api/projects%2F" + w.projectID: 404, "/api/projects%2f" + w.projectID: 404,
		"/api%2Fprojects": 404, "/api/projects/" + w.projectID + "%2Fstress%2Fdefaults": 404, "/api/projects/" + w.projectID + "/stress%2fdefaults": 404,
		"/api/%70rojects/" + w.projectID: 200, "%2Fhealthz": 404, "/healthz%2F": 404,
	} {
		if strings.HasPrefix(path, "%") {
			path = "/" + path
		}
		r := w.send(request{method: "GET", path: path})
		if r.status != want || want == 404 && r.problem(t).Type != "not_found" {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}

// A command that takes no Idempotency-Key or no If-Match refuses one: it would do the command twice, or over another version.
func TestHeadersThatARouteDoesNotTake(t *testing.T) {
	w := newWorld(t)
	keyless := map[string]bool{"postSession": true, "deleteSession": true, "postRebuild": true}
	for _, route := range Routes() {
		keyed, matched := !keyless[route.Name], slices.Contains(route.Params, ifMatchParam)
		for name, taken := range map[string]bool{"Idempotency-Key": keyed, "If-Match": matched} {
			recorder := httptest.NewRecorder()
			c, _ := gin.CreateTestContext(recorder)
			c.Request = httptest.NewRequestWithContext(t.Context(), route.Method, "/", nil)
			c.Request.Header.Set(name, `"1"`)
			w.server.known(route)(c)
			refused := recorder.Code == 400 && strings.Contains(recorder.Body.String(), `"field":"`+name+`"`)
			if want := route.Method != http.MethodGet && !taken; refused != want || c.IsAborted() != want {
				t.Errorf("%s with %s: %d %s", route.Name, name, recorder.Code, recorder.Body)
			}
		}
	}
}

// Every command but the session and the rebuild, which is the same however often it is done, takes an Idempotency-Key, and
// OpenAPI says so. A deletion is done once with it.
func TestDeletionsTakeAKey(t *testing.T) {
	w := newWorld(t)
	w.shop()
	w.caughtUp()
	runID := storedRunID(w)
	for _, path := range []string{"/stress/runs/" + runID, "/stress/profiles/{f}", "/scenarios/{s}"} {
		gone := request{method: "DELETE", path: w.at(path), header: []string{"Idempotency-Key: gone"}}
		first := w.send(gone)
		w.caughtUp()
		again := w.send(gone)
		gone.header = nil
		if without := w.send(gone); first.status != 204 || again.status != 204 || without.status != 404 {
			t.Errorf("%s: %d, again with its key %d, without one %d", path, first.status, again.status, without.status)
		}
	}
}

// Who is refused at the door learns it at once, however long the body is that is announced and does not come.
func TestARefusalWaitsForNoBody(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.BodyWait = time.Hour }) // the answer has to come within a minute
	w.shop()
	viewer := "Authorization: Bearer " + w.invite("vera", "viewer")
	me := "Authorization: Bearer " + w.token
	for _, test := range []struct {
		line, header string
		status       int
	}{
		{"POST /api/projects", "X-None: 1", 401},
		{"POST /api/projects", "Authorization: Bearer x", 401},
		{"POST /nothing", me, 404},
		{"PATCH /healthz", me, 405},
		{"POST " + w.at("/scenarios"), viewer, 403},
		{"POST /api/projects/" + unknown + "/scenarios", me, 404},
		{"POST /api/projects?x=1", me, 400},
		{"POST /api/projects", me + "\r\nContent-Encoding: gzip", 415},
		{"POST /api/projects", me + "\r\nSec-Fetch-Site: cross-site", 403},
		{"POST " + w.at("/stress/profiles/{f}/runs"), me, 400},
		{"PUT " + w.at("/stress/profiles/{f}"), me, 428},
		{"GET /api/projects", me, 400}, // it takes none
		{"DELETE " + w.at("/stress/runs/"+unknown), me, 400},
	} {
		for _, body := range []string{"Content-Length: 100000", "Transfer-Encoding: chunked"} {
			got := w.raw(test.line + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + test.header + "\r\n" + body + "\r\n\r\n")
			if got.StatusCode != test.status || !got.Close {
				t.Errorf("%s, %s: %d, closes %v; want %d", test.line, body, got.StatusCode, got.Close, test.status)
			}
		}
	}
}

// A refusal whose body has come leaves the connection as it is.
func TestARefusalKeepsTheConnection(t *testing.T) {
	w := newWorld(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	must(t, err)
	defer func() { _ = conn.Close() }()
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	reader := bufio.NewReader(conn)
	body := strings.Repeat(" ", 50_000)
	for range 3 {
		_, err := fmt.Fprintf(conn, "POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		must(t, err)
		answer, err := http.ReadResponse(reader, nil)
		must(t, err)
		var text bytes.Buffer
		_, err = text.ReadFrom(answer.Body)
		must(t, err)
		if answer.StatusCode != 401 || answer.Close {
			t.Fatalf("%d, closes %v", answer.StatusCode, answer.Close)
		}
	}
}
