package http

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// Of a body that no handler read, what comes within restWait is read and thrown away, up to maxRest bytes, so that the
// connection can be used again. A body that takes longer ends with the connection: who is refused learns it at once.
const (
	restWait = 100 * time.Millisecond
	maxRest  = 256 << 10
)

// limitBodies gives the body of a request BodyWait to arrive, also where no handler reads it: nobody, with a token or
// without, holds a connection by half a body. How long the answer takes is another matter.
func (s *Server) limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(s.BodyWait)) //nolint:forbidigo // the clock of connections; a recorder has no deadline
		body := &timedBody{ReadCloser: r.Body, control: control, asked: strings.EqualFold(r.Header.Get("Expect"), "100-continue")}
		r.Body = body
		answer := &afterBody{ResponseWriter: w, body: body, shared: r.ProtoMajor > 1}
		next.ServeHTTP(answer, r)
		answer.leaveBody()
	})
}

// timedBody takes the deadline away at its end: net/http goes on reading the connection to learn whether the client is
// gone, and would take a late deadline for that.
type timedBody struct {
	io.ReadCloser
	control     *http.ResponseController
	asked       bool // the client waits to be asked for the body; the first read does
	read, ended bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	b.read = true
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// hurry leaves little time for what has not come yet.
func (b *timedBody) hurry() {
	_ = b.control.SetReadDeadline(time.Now().Add(restWait)) //nolint:forbidigo // the clock of connections
}

// afterBody leaves the body before the first byte of the answer. net/http would wait there until the body came.
type afterBody struct {
	http.ResponseWriter
	body   *timedBody
	shared bool // the connection: HTTP/2 gives up the body of one request alone
	left   bool
}

func (a *afterBody) leaveBody() {
	b := a.body
	if a.left || a.shared {
		return
	}
	a.left = true
	if b.ended || b.asked && !b.read { // a body that nobody asked for does not come
		return
	}
	b.hurry()
	_, _ = io.CopyN(io.Discard, b, maxRest+1)
	if !b.ended {
		a.Header().Set("Connection", "close")
		_ = b.control.SetReadDeadline(time.Unix(1, 0)) // it has passed: nothing of the rest is waited for
	}
}

func (a *afterBody) WriteHeader(status int) {
	a.leaveBody()
	a.ResponseWriter.WriteHeader(status)
}

func (a *afterBody) Write(data []byte) (int, error) {
	a.leaveBody()
	return a.ResponseWriter.Write(data)
}

// Flush sends what was written: Gin asks for it.
func (a *afterBody) Flush() {
	a.leaveBody()
	_ = http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (a *afterBody) Unwrap() http.ResponseWriter { return a.ResponseWriter }
