package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/eventstore"
)

// shop is a project on a store of its own, in which runs are requested.
type shop struct {
	t         testing.TB
	store     *eventstore.Store
	commands  *commands.Commands
	workspace string
	projectID string
	by        commands.Meta
}

func newShop(t testing.TB) *shop {
	t.Helper()
	e, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	store, err := eventstore.Open(t.Context(), e.Conn(), eventstore.Options{AnswerWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, store: store, commands: commands.New(store, time.Now)}
	b, err := s.commands.Bootstrap(t.Context())
	s.no(err)
	s.by = commands.Meta{Member: b.MemberID}
	s.open(b.WorkspaceID)
	return s
}

// open puts a project into a workspace.
func (s *shop) open(workspace string) {
	s.t.Helper()
	p, err := s.commands.CreateProject(s.t.Context(), commands.CreateProject{Meta: s.by, WorkspaceID: workspace, Name: "Shop"})
	s.no(err)
	s.workspace, s.projectID = workspace, p.ID
}

// another is a shop on the same store, in a workspace of its own.
func (s *shop) another() *shop {
	s.t.Helper()
	w, err := s.commands.CreateWorkspace(s.t.Context(), commands.CreateWorkspace{Meta: s.by, Name: "Another"})
	s.no(err)
	other := *s
	other.open(w.ID)
	return &other
}

func (s *shop) no(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// load saves the documents of a case of the engine and gives the profile's id. Cases of one shop share the model.
func (s *shop) load(name string) string {
	s.t.Helper()
	var raw struct {
		Model, Scenario json.RawMessage
		Profile         map[string]any
	}
	s.no(json.Unmarshal(s.file("cases", name), &raw))
	ctx := s.t.Context()
	model, err := domain.ParseModel(raw.Model)
	s.no(err)
	_, err = s.commands.SaveModel(ctx, commands.SaveModel{Meta: s.by, ProjectID: s.projectID, Document: model, Raw: raw.Model})
	s.no(err)
	scenario, err := domain.ParseScenario(raw.Scenario)
	s.no(err)
	saved, err := s.commands.SaveScenario(ctx, commands.SaveScenario{Meta: s.by, ProjectID: s.projectID, Document: scenario, Raw: raw.Scenario})
	s.no(err)
	raw.Profile["scenarioId"] = saved.ID
	document, err := json.Marshal(raw.Profile)
	s.no(err)
	return s.profile(document, saved.ID)
}

// profile saves a profile document, valid or not.
func (s *shop) profile(document []byte, scenarioID string) string {
	s.t.Helper()
	p, err := domain.ParseProfile(document)
	if err != nil {
		p = domain.Profile{Name: "broken", ScenarioID: scenarioID, Seed: "1"}
	}
	a, err := s.commands.SaveProfile(s.t.Context(), commands.SaveProfile{Meta: s.by, ProjectID: s.projectID, Document: p, Raw: document})
	s.no(err)
	return a.ID
}

func (s *shop) file(kind, name string) []byte {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", kind, name+".json"))
	s.no(err)
	return data
}

// hash is the hash of the expectation of a case.
func (s *shop) hash(name string) string {
	s.t.Helper()
	var result struct{ Hash string }
	s.no(json.Unmarshal(s.file("expected", name), &result))
	return result.Hash
}

func (s *shop) request(profileID string) string {
	s.t.Helper()
	a, err := s.commands.RequestRun(s.t.Context(), commands.RequestRun{Meta: s.by, ProjectID: s.projectID, ProfileID: profileID})
	s.no(err)
	return a.ID
}

// shortWait is the ackWait of workers whose messages shall come again. What tells the server that a run is worked on has two
// thirds of it, on a busy machine too.
const shortWait = 2 * time.Second

// worker is a worker that is not started. Its server does not take a silent message for lost while the test lasts.
func (s *shop) worker(name string) *Worker {
	s.t.Helper()
	w, err := New(Config{Store: s.store, Commands: s.commands, Name: name, Slots: 2})
	s.no(err)
	w.ackWait = time.Hour
	return w
}

// impatient is a worker whose server takes a silent message for lost after a short time.
func (s *shop) impatient(name string) *Worker {
	s.t.Helper()
	w := s.worker(name)
	w.ackWait = shortWait
	return w
}

// until waits for something that has to come true.
func (s *shop) until(what string, is func() bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("in vain: %s", what)
		}
	}
}

// attempts are the commands that try to append an event of one of these names, stored or not.
func (s *shop) attempts(names ...string) <-chan string {
	s.t.Helper()
	tries := make(chan string, 100)
	conn := s.store.JetStream().Conn()
	sub, err := conn.Subscribe("evt.*."+domain.AggregateRun+".>", func(m *nats.Msg) {
		if slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(m.Data, []byte(name)) }) {
			tries <- m.Header.Get(eventstore.HeaderCommandID)
		}
	})
	s.no(err)
	s.t.Cleanup(func() { _ = sub.Unsubscribe() })
	s.no(conn.Flush())
	return tries
}

// start runs a worker; stop ends it and waits until it has.
func (s *shop) start(w *Worker) (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	var stopped bool
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-done:
			if err != nil {
				s.t.Errorf("the worker ended with %v", err)
			}
		case <-time.After(time.Minute):
			s.t.Error("the worker does not stop")
		}
	}
	s.t.Cleanup(stop)
	return stop
}

// ended waits until a run has its outcome, and checks that it has one and holds no place any more.
func (s *shop) ended(runID string) domain.Run {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		run, err := s.commands.LoadRun(s.t.Context(), s.workspace, runID)
		s.no(err)
		if run.Ended() {
			if n := len(s.outcomes(runID)); n != 1 {
				s.t.Errorf("run %s has %d outcomes", runID, n)
			}
			return run
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("run %s does not end", runID)
	return domain.Run{}
}

func (s *shop) events(typ, id string) []domain.Event {
	s.t.Helper()
	records, err := s.store.Load(s.t.Context(), eventstore.Aggregate{Workspace: s.workspace, Type: typ, ID: id})
	s.no(err)
	var all []domain.Event
	for _, r := range records {
		for _, e := range r.Events {
			event, err := domain.Decode(e.Name, e.Schema, e.Data)
			s.no(err)
			all = append(all, event)
		}
	}
	return all
}

func (s *shop) outcomes(runID string) []domain.Event {
	s.t.Helper()
	var all []domain.Event
	for _, e := range s.events(domain.AggregateRun, runID) {
		if domain.IsOutcome(e) {
			all = append(all, e)
		}
	}
	return all
}

// starts are the workers that took the run up, in order.
func (s *shop) starts(runID string) []string {
	s.t.Helper()
	var all []string
	for _, e := range s.events(domain.AggregateRun, runID) {
		if e, ok := e.(domain.RunStarted); ok {
			all = append(all, e.Worker)
		}
	}
	return all
}

// released waits until no run of the workspace holds a place.
func (s *shop) released() {
	s.t.Helper()
	s.until("a run that ended still holds its place", func() bool {
		var state domain.Admissions
		for _, e := range s.events(domain.AggregateAdmission, s.workspace) {
			state = domain.EvolveAdmissions(state, e)
		}
		return len(state.Open) == 0
	})
}

// untilStopped is an engine that never comes to an end by itself.
func untilStopped(ctx context.Context, _ engine.Input) (*engine.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// requestOf puts a run like another one on the stream, past the commands: they would refuse it.
func (s *shop) requestOf(runID string) string {
	s.t.Helper()
	run, err := s.commands.LoadRun(s.t.Context(), s.workspace, runID)
	s.no(err)
	run.Pins.RunID = "run" + runID[3:]
	name, schema, data, err := domain.Encode(run.Pins)
	s.no(err)
	_, err = s.store.Append(s.t.Context(), eventstore.Aggregate{Workspace: s.workspace, Type: domain.AggregateRun, ID: run.Pins.RunID},
		eventstore.Tail{}, eventstore.Commit{
			CommandID: commands.NewCommandID(), Member: s.by.Member, At: time.Now(),
			Events: []eventstore.Event{{Name: name, Schema: schema, Data: data}},
		})
	s.no(err)
	return run.Pins.RunID
}
