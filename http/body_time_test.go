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
