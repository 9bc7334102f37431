package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
)

// What is given up because its client went away is no error of the server; every other error still is, whoever is gone.
func TestAClientThatIsGoneIsNoError(t *testing.T) {
	w := newWorld(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx   context.Context
		err   error
		level string
	}{
		{gone, fmt.Errorf("reading: %w", context.Canceled), "INFO"},
		{gone, fmt.Errorf("reading: %w: %w", domain.ErrUnavailable, context.Canceled), "INFO"},
		{gone, fmt.Errorf("appending: %w: %w", domain.ErrUnknownOutcome, context.Canceled), "INFO"},
		{gone, fmt.Errorf("reading: %w", domain.ErrUnavailable), "ERROR"},
		{gone, fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), "ERROR"},
		{gone, errors.New("secret cause"), "ERROR"},
		{t.Context(), fmt.Errorf("reading: %w", context.Canceled), "ERROR"}, // such as of a connection that was lost
	} {
		log := &strings.Builder{}
		s := &Server{Config: Config{Logger: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now, Projections: w.db}}
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequestWithContext(test.ctx, http.MethodGet, "/", nil)
		s.fail(c, test.err)
		if strings.Count(log.String(), "level=") != 1 || !strings.Contains(log.String(), "level="+test.level) {
			t.Errorf("%v: %s, want %s", test.err, log, test.level)
		}
	}
	for _, path := range []string{"/api/projects", "/api/session", "/api/log"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			r := httptest.NewRequestWithContext(gone, method, path, strings.NewReader(`{"name":"x"}`))
			r.Host = "localhost"
			r.Header.Set("Authorization", "Bearer "+w.token)
			r.Header.Set("Content-Type", "application/json")
			w.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	if log := fmt.Sprint(w.log); strings.Contains(log, "level=ERROR") {
		t.Error(log)
	}
}
