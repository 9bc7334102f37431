package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections/pgtest"
)

// node is another process with the read models of a world: a pool and a projector of its own.
type node struct {
	db   *DB
	p    *Projector
	stop func() error
}

func (w *world) node() *node {
	n := &node{db: w.another()}
	mine := *w
	mine.db = n.db
	n.p, n.stop = mine.project()
	return n
}

// waits makes sure that something comes true soon.
func waits(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

func (n *node) leads() bool {
	n.db.progress.mu.Lock()
	defer n.db.progress.mu.Unlock()
	return n.db.progress.leads
}

func TestNodesThatStartTogetherMigrateOnce(t *testing.T) {
	o := onPostgres.options(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			db, err := Open(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Other read models in the same database have another schema in the search_path.
func TestTwoInOneDatabase(t *testing.T) {
	o := Options{Postgres: pgtest.Database(t)}
	for _, schema := range []string{"", " search_path=second", " search_path=third,public"} {
		w := newWorld(t, database{schema, func(testing.TB) Options { return Options{Postgres: o.Postgres + schema} }})
		w.shop()
		n := w.node()
		waits(t, "projecting in"+schema, n.leads)
		w.caughtUp()
		must(t, n.p.Rebuild(t.Context(), Views))
		if _, err := w.db.Profile(t.Context(), "p", "peak"); err != nil {
			t.Errorf("%q: %v", schema, err)
		}
	}
	if _, err := Open(t.Context(), Options{Postgres: o.Postgres + ` search_path="Bad;"`}); err == nil || !strings.Contains(err.Error(), "small letters") {
		t.Errorf("a schema that is no plain name: %v", err)
	}
}

// A process that does not project shows what the other one did: positions, outcomes, and how soon.
func TestStandbyFollows(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	w.request("r")
	active := w.node()
	waits(t, "the first projects", active.leads)
	standby := w.node()
	w.db = standby.db
	w.caughtUp()
	outcome := make(chan error, 1)
	go func() {
		run, err := standby.db.WaitOutcome(t.Context(), "p", "r")
		if err == nil && run.Status != domain.StatusCompleted {
			err = fmt.Errorf("the run is %s", run.Status)
		}
		outcome <- err
	}()
	waits(t, "somebody waits for the run", func() bool { return len(standby.db.progress.waited()) == 1 })
	if got := standby.db.progress.interval(); got != nearTime {
		t.Errorf("it looks every %v", got)
	}
	time.Sleep(100 * time.Millisecond) // and has found no outcome
	w.complete("r")
	select {
	case err := <-outcome:
		must(t, err)
	case <-time.After(patience):
		t.Fatal("it still waits")
	}
	least := time.Hour
	for i := 0; i < 10 || i < 100 && least > 100*time.Millisecond; i++ { // a busy machine may hold up some
		w.request(fmt.Sprint("s", i))
		start := time.Now()
		w.caughtUp()
		least = min(least, time.Since(start))
		if _, err := standby.db.Run(t.Context(), "p", fmt.Sprint("s", i)); err != nil {
			t.Error(err)
		}
	}
	if least > 100*time.Millisecond {
		t.Errorf("the other process sees a commit after %v at best", least)
	}
	if standby.leads() || !active.leads() {
		t.Error("there is not exactly one active projector")
	}
	if trouble := standby.db.Status().Trouble; trouble != nil {
		t.Errorf("the one that waits for its turn: %v", trouble)
	}
}

// When the active projector ends, or loses its connection, another takes over within 2 s, unless the machine is busy each time.
func TestTakeOver(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	second := w.node()
	waits(t, "the first projects", second.leads)
	least := time.Hour
	for n := 0; n == 0 || n < 5 && least > 2*time.Second; n++ {
		first := second
		second = w.node()
		must(t, first.stop())
		took := time.Now()
		waits(t, "the second takes over", second.leads)
		least = min(least, time.Since(took))
	}
	if least > 2*time.Second {
		t.Errorf("it took %v", least)
	}
	third := w.node()
	_, err := w.writer().ExecContext(t.Context(), `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND a.datname = CURRENT_DATABASE()`)
	must(t, err)
	waits(t, "one takes over", func() bool { return third.leads() || second.leads() })
	w.request("r")
	w.caughtUp()
	for _, db := range []*DB{second.db, third.db} {
		waits(t, "both show it without trouble", func() bool { s := db.Status(); return s.Position == w.seq && s.Trouble == nil })
	}
}

// Both projectors run all the time. One works, or both in turn; nothing counts twice.
func TestTwoProjectorsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		nodes := []*node{w.node(), w.node()}
		w.history()
		waits(t, "one shows all", func() bool {
			return nodes[0].db.Status().Position == w.seq || nodes[1].db.Status().Position == w.seq
		})
		for _, n := range nodes {
			must(t, n.stop())
		}
		shown := dump(t, w.db)
		must(t, NewProjector(w.db, w.store, slog.New(slog.DiscardHandler)).Rebuild(t.Context(), Views))
		if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" {
			t.Error(diff)
		}
	})
}

// readAlways queries until the function is called, which gives the first error.
func readAlways(t testing.TB, db *DB) func() error {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			var err error
			for err == nil && ctx.Err() == nil {
				if _, err = db.ProfileVersions(ctx, "peak", Page{Limit: 10}); err == nil { // of two tables
					_, err = db.Run(ctx, "p", "r0")
				}
			}
			done <- err
		}()
	}
	return func() error {
		cancel()
		var first error
		for range cap(done) {
			if err := <-done; first == nil && !errors.Is(err, context.Canceled) {
				first = err
			}
		}
		return first
	}
}

// A rebuild by a process that does not project, again and again while another one projects and all read: no reader gets
// an error, nothing is missing.
func TestRebuildFromAnotherNode(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	w.request("r0")
	active := w.node()
	waits(t, "the first projects", active.leads)
	standby := w.node()
	w.caughtUp()
	waits(t, "the other shows all", func() bool { return standby.db.Status().Position == w.seq })
	ends := []func() error{readAlways(t, active.db), readAlways(t, standby.db)}
	rebuilt := make(chan error)
	go func() {
		var err error
		for range 5 {
			err = errors.Join(err, standby.p.Rebuild(t.Context(), Views))
		}
		rebuilt <- err
	}()
	i := 1
	for done := false; !done; i++ {
		w.request(fmt.Sprint("r", i))
		w.caughtUp()
		select {
		case err := <-rebuilt:
			must(t, err)
			done = true
		default:
		}
	}
	for _, end := range ends {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	if standby.leads() || !active.leads() {
		t.Error("the rebuild changed who projects")
	}
	shown := dump(t, w.db)
	must(t, active.p.Rebuild(t.Context(), Views))
	if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" || len(shown["runs"]) != i {
		t.Errorf("%d runs, want %d: %s", len(shown["runs"]), i, diff)
	}
}

// A rebuild that died leaves its schemas; the next one does not mind. Of two at once one waits.
func TestRebuildsAfterADeadOneAndAtOnce(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	n := w.node()
	w.caughtUp()
	f, err := n.db.tables.beside(t.Context())
	must(t, err)
	must(t, f.hold(t.Context()))
	must(t, f.(*postgresFresh).conn.Close()) // it died: neither replace nor leave
	w.drop(`CREATE SCHEMA proofload_old; CREATE TABLE proofload_old.runs (id TEXT); COMMENT ON SCHEMA proofload_old IS '` + n.db.tables.(*postgresTables).owned() + `'`)
	other := w.another()
	var all sync.WaitGroup
	for _, db := range []*DB{n.db, other, n.db, other} {
		all.Go(func() {
			if err := NewProjector(db, w.store, slog.New(slog.DiscardHandler)).Rebuild(t.Context(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.request("r")
	w.caughtUp()
	schemas, err := list[string](t.Context(), n.db, `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'proofload%'`)
	must(t, err)
	if !cmp.Equal(schemas, []string{"proofload"}) {
		t.Errorf("left: %v", schemas)
	}
}

// What halted one projector and another one can read: the halted one shows the others' progress and may try again.
func TestAHaltedNodeFollowsTheOther(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	w.projectSome(100)
	_, err := w.writer().ExecContext(t.Context(), `UPDATE checkpoints SET schema_version = 99`)
	must(t, err)
	var halt *HaltError
	if err := w.halted(); !errors.As(err, &halt) {
		t.Fatal(err)
	}
	time.Sleep(2 * farTime) // it has looked where the tables stand
	if trouble := w.db.Status().Trouble; !errors.As(trouble, &halt) {
		t.Errorf("while nothing changes: %v", trouble)
	}
	must(t, NewProjector(w.another(), w.store, slog.New(slog.DiscardHandler)).Rebuild(t.Context(), Views))
	select {
	case <-NewProjector(w.db, w.store, nil).Rebuilt():
	case <-time.After(patience):
		t.Fatal("it was not told")
	}
	if s := w.db.Status(); s.Trouble != nil || s.Position != w.seq {
		t.Errorf("after the rebuild of another process: %+v", s)
	}
}

// A program whose tables have another schema does not write into those that a newer one has put in place.
func TestCheckpointGuardsTheSchema(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.projectSome(3)
		at, _, err := startFrom(t.Context(), w.writer(), w.store)
		must(t, err)
		_, err = w.writer().ExecContext(t.Context(), `UPDATE checkpoints SET schema_version = schema_version + 1`)
		must(t, err)
		reader, err := w.store.Read(t.Context(), at.Seq)
		must(t, err)
		defer reader.Close()
		records, err := reader.NextBatch(t.Context(), 2, patience)
		must(t, err)
		if _, _, err := commit(t.Context(), w.writer(), at, records); !errors.Is(err, errOvertaken) {
			t.Errorf("%v, want overtaken", err)
		}
	})
}

// PostgreSQL has no text with the character NUL; the read models show another one in its place, in both databases.
func TestNUL(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.append(domain.AggregateProject, "p", domain.ProjectRenamed{ProjectID: "p", Name: "a\x00b"})
		_, _ = w.project()
		w.caughtUp()
		if p, err := w.db.Project(t.Context(), "p"); err != nil || p.Name != "a\uFFFDb" {
			t.Errorf("%q, %v", p.Name, err)
		}
	})
}

// A projector that hangs loses its turn; when it goes on, nothing has counted twice.
func TestAProjectorThatHangsLosesItsTurn(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	w.db.tables.(*postgresTables).hangs = 3 * time.Second
	p, _ := w.project()
	first := &node{db: w.db, p: p}
	waits(t, "the first projects", first.leads)
	w.caughtUp()
	second := w.node()
	time.Sleep(5 * time.Second)
	if !first.leads() || second.leads() {
		t.Error("one with nothing to do lost its turn")
	}
	p.apply.Lock() // as if it stood still between two batches
	goOn := sync.OnceFunc(p.apply.Unlock)
	defer goOn()
	w.request("r")
	waits(t, "the second takes over", second.leads)
	waits(t, "it shows all", func() bool { return second.db.Status().Position == w.seq })
	goOn()
	waits(t, "the first follows", func() bool { s := first.db.Status(); return !first.leads() && s.Position == w.seq && s.Trouble == nil })
	shown := dump(t, w.db)
	must(t, p.Rebuild(t.Context(), Views))
	if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" {
		t.Error(diff)
	}
}

// The same inside a transaction: PostgreSQL ends it.
func TestATransactionThatHangsIsEnded(t *testing.T) {
	w := newWorld(t, onPostgres)
	tables := w.db.tables.(*postgresTables)
	tables.hangs = 3 * time.Second
	l, err := tables.lead(t.Context(), func() error { return nil })
	must(t, err)
	defer l.leave()
	tx, err := l.writer().BeginTxx(t.Context(), nil)
	must(t, err)
	defer func() { _ = tx.Rollback() }()
	waits(t, "another one gets the lock", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		next, err := w.another().tables.lead(ctx, func() error { return nil })
		if err == nil {
			next.leave()
		}
		return err == nil
	})
}
