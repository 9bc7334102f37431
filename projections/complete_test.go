package projections

import (
	"log/slog"
	"testing"

	"github.com/proofload/proofload/projections/pgtest"
)

// Read models are complete when they have once caught up with the log as it was at the start, and stay so while it grows.
func TestCompleteOnceTheLogOfTheStartIsShown(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		if s := w.db.Status(); s.Complete {
			t.Errorf("before anything was projected: %+v", s)
		}
		w.projectSome(3)
		p := NewProjector(w.db, w.store, slog.New(slog.DiscardHandler))
		l, err := w.db.tables.lead(t.Context(), func() error { return nil })
		must(t, err)
		_, err = p.start(t.Context(), l)
		must(t, err)
		want := Status{Position: 3, Goal: w.seq}
		if s := w.db.Status(); s != want {
			t.Errorf("at the start of the projector: %+v, want %+v", s, want)
		}
		l.leave()
		_, stop := w.project()
		w.caughtUp()
		for range 3 {
			w.saveModel(2)
			if s := w.db.Status(); !s.Complete {
				t.Errorf("a log that has grown: %+v", s)
			}
		}
		w.caughtUp()
		must(t, stop())
	})
}

// A server that does not project knows it too, and so does each when read models that were lost are made anew.
func TestLostTablesAreIncompleteUntilTheyAreMadeAgain(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	w.projectSome(3)
	waits(t, "one that only looks sees how far they are", func() bool { return w.db.Status() == Status{Position: 3, Goal: w.seq} })
	active := w.node()
	complete := func(db *DB) func() bool {
		return func() bool { s := db.Status(); return s.Complete && s.Position == w.seq && s.Trouble == nil }
	}
	waits(t, "one that only looks sees them complete", complete(w.db))
	waits(t, "the one that projects, too", complete(active.db))
	must(t, active.stop())
	w.request("r") // so that more than the log of the start was shown
	w.projectSome(100)
	waits(t, "they are complete", complete(w.db))
	w.drop(`DROP SCHEMA proofload CASCADE`)
	third := w.another() // makes new ones
	waits(t, "the new ones are incomplete before there is a checkpoint", func() bool { s := w.db.Status(); return s.Position == 0 && !s.Complete })
	w.projectSome(int(w.seq) - 1)
	for _, db := range []*DB{w.db, third} {
		waits(t, "they are incomplete", func() bool { return db.Status() == Status{Position: w.seq - 1, Goal: w.seq} })
	}
	_, _ = w.project()
	for _, db := range []*DB{w.db, third} {
		waits(t, "they are complete again", complete(db))
	}
}
