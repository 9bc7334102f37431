package http

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counted serves a handler and counts the connections that are open.
func counted(t *testing.T, h http.Handler) (server *httptest.Server, open *atomic.Int64) {
	t.Helper()
	open = &atomic.Int64{}
	server = httptest.NewUnstartedServer(h)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			open.Add(1)
		}
		if state == http.StateClosed {
			open.Add(-1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server, open
}

// connect opens a connection to a server.
func connect(t *testing.T, server *httptest.Server) *net.TCPConn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(server.URL, "http://"))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}

// A client that asks and asks and does not read is cut off.
func TestAClientThatDoesNotRead(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.AnswerWait = 200 * time.Millisecond })
	server, open := counted(t, w.server.Handler())
	conn := connect(t, server)
	must(t, conn.SetReadBuffer(4<<10))
	go func() { // until it is cut off
		for {
			if _, err := conn.Write([]byte(strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 100))); err != nil {
				return
			}
		}
	}()
	eventually(func() bool { return open.Load() > 0 })
	eventually(func() bool { return open.Load() == 0 })
	if open.Load() > 0 {
		t.Fatal("the connection is still held")
	}
}

// slowAnswer is what a client reads, 64 KB every 15 ms, of an answer that is longer than what sockets hold.
func slowAnswer(t *testing.T, conn net.Conn, answer *http.Response) int {
	t.Helper()
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	read, part := 0, make([]byte, 64<<10)
	for {
		n, err := answer.Body.Read(part)
		read += n
		if err == io.EOF {
			return read
		}
		must(t, err)
		time.Sleep(15 * time.Millisecond * time.Duration(n) / time.Duration(len(part)))
	}
}

// slowWait is the AnswerWait of clients that read slowly: long enough for one that a busy machine holds up.
const slowWait = 2 * time.Second

// An answer may take longer than AnswerWait as long as the client goes on reading, be it written at once or in parts, and so
// may the time until it begins. The next request on the connection has its own time.
func TestAClientThatReadsSlowly(t *testing.T) {
	const size = 16 << 20
	w := newWorld(t, func(c *Config) { c.AnswerWait = slowWait })
	server, _ := counted(t, w.server.limitAnswers(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/late":
			time.Sleep(slowWait + slowWait/4)
			answer.WriteHeader(http.StatusNoContent)
		case "/whole":
			_, _ = answer.Write(make([]byte, size))
		case "/parts": // as server-sent events are
			for range 3 {
				_, _ = answer.Write(make([]byte, 10))
				answer.(http.Flusher).Flush()
				time.Sleep(slowWait / 2)
			}
		}
	})))
	conn := connect(t, server)
	reader := bufio.NewReader(conn)
	for _, ask := range []struct {
		path string
		want int // bytes
	}{{"/late", 0}, {"/whole", size}, {"/parts", 30}, {"/late", 0}} {
		_, err := conn.Write([]byte("GET " + ask.path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		must(t, err)
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("%s: %v", ask.path, err)
		}
		if got := slowAnswer(t, conn, answer); got != ask.want {
			t.Errorf("%s: %d bytes of %d came", ask.path, got, ask.want)
		}
	}
}

// Over HTTP/2, where answers share a connection, one that nobody reads ends too.
func TestAClientThatDoesNotReadOverHTTP2(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.AnswerWait = 200 * time.Millisecond })
	ended := make(chan error, 1)
	server := httptest.NewUnstartedServer(w.server.limitAnswers(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		_, err := answer.Write(make([]byte, 16<<20))
		ended <- err
	})))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	must(t, err)
	answer, err := server.Client().Do(request)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	select {
	case err := <-ended:
		if err == nil || answer.ProtoMajor != 2 {
			t.Errorf("over %s nobody read, and the answer was written: %v", answer.Proto, err)
		}
	case <-time.After(patience):
		t.Error("the answer is still being written")
	}
}
