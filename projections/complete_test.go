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

// Where tables have to be before they are complete, step by step.
func TestWhereTablesHaveToBe(t *testing.T) {
	p := newProgress()
	for _, step := range []struct {
		what     string
		do       func()
		goal     uint64
		complete bool
	}{
		{"nothing is known", func() {}, 0, false},
		{"a start at 3 of 6", func() { p.restart(3, 6) }, 6, false},
		{"another try at 5, and the log has grown", func() { p.restart(5, 9) }, 6, false},
		{"the end of the start is shown", func() { p.advance(6, nil) }, 6, true},
		{"another server has gone on", func() { p.catchUp(p.turn, place{checkpoint: checkpoint{Seq: 8}, end: 12}, nil, false) }, 6, true},
		{"others are in their place, at 7", func() { p.catchUp(p.turn, place{checkpoint: checkpoint{Seq: 7}, end: 12}, nil, false) }, 12, false},
		{"they are empty", func() { p.catchUp(p.turn, place{}, nil, false) }, 0, false},
		{"they have begun", func() { p.restart(0, 13) }, 13, false},
		{"a rebuild of a log that lost its end", func() { p.restart(4, 4) }, 4, true},
	} {
		step.do()
		if goal, complete := p.caughtUp(); goal != step.goal || complete != step.complete {
			t.Errorf("%s: complete at %d: %v, want at %d: %v", step.what, goal, complete, step.goal, step.complete)
		}
	}
}
