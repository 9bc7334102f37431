package http

import (
	"io"
	"net/http"
	"time"
)

// limitBodies gives the body of a request BodyWait to arrive, also where no handler reads it: nobody, with a token or
// without, holds a connection by half a body. How long the answer takes is another matter.
func (s *Server) limitBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			control := http.NewResponseController(w)
			_ = control.SetReadDeadline(time.Now().Add(s.BodyWait)) //nolint:forbidigo // the clock of connections; a recorder has no deadline
			r.Body = &timedBody{ReadCloser: r.Body, control: control}
		}
		next.ServeHTTP(w, r)
	})
}

// timedBody takes the deadline away at its end: net/http goes on reading the connection to learn whether the client is
// gone, and would take a late deadline for that.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
