package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/proofload/proofload/projections/pgtest"
)

// server is another process with the read models of a world, which tries again whenever it is told to, as serve does.
func (w *world) server() *node {
	db := w.another()
	n := &node{db: db, p: NewProjector(db, w.store, slog.New(slog.DiscardHandler))}
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for errors.As(n.p.Run(ctx), new(*HaltError)) {
			select {
			case <-n.p.Rebuilt():
			case <-ctx.Done():
			}
		}
	}()
	n.stop = sync.OnceValue(func() error { cancel(); <-done; return nil })
	w.t.Cleanup(func() { _ = n.stop() })
	return n
}

func (n *node) shows(seq uint64) func() bool {
	return func() bool { s := n.db.Status(); return s.Position == seq && s.Trouble == nil }
}

func (n *node) halted() bool { return errors.As(n.db.Status().Trouble, new(*HaltError)) }

// Read models that were lost halt all servers. When one of them has made them again, the others go on without a commit that
// moves them, and one takes over within 2 s when that one ends, unless the machine is busy each time.
func TestLostTablesMadeAgainEndTheHaltOfAll(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	first := w.server()
	waits(t, "the first projects", first.leads)
	least := time.Hour
	for i := 0; i == 0 || i < 5 && least > 2*time.Second; i++ {
		second := w.server()
		for _, n := range []*node{first, second} {
			waits(t, "both show all", n.shows(w.seq))
		}
		w.drop(`DROP SCHEMA proofload CASCADE`)
		for _, n := range []*node{first, second} {
			waits(t, "both halt", n.halted)
		}
		must(t, first.p.Rebuild(t.Context(), Views))
		for _, n := range []*node{first, second} {
			waits(t, "both show all again", n.shows(w.seq))
		}
		must(t, first.stop())
		began := time.Now()
		waits(t, "the second projects", second.leads)
		least = min(least, time.Since(began))
		w.request(fmt.Sprint("r", rand.Uint64()))
		waits(t, "the second shows a new commit", second.shows(w.seq))
		first = second
	}
	if least > 2*time.Second {
		t.Errorf("it took %v", least)
	}
}

// The same when nobody has looked while the tables were missing, and when some were only: whenever a halted server comes to
// look, it does not take the fresh tables for those that halted it.
func TestLostTablesMadeAgainAtOnce(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	nodes := []*node{w.server(), w.server()}
	for i, drop := range []string{
		`DROP SCHEMA proofload CASCADE`, `DROP TABLE proofload.runs`, `DROP SCHEMA proofload CASCADE`, `DROP TABLE proofload.checkpoints`, `DROP SCHEMA proofload CASCADE`,
	} {
		w.drop(drop)
		w.request(fmt.Sprint("r", rand.Uint64())) // which the tables do not take
		time.Sleep(rand.N(2 * farTime))
		must(t, nodes[i%2].p.Rebuild(t.Context(), Views))
		for _, n := range nodes {
			waits(t, "all show all again after "+drop, n.shows(w.seq))
		}
	}
}

// A table that is missing halts, and is not tried again and again while it is missing.
func TestAMissingTableIsNotTriedAgainAndAgain(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	w.projectSome(100)
	w.request(fmt.Sprint("r", rand.Uint64()))
	w.drop(`DROP TABLE proofload.runs`)
	if err := w.halted(); !errors.As(err, new(*HaltError)) {
		t.Fatal(err)
	}
	tries := 0
	for end := time.After(4 * farTime); ; tries++ {
		select {
		case <-NewProjector(w.db, w.store, nil).Rebuilt():
			if err := w.halted(); !errors.As(err, new(*HaltError)) {
				t.Fatal(err)
			}
			continue
		case <-end:
		}
		break
	}
	if tries > 1 || w.db.Status().Trouble == nil {
		t.Errorf("it was tried %d times more, and says %v", tries, w.db.Status().Trouble)
	}
}

func (w *world) drop(statement string) {
	w.t.Helper()
	waits(w.t, statement, func() bool { // two who lock several tables may get in each other's way
		_, err := w.writer().ExecContext(w.t.Context(), statement)
		return err == nil
	})
}
