package http

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// half sends a request whose body stays away but for its first byte, and gives the status of the answer. The
// connection must then be closed.
func (w *world) half(head string) int {
	w.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	must(w.t, err)
	defer func() { _ = conn.Close() }()
	must(w.t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = conn.Write([]byte(head + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"))
	must(w.t, err)
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		w.t.Fatalf("%s: no answer: %v", head, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if !answer.Close {
		w.t.Errorf("%s: the connection stays open", head)
	}
	return answer.StatusCode
}

// Half a body holds no connection, whether the route reads it or refuses the request before.
func TestHalfABody(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.BodyWait = 100 * time.Millisecond })
	for head, want := range map[string]int{"POST /api/session": 400, "POST /api/projects": 401, "POST /nothing": 404} {
		if got := w.half(head); got != want {
			t.Errorf("%s: %d, want %d", head, got, want)
		}
	}
}

// A body that says itself that it is too long is refused at once, whatever time a body has.
func TestABodyThatSaysThatItIsTooLong(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.BodyWait = time.Hour })
	answer := w.raw("POST /api/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + w.token +
		"\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{")
	body, err := io.ReadAll(answer.Body)
	must(t, err)
	p := reply{answer.StatusCode, answer.Header, body}.problem(t)
	if answer.StatusCode != 413 || p.Limit != maxSmallBody || !answer.Close {
		t.Errorf("%d %+v, closed: %t", answer.StatusCode, p, answer.Close)
	}
}

// A body where none is taken is refused, not ignored.
func TestABodyThatIsNotTaken(t *testing.T) {
	w := newWorld(t)
	w.shop()
	for _, r := range []request{
		{method: "GET", path: w.at("/model")}, {method: "DELETE", path: w.at("/stress/profiles/{f}")}, {method: "POST", path: w.at("/stress/profiles/{f}/runs")},
	} {
		r.body = "{}"
		if got := w.send(r); got.status != 400 || got.problem(t).Field != "body" {
			t.Errorf("%s %s: %d %s", r.method, r.path, got.status, got.body)
		}
	}
}

// A stop is no error, and its log names no value of a query.
func TestAStopWhileARequestWaitsForAPosition(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.ReadWait = time.Hour })
	const position = "99999999"
	answers := make(chan reply, 1)
	go func() { answers <- w.send(request{method: "GET", path: "/api/projects?after=" + position}) }()
	select {
	case r := <-answers:
		t.Fatalf("it does not wait: %d %s", r.status, r.body)
	case <-time.After(50 * time.Millisecond):
	}
	w.server.Stop()
	r := <-answers
	if p := r.problem(t); r.status != 503 || p.Type != "unavailable" || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if log := w.log.String(); strings.Contains(log, position) || strings.Contains(log, "level=ERROR") {
		t.Errorf("the log: %s", log)
	}
}

// The time of a body ends with the body: the answer may take longer, whether the body was read or not.
func TestAnAnswerTakesLongerThanABody(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.BodyWait, c.RunWait = time.Second, 1500*time.Millisecond })
	w.shop()
	if r := w.send(request{method: "POST", path: w.at("/stress/profiles/{f}/runs")}); r.status != 202 {
		t.Errorf("a run that takes longer: %d %s", r.status, r.body)
	}
	for _, read := range []bool{true, false} {
		slow := httptest.NewServer(w.server.limitBodies(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
			if read {
				_, _ = io.ReadAll(r.Body)
			}
			select {
			case <-time.After(1500 * time.Millisecond):
			case <-r.Context().Done():
				answer.WriteHeader(http.StatusTeapot)
			}
		})))
		w.url = slow.URL
		if r := w.send(request{method: "POST", path: "/", body: "{}"}); r.status != 200 {
			t.Errorf("body read %v: the request is given up", read)
		}
		slow.Close()
	}
}
