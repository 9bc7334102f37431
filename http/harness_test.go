package http

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/backup"
	"github.com/proofload/proofload/projections"
	"github.com/proofload/proofload/projections/pgtest"
)

// world is a whole server: event store, commands, projector, HTTP. Runs get their outcome by the tests.
type world struct {
	t             testing.TB
	store         *eventstore.Store
	embedded      *eventstore.Embedded
	commands      *commands.Commands
	db            *projections.DB
	projector     *projections.Projector
	viewsPath     string
	first         commands.Bootstrapped
	token         string // of the administrator, who sends what says nothing else
	server        *Server
	url           string
	client        *http.Client
	now           time.Time // the clock of the commands
	log           *bytes.Buffer
	stopProjector func() // returns when it has ended
	projectID     string
	scenarioID    string
	profileID     string
}

// patience is how long a test waits for what has to come: the machine may be busy.
const patience = time.Minute

// eventually waits until something is true, at most as long as the patience lasts.
func eventually(is func() bool) {
	for end := time.Now().Add(patience); !is() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
}

// started is the time at which the clock of the commands stands.
var started = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	return newWorldOn(t, projections.Options{Path: filepath.Join(t.TempDir(), "views.db"), Postgres: postgresOf(t)}, change...)
}

// newWorldOn is a world with the read models in a place.
func newWorldOn(t testing.TB, views projections.Options, change ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, now: started, log: &bytes.Buffer{}}
	dir := t.TempDir()
	embedded, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, embedded.Close()) })
	w.embedded = embedded
	w.store, err = eventstore.Open(t.Context(), embedded.Conn(), eventstore.Options{AnswerWait: patience})
	must(t, err)
	w.commands = commands.New(w.store, func() time.Time { return w.now })
	w.first, err = w.commands.Bootstrap(t.Context())
	must(t, err)
	issued, err := w.commands.FirstToken(t.Context(), w.first.MemberID)
	must(t, err)
	w.token = issued.Text
	w.viewsPath = views.Path
	w.db, err = projections.Open(t.Context(), views)
	must(t, err)
	t.Cleanup(func() { must(t, w.db.Close()) })
	w.project()
	w.serve(change)
	return w
}

// onPostgres in the environment has the worlds keep their read models in PostgreSQL.
const onPostgres = "PROOFLOAD_TEST_ON_POSTGRES"

// postgresOf is the DSN of a fresh database, or empty: SQLite.
func postgresOf(t testing.TB) string {
	if os.Getenv(onPostgres) == "" {
		return ""
	}
	return pgtest.Schema(t)
}

// project runs the projector until the test ends.
func (w *world) project() {
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	w.projector = projections.NewProjector(w.db, w.store, slog.New(slog.DiscardHandler))
	go func() {
		defer close(ended)
		var halt *projections.HaltError
		if err := w.projector.Run(ctx); err != nil && !errors.As(err, &halt) {
			w.t.Error(err)
		}
	}()
	w.stopProjector = func() { cancel(); <-ended }
	w.t.Cleanup(w.stopProjector)
}

func (w *world) serve(change []func(*Config)) {
	config := Config{
		Commands: w.commands, Projections: w.db, Projector: w.projector, Blobs: w.commands, Logger: slog.New(slog.NewTextHandler(w.log, nil)),
		SendLog: func(ctx context.Context, to io.Writer) error { return backup.Send(ctx, w.store, to) },
		Now:     time.Now, Version: "test", WorkspaceID: w.first.WorkspaceID,
	}
	for _, c := range change {
		c(&config)
	}
	var err error
	w.server, err = New(config)
	must(w.t, err)
	server := httptest.NewServer(w.server.Handler())
	w.t.Cleanup(server.Close)
	w.url, w.client = server.URL, server.Client()
}

// reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// documents are the JSON documents of the body: one, or one for each line.
func (r reply) documents() [][]byte {
	if r.header.Get("Content-Type") == "application/jsonl" {
		return bytes.Split(bytes.TrimSpace(r.body), []byte("\n"))
	}
	if len(r.body) == 0 {
		return nil
	}
	return [][]byte{r.body}
}

func (r reply) problem(t testing.TB) Problem {
	t.Helper()
	if got := r.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("status %d has the content type %q: %s", r.status, got, r.body)
	}
	var p Problem
	must(t, json.Unmarshal(r.body, &p))
	return p
}

// into reads the body as the table describes it: an unknown member is an error.
func (r reply) into(t testing.TB, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Errorf("%T of %s: %v", v, r.body, err)
	}
}

// request is what a test sends; header lines are "Name: value".
type request struct {
	method, path string
	header       []string
	body         string
	anonymous    bool // without the administrator's token
}

// as sends the request with another token.
func (r request) as(token string) request {
	r.header = append([]string{"Authorization: Bearer " + token}, r.header...)
	return r
}

func (w *world) send(r request) reply {
	w.t.Helper()
	sent, err := http.NewRequestWithContext(w.t.Context(), r.method, w.url+r.path, strings.NewReader(r.body))
	must(w.t, err)
	if r.body != "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	if !r.anonymous {
		sent.Header.Set("Authorization", "Bearer "+w.token)
	}
	for _, line := range r.header {
		name, value, _ := strings.Cut(line, ": ")
		sent.Header.Set(name, value)
		if name == "Host" {
			sent.Host = value
		}
	}
	answer, err := w.client.Do(sent)
	must(w.t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	must(w.t, err)
	return reply{answer.StatusCode, answer.Header, body}
}

// make sends a command that has to succeed and gives its id.
func (w *world) make(r request) string {
	w.t.Helper()
	answer := w.send(r)
	if answer.status != 200 && answer.status != 201 {
		w.t.Fatalf("%s %s: %d %s", r.method, r.path, answer.status, answer.body)
	}
	var made struct{ ID string }
	must(w.t, json.Unmarshal(answer.body, &made))
	w.caughtUp()
	return made.ID
}

func (w *world) caughtUp() {
	w.t.Helper()
	position, err := w.store.Position(w.t.Context())
	must(w.t, err)
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	must(w.t, w.db.WaitFor(ctx, position.Last))
}

const (
	aModel = `{"elements":[{"id":"shop","name":"Shop","kind":"service"}],
		"operations":[{"id":"buy","elementId":"shop","name":"Buy","timeoutMs":0,"retry":{"maxAttempts":1,"backoffMs":0}}],
		"channels":[],"bindings":[],"subscriptions":[]}`
	aScenario = `{"name":"Checkout","steps":[{"id":"s1","kind":"call","operationId":"buy"}]}`
	badModel  = `{"elements":[{"id":"shop","name":"Shop","kind":"car"}],"operations":[],"channels":[],"bindings":[],"subscriptions":[]}`
)

// aProfile is a profile of a scenario that lacks nothing.
func aProfile(scenarioID, name string) string {
	return `{"name":"` + name + `","scenarioId":"` + scenarioID + `","seed":"18446744073709551615",
		"arrivals":{"kind":"poisson","ratePerSecond":10,"durationSeconds":60,"warmUpSeconds":5},
		"resources":[{"elementId":"shop","concurrency":2}],
		"serviceTimes":[{"target":"buy","time":{"kind":"fixed","ms":20}}],
		"subscriptions":[],"branches":[],"overrides":[],"outages":[]}`
}

// shop makes a project with a model, a scenario and a profile, all at version 1.
func (w *world) shop() {
	w.t.Helper()
	w.projectID = w.make(request{method: "POST", path: "/api/projects", body: `{"name":"Shop"}`})
	w.make(request{method: "PUT", path: w.at("/model"), header: []string{`If-Match: "0"`}, body: aModel})
	w.scenarioID = w.make(request{method: "POST", path: w.at("/scenarios"), body: aScenario})
	w.profileID = w.make(request{method: "POST", path: w.at("/stress/profiles"), body: aProfile(w.scenarioID, "Peak")})
}

// at is a path below the project. {s} and {f} stand for the scenario and the profile of the shop.
func (w *world) at(path string) string {
	return "/api/projects/" + w.projectID + strings.NewReplacer("{s}", w.scenarioID, "{f}", w.profileID).Replace(path)
}

// aResult is a stored result; the API passes it as it is.
const aResult = `{"engineVersion":3,"hash":"abc","seed":"18446744073709551615"}`

// outcome of a run; a blob is put first where it needs one.
func (w *world) completedRun(id string) domain.Event {
	hash, err := w.store.PutBlob(w.t.Context(), []byte(aResult))
	must(w.t, err)
	return domain.RunCompleted{RunID: id, EngineVersion: 3, Blob: hash, ResultHash: "abc", Key: domain.KeyFigures{
		Started: 9, Completed: 9, Saturated: []string{}, Confidence: "low", ThroughputPerSecond: 9.5,
	}}
}

var missing = domain.Issue{Code: domain.CodeMissingConcurrency, Target: "shop", Message: "has no workers"}

func refusedRun(typ string) func(*world, string) domain.Event {
	return func(_ *world, id string) domain.Event {
		return domain.RunRefused{RunID: id, Type: typ, Title: "No", Issues: []domain.Issue{missing, {Code: "x", Target: "y", Message: "z"}}}
	}
}

func failedRun(_ *world, id string) domain.Event {
	return domain.RunFailed{RunID: id, Code: "not-built-yet", Detail: "writes"}
}

// run sends a run request and ends the run meanwhile, as a worker would.
func (w *world) run(r request, outcome func(*world, string) domain.Event) reply {
	w.t.Helper()
	before, err := w.store.Position(w.t.Context())
	must(w.t, err)
	answers := make(chan reply, 1)
	go func() { answers <- w.send(r) }()
	id := w.requestedAfter(before.Last)
	must(w.t, w.commands.EndRun(w.t.Context(), w.first.WorkspaceID, id, outcome(w, id), commands.Meta{Member: w.first.MemberID}))
	answer := <-answers
	w.caughtUp()
	return answer
}

// requestedAfter waits for the next RunRequested in the stream and gives the run's id.
func (w *world) requestedAfter(position uint64) string {
	w.t.Helper()
	reader, err := w.store.Read(w.t.Context(), position)
	must(w.t, err)
	defer reader.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		record, err := reader.Next(ctx)
		must(w.t, err)
		if record.Aggregate.Type == domain.AggregateRun && record.Events[0].Name == "RunRequested" {
			return record.Aggregate.ID
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
