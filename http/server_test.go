package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
)

func TestWhatIsNoRoute(t *testing.T) {
	w := newWorld(t)
	tests := []struct {
		request
		status  int
		problem string
	}{
		{request{method: "GET", path: "/api/nothing"}, 404, "not_found"},
		{request{method: "GET", path: "/api/projects/"}, 404, "not_found"},
		{request{method: "DELETE", path: "/api/projects"}, 405, "method_not_allowed"},
		{request{method: "PATCH", path: "/healthz"}, 405, "method_not_allowed"},
	}
	for _, test := range tests {
		r := w.send(test.request)
		if p := r.problem(t); r.status != test.status || p.Type != test.problem || p.Status != test.status {
			t.Errorf("%s %s: %d %+v", test.method, test.path, r.status, p)
		}
		if test.status == 405 && r.header.Get("Allow") == "" {
			t.Errorf("%s %s: 405 without Allow", test.method, test.path)
		}
	}
}

func TestOnlyThisMachineIsServed(t *testing.T) {
	w := newWorld(t)
	for host, status := range map[string]int{
		"localhost": 200, "localhost:7711": 200, "127.0.0.1:7711": 200, "127.9.9.9": 200, "[::1]:7711": 200, "LocalHost": 200,
		"evil.example": 403, "evil.example:7711": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "127.0.0.1.evil.example": 403,
	} {
		r := w.send(request{method: "GET", path: "/healthz", header: []string{"Host: " + host}})
		if r.status != status {
			t.Errorf("%s: %d, want %d", host, r.status, status)
		}
		if status == 403 && r.problem(t).Type != "forbidden_host" {
			t.Errorf("%s: %s", host, r.body)
		}
	}
}

func TestOtherSitesCannotWrite(t *testing.T) {
	w := newWorld(t)
	for header, status := range map[string]int{
		"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403, "Origin: http://evil.example": 403,
		"Sec-Fetch-Site: same-origin": 201, "Origin: " + w.url: 201,
	} {
		r := w.send(request{method: "POST", path: "/api/projects", header: []string{header}, body: `{"name":"x"}`})
		if r.status != status {
			t.Errorf("%s: %d, want %d: %s", header, r.status, status, r.body)
		}
		if status == 403 && r.problem(t).Type != "cross_origin" {
			t.Errorf("%s: %s", header, r.body)
		}
	}
	if r := w.send(request{method: "GET", path: "/api/projects", header: []string{"Sec-Fetch-Site: cross-site"}}); r.status != 200 {
		t.Errorf("reading: %d", r.status)
	}
}

func TestEveryCommandCanBeReadBack(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		name := fmt.Sprint("P", i)
		r := w.send(request{method: "POST", path: "/api/projects", body: `{"name":"` + name + `"}`})
		got := w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)})
		if got.status != 200 || !strings.Contains(string(got.body), name) {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
}

func TestAPositionThatNeverComes(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.ReadWait = 30 * time.Millisecond })
	for _, r := range []request{
		{method: "GET", path: "/api/projects?after=1000"},
		{method: "POST", path: "/api/projects?after=18446744073709551615", body: `{"name":"x"}`},
	} {
		got := w.send(r)
		if p := got.problem(t); got.status != 503 || p.Type != "projection_behind" || got.header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %s", r.method, got.status, got.body)
		}
	}
	var l List[Project]
	w.send(request{method: "GET", path: "/api/projects"}).into(t, &l)
	if len(l.Items) != 0 {
		t.Errorf("a refused command was done: %+v", l)
	}
}

// Nobody without a token makes the server wait: routes for anyone have no after.
func TestNoWaitWithoutAToken(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.ReadWait = time.Hour })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, route := range Routes() {
		described := slices.ContainsFunc(route.Params, func(p Param) bool { return p.Name == "after" })
		if described == (route.Role == Anyone) {
			t.Errorf("%s is for %s, after in its description: %v", route.Name, route.Role, described)
		}
		path := strings.NewReplacer("{", "", "}", "").Replace(route.Path)
		sent := httptest.NewRequestWithContext(ctx, route.Method, path+"?after=18446744073709551615", strings.NewReader("{}"))
		sent.Host = "localhost"
		recorder := httptest.NewRecorder()
		w.server.Handler().ServeHTTP(recorder, sent)
		if route.Role != Anyone && recorder.Code != 401 || recorder.Code == 503 || ctx.Err() != nil {
			t.Errorf("%s: %d %s", route.Name, recorder.Code, recorder.Body)
		}
	}
}

func TestDefaultWaits(t *testing.T) {
	w := newWorld(t)
	s, err := New(Config{Commands: w.commands, Projections: w.db, Projector: w.projector, Blobs: w.store, SendLog: w.server.SendLog, Logger: slog.New(slog.DiscardHandler), Now: time.Now})
	must(t, err)
	if s.ReadWait != 5*time.Second || s.RunWait != 60*time.Second || s.BodyWait != 30*time.Second {
		t.Errorf("waits %v, %v and %v", s.ReadWait, s.RunWait, s.BodyWait)
	}
	if _, err := New(Config{}); err == nil {
		t.Error("an empty configuration was taken")
	}
}

func TestRequestIDs(t *testing.T) {
	w := newWorld(t)
	r := w.send(request{method: "POST", path: "/api/projects", header: []string{"X-Request-Id: my-id.1"}, body: `{"name":"x"}`})
	if got := r.header.Get("X-Request-Id"); got != "my-id.1" {
		t.Errorf("request id %q", got)
	}
	position, err := strconv.ParseUint(r.header.Get(headerPosition), 10, 64)
	must(t, err)
	reader, err := w.store.Read(t.Context(), position-1)
	must(t, err)
	defer reader.Close()
	record, err := reader.Next(t.Context())
	must(t, err)
	if record.CorrelationID != "my-id.1" || record.Member != w.first.MemberID {
		t.Errorf("the commit is of %s, correlated to %q", record.Member, record.CorrelationID)
	}
	for _, bad := range []string{"", "two words", strings.Repeat("x", 65), "line\u0085"} {
		r := w.send(request{method: "GET", path: "/healthz", header: []string{"X-Request-Id: " + bad}})
		if got := r.header.Get("X-Request-Id"); got == bad || len(got) < 20 {
			t.Errorf("request id %q for %q", got, bad)
		}
	}
}

func TestTheLogHasNoSecrets(t *testing.T) {
	w := newWorld(t)
	w.send(request{method: "GET", path: "/api/projects?token=hush1"})
	w.send(request{method: "POST", path: "/api/projects", body: `{"name":"hush2"}`, header: []string{
		"Cookie: session=hush4", "Idempotency-Key: hush5",
	}})
	log := w.log.String()
	if !strings.Contains(log, "route=/api/projects status=201") || !strings.Contains(log, "route=/api/projects status=400") || strings.Contains(log, "hush") {
		t.Error(log)
	}
}

// failing is the answer to an error that a handler returns.
func failing(t *testing.T, w *world, h handler) (reply, string) {
	t.Helper()
	log := &strings.Builder{}
	s := &Server{Config: Config{Logger: slog.New(slog.NewTextHandler(log, nil)), Now: time.Now, Projections: w.db}}
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.Use(s.identify)
	e.GET("/", s.handle(h))
	recorder := httptest.NewRecorder()
	e.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	return reply{recorder.Code, recorder.Header(), recorder.Body.Bytes()}, log.String()
}

func TestErrorsBecomeProblems(t *testing.T) {
	w := newWorld(t)
	tests := []struct {
		err        error
		status     int
		problem    string
		retryAfter string
		logged     bool
	}{
		{fmt.Errorf("profile x: %w", domain.ErrNotFound), 404, "not_found", "", false},
		{fmt.Errorf("full: %w", domain.ErrConflict), 409, "conflict", "", false},
		{domain.ErrRunEnded, 409, "conflict", "", false},
		{fmt.Errorf("saving: %w", &domain.StaleError{What: "profile x", Version: 3}), 412, "stale", "", false},
		{&domain.RateLimitedError{Bound: "2 runs at once", RetryAfter: 1500 * time.Millisecond}, 429, "rate_limited", "2", false},
		{&domain.RateLimitedError{Bound: "2 runs at once"}, 429, "rate_limited", "1", false},
		{&domain.RefusedError{Type: domain.StressTooLarge, Title: "T", Issues: []domain.Issue{missing}}, 422, "stress-too-large", "", false},
		{fmt.Errorf("appending: %w", domain.ErrUnavailable), 503, "unavailable", "1", true},
		{fmt.Errorf("appending: %w: %w", domain.ErrUnknownOutcome, context.Canceled), 503, "unknown_outcome", "1", true},
		{fmt.Errorf("appending: %w: %w", domain.ErrUnknownOutcome, domain.ErrUnavailable), 503, "unknown_outcome", "1", true},
		{context.DeadlineExceeded, 503, "unavailable", "1", true},
		{fmt.Errorf("reading: %w", context.Canceled), 503, "unavailable", "1", true},
		{errors.New("secret cause"), 500, "about:blank", "", true},
		{fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), 500, "about:blank", "", true},
	}
	for _, test := range tests {
		r, log := failing(t, w, func(*Server, *gin.Context) error { return test.err })
		if p := r.problem(t); r.status != test.status || p.Type != test.problem || p.Status != test.status {
			t.Errorf("%v: %d %s", test.err, r.status, r.body)
		}
		if got := r.header.Get("Retry-After"); got != test.retryAfter {
			t.Errorf("%v: Retry-After %q, want %q", test.err, got, test.retryAfter)
		}
		if strings.Contains(log, test.err.Error()) != test.logged {
			t.Errorf("%v: log %q", test.err, log)
		}
		if test.logged && strings.Contains(string(r.body), test.err.Error()) {
			t.Errorf("the cause goes to the client: %s", r.body)
		}
	}
}

// brokenBlobs has a bug.
type brokenBlobs struct{}

func (brokenBlobs) Blob(context.Context, string) ([]byte, error) { panic("a bug") }

func TestAPanicIsA500(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Blobs = brokenBlobs{} })
	w.shop()
	r := w.send(request{method: "GET", path: w.at("/stress/profiles/{f}")})
	if r.status != 500 || r.problem(t).Type != "about:blank" || strings.Contains(string(r.body), "bug") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if !strings.Contains(w.log.String(), "a bug") {
		t.Errorf("log %q", w.log)
	}
}

// A stop does not wait for runs: who waits for one gets its Location.
func TestAStopReleasesWhoWaitsForARun(t *testing.T) {
	w := newWorld(t)
	w.shop()
	before, err := w.store.Position(t.Context())
	must(t, err)
	answers := make(chan reply)
	go func() { answers <- w.send(run()(w)) }()
	id := w.requestedAfter(before.Last)
	w.server.Stop()
	select {
	case r := <-answers:
		if r.status != 202 || !strings.HasSuffix(r.header.Get("Location"), id) {
			t.Errorf("%d %s at %s", r.status, r.body, r.header.Get("Location"))
		}
	case <-time.After(patience):
		t.Fatal("it still waits")
	}
}
