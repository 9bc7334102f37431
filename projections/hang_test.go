package projections

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/projections/pgtest"
)

// hungTime is how long a step may take while PostgreSQL hangs, on a busy machine. Who waits for an answer waits for ever.
const hungTime = patience

// within calls do, which must not take longer.
func within(t testing.TB, limit time.Duration, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	began := time.Now()
	go func() { defer close(done); do() }()
	select {
	case <-done:
		t.Logf("%s: %v", what, time.Since(began).Round(10*time.Millisecond))
	case <-time.After(limit):
		t.Fatalf("%s takes longer than %v", what, limit)
	}
}

// hungWorld is a world on a PostgreSQL of its own.
func hungWorld(t testing.TB) (*pgtest.Server, *world) {
	t.Helper()
	server := pgtest.Start(t)
	w := newWorld(t, database{"PostgreSQL", func(testing.TB) Options { return Options{Postgres: server.Database(t)} }})
	t.Cleanup(func() { server.Continue(t) }) // before the end of the world
	w.shop()
	return server, w
}

// While PostgreSQL hangs, and neither answers nor breaks a connection off, queries fail with an *UnreachableError within
// seconds, and the status says so. When it goes on nothing is lost and nothing has to be done. 6 s, or 30 s with PROOFLOAD_SOAK.
func TestSoakPostgresHangs(t *testing.T) {
	hanging := 6 * time.Second
	if soak(t) > 0 {
		hanging = 30 * time.Second
	}
	server, w := hungWorld(t)
	n := w.node()
	w.caughtUp()
	asked := w.another()
	asked.tables.(*postgresTables).limit = time.Hour // so that no query gives up by itself
	var warm sync.WaitGroup
	for range 10 { // so that connections are open
		warm.Go(func() { _, _ = asked.Profile(t.Context(), "p", "peak") })
	}
	warm.Wait()
	began := time.Now()
	server.Pause(t)
	w.request("r")
	for range 3 {
		within(t, hungTime, "a query", func() {
			var away *UnreachableError
			if _, err := asked.Profile(t.Context(), "p", "peak"); !errors.As(err, &away) {
				t.Errorf("a query: %v", err)
			}
		})
	}
	var away *UnreachableError
	waits(t, "the status says so", func() bool { return errors.As(n.db.Status().Trouble, &away) })
	time.Sleep(hanging - time.Since(began))
	server.Continue(t)
	waits(t, "it shows the request without trouble", func() bool { s := n.db.Status(); return s.Position == w.seq && s.Trouble == nil })
	shown := dump(t, w.db)
	must(t, n.p.Rebuild(t.Context(), Views))
	if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" {
		t.Error(diff)
	}
}

// A stop does not wait for a PostgreSQL that hangs, wherever the projector is: idle, in a transaction, or where one begins.
func TestStopWhilePostgresHangs(t *testing.T) {
	server, w := hungWorld(t)
	nodes := []*node{w.node(), w.node()}
	w.caughtUp()
	server.Pause(t)
	w.request("r")
	time.Sleep(time.Second) // until each of them waits for an answer
	within(t, hungTime, "the stop", func() {
		for _, n := range nodes {
			must(t, n.stop())
			must(t, n.db.Close())
		}
	})
}

// Each step ends soon after its caller gave up.
func TestStepsWhilePostgresHangs(t *testing.T) {
	server, w := hungWorld(t)
	tables := w.db.tables.(*postgresTables)
	tx, err := tables.writers.BeginTxx(t.Context(), nil)
	must(t, err)
	idle, err := tables.writers.Connx(t.Context())
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended, err := tables.writers.BeginTxx(ctx, nil)
	must(t, err)
	statement, err := ended.PreparexContext(ctx, `SELECT 1`)
	must(t, err)
	server.Pause(t)
	time.AfterFunc(200*time.Millisecond, cancel)
	within(t, hungTime, "a statement", func() {
		if _, err := statement.ExecContext(ctx); err == nil {
			t.Error("the server does not hang")
		}
	})
	within(t, hungTime, "a rollback", func() { _ = ended.Rollback() })
	within(t, hungTime, "the begin of a transaction", func() {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := idle.BeginTx(ctx, &sql.TxOptions{}); err == nil {
			t.Error("the server does not hang")
		}
	})
	within(t, hungTime, "a connection", func() {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := tables.writers.PingContext(ctx); err == nil {
			t.Error("the server does not hang")
		}
	})
	within(t, hungTime, "the end of all", func() { _ = idle.Close(); must(t, tables.close()) })
	server.Continue(t)
	_ = tx.Rollback()
}
