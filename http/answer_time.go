package http

import (
	"net/http"
	"time"
)

// answerPart is how many bytes of an answer have a deadline of their own.
const answerPart = 64 << 10

// limitAnswers gives the client AnswerWait to take each part of an answer: nobody holds a connection by not reading, and nobody
// who reads slowly is cut off, however long the answer or the time until it begins.
func (s *Server) limitAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &timedWriter{ResponseWriter: w, control: http.NewResponseController(w), wait: s.AnswerWait}
		_ = t.control.SetWriteDeadline(time.Time{}) // net/http leaves that of the answer before on the connection
		next.ServeHTTP(t, r)
		t.extend() // for what net/http still sends
	})
}

// timedWriter sets a new deadline before each part.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	wait    time.Duration
}

// extend gives the client its time again.
func (w *timedWriter) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.wait)) //nolint:forbidigo // the clock of connections; a recorder has no deadline
}

func (w *timedWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *timedWriter) Write(data []byte) (int, error) {
	written := 0
	for {
		w.extend()
		n, err := w.ResponseWriter.Write(data[written:min(written+answerPart, len(data))])
		if written += n; err != nil || written == len(data) {
			return written, err
		}
	}
}

// Flush sends what was written: Gin asks for it.
func (w *timedWriter) Flush() {
	w.extend()
	_ = w.control.Flush()
}

// Unwrap is for http.ResponseController.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
