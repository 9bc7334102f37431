package projections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/projections/pgtest"
)

func TestUnreachableAtStart(t *testing.T) {
	server := pgtest.Start(t)
	socket := strings.Fields(server.DSN())[0]
	server.Stop(t)
	for name, test := range map[string]struct{ dsn, says string }{
		"nobody listens": {"postgres://ann:secret@127.0.0.1:1/views?sslmode=disable", "PostgreSQL at 127.0.0.1:1/views: "},
		"it is stopped":  {socket + " user=ann password=secret dbname=views sslmode=disable", "Is it running"},
		"no DSN":         {"postgres://ann:secret@[x/views", "write postgres://USER:PASSWORD@HOST:5432/DATABASE"},
		"no setting":     {"host=x password=secret port=many", "the DSN of PostgreSQL cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), Options{Postgres: test.dsn})
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %q and no password", err, test.says)
			}
		})
	}
}

// While PostgreSQL is away, killed or stopped, queries fail with an *UnreachableError, the status says so, and who waits for
// a run goes on waiting. When it is back nothing is lost and nothing has to be done. 1 s each, or 30 s with PROOFLOAD_SOAK.
func TestSoakPostgresGone(t *testing.T) {
	away := time.Second
	if soak(t) > 0 {
		away = 30 * time.Second
	}
	server := pgtest.Start(t)
	w := newWorld(t, database{"PostgreSQL", func(testing.TB) Options { return Options{Postgres: server.Database(t)} }})
	w.shop()
	nodes := []*node{w.node(), w.node()}
	w.caughtUp()
	for i, stop := range []func(testing.TB){server.Kill, server.Stop} {
		id := fmt.Sprint("r", i)
		w.request(id)
		for _, n := range nodes {
			waits(t, "all show the request", func() bool { return n.db.Status().Position == w.seq })
		}
		outcomes := make(chan error, len(nodes))
		for _, n := range nodes {
			go func() {
				run, err := n.db.WaitOutcome(t.Context(), "p", id)
				if err == nil && !run.Ended() {
					err = errors.New("the run has not ended")
				}
				outcomes <- err
			}()
		}
		stop(t)
		w.complete(id)
		checkAway(t, nodes)
		time.Sleep(away)
		checkAway(t, nodes)
		server.Start(t)
		for _, n := range nodes {
			must(t, <-outcomes)
			waits(t, "all show the outcome without trouble", func() bool {
				s := n.db.Status()
				return s.Position == w.seq && s.Trouble == nil
			})
			_, err := n.db.Run(t.Context(), "p", id)
			must(t, err)
		}
	}
	shown := dump(t, w.db)
	must(t, nodes[0].p.Rebuild(t.Context(), Views))
	if diff := cmp.Diff(shown, dump(t, w.db)); diff != "" {
		t.Error(diff)
	}
}

func checkAway(t *testing.T, nodes []*node) {
	t.Helper()
	for _, n := range nodes {
		var away *UnreachableError
		if _, err := n.db.Profile(t.Context(), "p", "peak"); !errors.As(err, &away) {
			t.Errorf("a query: %v", err)
		}
		waits(t, "the status says so", func() bool { return errors.As(n.db.Status().Trouble, &away) })
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := n.db.WaitFor(ctx, 1<<40); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for a position: %v", err)
		}
		cancel()
	}
}

// A server that hangs is one that cannot be reached; a caller that gives up is none.
func TestAQueryThatTakesTooLong(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	tx, err := w.writer().BeginTxx(t.Context(), nil)
	must(t, err)
	defer func() { must(t, tx.Rollback()) }()
	_, err = tx.ExecContext(t.Context(), `LOCK TABLE runs`)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.db.Run(ctx, "p", "r"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller gave up: %v", err)
	}
	w.db.tables.(*postgresTables).limit = 100 * time.Millisecond
	var away *UnreachableError
	if _, err := w.db.Run(t.Context(), "p", "r"); !errors.As(err, &away) {
		t.Errorf("after the limit: %v", err)
	}
}

// Tables that somebody dropped halt the projector; a rebuild makes them again.
func TestMissingTables(t *testing.T) {
	for _, drop := range []string{`DROP SCHEMA proofload CASCADE`, `DROP TABLE proofload.runs`} {
		w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
		w.shop()
		w.projectSome(100)
		w.request("r")
		_, err := w.writer().ExecContext(t.Context(), drop)
		must(t, err)
		err = w.halted()
		var halt *HaltError
		if !errors.As(err, &halt) || !strings.Contains(err.Error(), "proofload projections rebuild") {
			t.Errorf("%s: %v", drop, err)
		}
		if _, err := w.db.Run(t.Context(), "p", "r"); !errors.As(err, &halt) {
			t.Errorf("%s: a query: %v", drop, err)
		}
		w.rebuildAndGoOn()
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	w.request("r0")
	w.where.Postgres += " application_name=counted"
	n := w.node()
	waits(t, "it shows all", func() bool { return n.db.Status().Position == w.seq })
	must(t, n.p.Rebuild(t.Context(), Views))
	before := w.connections()
	end := readAlways(t, n.db)
	waits(t, "the pool fills", func() bool { return w.connections() >= before+2 })
	if c := w.connections(); c > readerConnections()+writers {
		t.Errorf("%d connections, more than the pools may have", c)
	}
	must(t, end())
	must(t, n.stop())
	must(t, n.db.Close())
	waits(t, "all connections are closed", func() bool { return w.connections() == 0 })
}

// connections are those of the application "counted".
func (w *world) connections() int {
	w.t.Helper()
	n, err := get[int](w.t.Context(), w.db, `SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'counted'`)
	must(w.t, err)
	return n
}
