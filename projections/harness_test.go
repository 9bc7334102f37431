package projections

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/projections/pgtest"
)

// database is where the tests keep their read models.
type database struct {
	name    string
	options func(t testing.TB) Options // of fresh ones
}

var (
	onSQLite   = database{"SQLite", func(t testing.TB) Options { return Options{Path: filepath.Join(t.TempDir(), "views.db")} }}
	onPostgres = database{"PostgreSQL", func(t testing.TB) Options { return Options{Postgres: pgtest.Schema(t)} }}
)

// onEach runs a test on each database.
func onEach(t *testing.T, test func(t *testing.T, on database)) {
	for _, on := range []database{onSQLite, onPostgres} {
		t.Run(on.name, func(t *testing.T) { test(t, on) })
	}
}

// world is an embedded event store and read models on it; the projector runs once project was called.
type world struct {
	t     testing.TB
	store *eventstore.Store
	db    *DB
	where Options
	path  string // where.Path
	tails map[eventstore.Aggregate]eventstore.Tail
	seq   uint64
}

func newWorld(t testing.TB, on database) *world {
	t.Helper()
	embedded, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { must(t, embedded.Close()) })
	store, err := eventstore.Open(t.Context(), embedded.Conn(), eventstore.Options{AnswerWait: patience})
	must(t, err)
	w := &world{t: t, store: store, where: on.options(t), tails: map[eventstore.Aggregate]eventstore.Tail{}}
	w.path = w.where.Path
	w.open()
	return w
}

func (w *world) open() {
	w.db = w.another()
}

// another opens the read models once more, as another process would.
func (w *world) another() *DB {
	db, err := Open(w.t.Context(), w.where)
	must(w.t, err)
	w.t.Cleanup(func() { must(w.t, db.Close()) })
	db.follow(w.store)
	return db
}

// writer writes to the live tables without asking who may.
func (w *world) writer() writer { return liveWriter(w.db) }

func liveWriter(db *DB) writer {
	if p, ok := db.tables.(*postgresTables); ok {
		return p.writers
	}
	return db.tables.(*sqliteTables).live.writer
}

// project starts a projector; the function stops it and gives what Run returned.
func (w *world) project() (*Projector, func() error) {
	ctx, cancel := context.WithCancel(w.t.Context())
	p := NewProjector(w.db, w.store, slog.New(slog.DiscardHandler))
	result := make(chan error, 1)
	go func() { result <- p.Run(ctx) }()
	stopped := false
	stop := func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-result
	}
	w.t.Cleanup(func() { _ = stop() })
	return p, stop
}

// patience is how long a test waits for what has to come: the machine may be busy.
const patience = time.Minute

// halted runs a projector until it halts.
func (w *world) halted() error {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	return NewProjector(w.db, w.store, slog.New(slog.DiscardHandler)).Run(ctx)
}

// caughtUp waits until the read models show all that was appended.
func (w *world) caughtUp() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	must(w.t, w.db.WaitFor(ctx, w.seq))
}

// append commits events to one aggregate; their time is the number of the commit in seconds.
func (w *world) append(typ, id string, events ...domain.Event) uint64 {
	w.t.Helper()
	stored := make([]eventstore.Event, len(events))
	for i, e := range events {
		name, schema, data, err := domain.Encode(e)
		must(w.t, err)
		stored[i] = eventstore.Event{Name: name, Schema: schema, Data: data}
	}
	return w.appendRaw(typ, id, stored...)
}

func (w *world) appendRaw(typ, id string, events ...eventstore.Event) uint64 {
	w.t.Helper()
	agg := eventstore.Aggregate{Workspace: "ws", Type: typ, ID: id}
	r, err := w.store.Append(w.t.Context(), agg, w.tails[agg], eventstore.Commit{
		CommandID: fmt.Sprintf("c%d", w.seq+1), Member: "ann", At: at(w.seq + 1), Events: events,
	})
	must(w.t, err)
	w.tails[agg], w.seq = eventstore.Tail{Seq: r.Seq, Hash: r.Hash}, r.Seq
	return r.Seq
}

// at is the time of a commit.
func at(seq uint64) time.Time { return time.Unix(1_700_000_000+int64(seq), 0).UTC() }

// blob is a hash that belongs to a name.
func blob(name string) string { return strings.Repeat("0", 64-len(name)) + name }

// shop appends a project with a model, a scenario and an admitted profile, all at version 1.
func (w *world) shop() {
	w.append(domain.AggregateInstance, "instance", domain.MemberCreated{MemberID: "ann", Name: "Ann", Administrator: true})
	w.append(domain.AggregateProject, "p", domain.ProjectCreated{ProjectID: "p", WorkspaceID: "ws", Name: "Shop"})
	w.saveModel(1)
	w.saveScenario(1)
	w.saveProfile("peak", 1)
	w.append(domain.AggregateProject, "p", domain.ProfileAdmitted{ProfileID: "peak"})
}

func (w *world) saveModel(version int) uint64 {
	return w.append(domain.AggregateBranch, "p", domain.ModelSaved{
		ProjectID: "p", BranchID: "p", Version: version, Blob: blob(fmt.Sprint("m", version)),
	})
}

func (w *world) saveScenario(version int) uint64 {
	return w.append(domain.AggregateScenario, "s", domain.ScenarioSaved{
		ProjectID: "p", ScenarioID: "s", Version: version, Name: "Checkout", Blob: blob(fmt.Sprint("s", version)),
	})
}

func (w *world) saveProfile(id string, version int) uint64 {
	return w.append(domain.AggregateProfile, id, domain.ProfileSaved{
		ProjectID: "p", ProfileID: id, Version: version, Name: fmt.Sprint(id, " ", version), ScenarioID: "s",
		Seed: "18446744073709551615", Blob: blob(fmt.Sprint("f", version)),
	})
}

// pins of a run of peak at version 1 of everything.
func pins(id string) domain.RunRequested {
	one := 1
	return domain.RunRequested{
		RunID: id, WorkspaceID: "ws", ProjectID: "p", ProfileID: "peak", ProfileVersion: 1, ProfileBlob: blob("f1"),
		BranchID: "p", ModelVersion: 1, ModelBlob: blob("m1"), ScenarioID: "s", ScenarioVersion: &one, ScenarioBlob: blob("s1"),
		Seed: "18446744073709551615", EngineVersion: 3, Doubts: []domain.Doubt{},
	}
}

func (w *world) request(id string) uint64 {
	return w.append(domain.AggregateRun, id, pins(id))
}

func completed(id string) domain.RunCompleted {
	p99 := 12.5
	return domain.RunCompleted{
		RunID: id, EngineVersion: 3, Blob: blob("r"), ResultHash: blob("h"),
		Key: domain.KeyFigures{Started: 10, Completed: 9, Failed: 1, P99Ms: &p99, ThroughputPerSecond: 0.5, Saturated: []string{}, Confidence: "low"},
	}
}

func (w *world) complete(id string) uint64 { return w.append(domain.AggregateRun, id, completed(id)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
