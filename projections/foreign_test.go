package projections

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// sharedBy is a world with the read models of another one.
func (w *world) sharedBy(t *testing.T) *world {
	return newWorld(t, database{"shared", func(testing.TB) Options { return w.where }})
}

// refusesToRead makes sure that no query gets a row, nor that there is none.
func refusesToRead(t *testing.T, db *DB) {
	t.Helper()
	var halt *HaltError
	if p, err := db.Project(t.Context(), "p"); !errors.As(err, &halt) {
		t.Errorf("one project: %+v, %v", p, err)
	}
	if all, err := db.Runs(t.Context(), "p", RunFilter{}, Page{Limit: 10}); !errors.As(err, &halt) {
		t.Errorf("a list of runs: %+v, %v", all, err)
	}
}

// checkForeign makes sure that the read models are said to be those of another log, and what to do.
func checkForeign(t *testing.T, s Status) {
	t.Helper()
	var halt *HaltError
	if !errors.As(s.Trouble, &halt) || s.Position != 0 {
		t.Fatalf("at %d with %v", s.Position, s.Trouble)
	}
	for _, says := range []string{"the read models show the stream EVT of ", "search_path", "proofload projections rebuild"} {
		if !strings.Contains(s.Trouble.Error(), says) {
			t.Errorf("%q does not say %q", s.Trouble, says)
		}
	}
}

// No row of another log goes out, not even before the projector has begun; nor is its position believed.
func TestTablesOfAnotherStreamAreNotRead(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		mine := newWorld(t, on)
		mine.shop()
		mine.request("r")
		mine.projectSome(100)
		other := mine.sharedBy(t)
		other.shop()
		p := NewProjector(other.db, other.store, slog.New(slog.DiscardHandler))
		refusesToRead(t, other.db)
		var halt *HaltError
		if err := other.halted(); !errors.As(err, &halt) {
			t.Fatal(err)
		}
		checkForeign(t, other.db.Status())
		refusesToRead(t, other.db)
		if _, err := other.db.WaitOutcome(t.Context(), "p", "r"); !errors.As(err, &halt) {
			t.Errorf("waiting for a run: %v", err)
		}
		must(t, p.Rebuild(t.Context(), Views))
		other.rebuildAndGoOn()
	})
}

// A process that waits for its turn on the tables of another cluster halts too, and does not take them over.
func TestAStandbyOfAnotherStreamHalts(t *testing.T) {
	mine := newWorld(t, onPostgres)
	mine.shop()
	active := mine.node()
	waits(t, "the first projects", active.leads)
	waits(t, "it shows all", func() bool { return active.db.Status().Position == mine.seq })
	other := mine.sharedBy(t)
	other.shop()
	standby := other.node()
	for range 50 {
		refusesToRead(t, standby.db)
		time.Sleep(2 * time.Millisecond)
	}
	waits(t, "it halts", func() bool { return standby.db.Status().Trouble != nil })
	checkForeign(t, standby.db.Status())
	ctx, cancel := context.WithTimeout(t.Context(), 2*takeOverTime)
	defer cancel()
	if err := standby.db.WaitFor(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a position of another stream: %v", err)
	}
	checkForeign(t, standby.db.Status())
	var halt *HaltError
	if err := standby.stop(); !errors.As(err, &halt) {
		t.Errorf("the projector ended with %v", err)
	}
	if err := standby.p.Rebuild(t.Context(), Views); !errors.As(err, &halt) || !strings.Contains(err.Error(), "another cluster, with another log, uses the read models") {
		t.Errorf("a rebuild in the tables of a cluster that runs: %v", err)
	}
	if s := active.db.Status(); s.Trouble != nil || s.Position != mine.seq {
		t.Errorf("the cluster to which they belong: %+v", s)
	}
	must(t, active.stop())
	must(t, standby.p.Rebuild(t.Context(), Views))
	waits(t, "the cluster that gave way halts", func() bool { return active.db.Status().Trouble != nil })
	checkForeign(t, active.db.Status())
	if s := standby.db.Status(); s.Trouble != nil || s.Position != other.seq {
		t.Errorf("the one that took them: %+v", s)
	}
}

// When another cluster makes the tables its own, all nodes of this one halt and read nothing more.
func TestTablesThatAnotherClusterTook(t *testing.T) {
	mine := newWorld(t, onPostgres)
	mine.shop()
	active := mine.node()
	waits(t, "the first projects", active.leads)
	standby := mine.node()
	waits(t, "the second follows", func() bool { return standby.db.Status().Position == mine.seq })
	other := mine.sharedBy(t)
	other.shop()
	other.request("r")
	at, _, err := startFrom(t.Context(), mine.writer(), mine.store)
	must(t, err)
	stream, err := other.store.Position(t.Context())
	must(t, err)
	at.StreamCreated = Time{stream.Created}
	_, err = mine.writer().ExecContext(t.Context(), `UPDATE checkpoints SET stream_created = $1`, at.StreamCreated)
	must(t, err)
	for _, n := range []*node{active, standby} {
		waits(t, "it halts", func() bool { return n.db.Status().Trouble != nil })
		checkForeign(t, n.db.Status())
		refusesToRead(t, n.db)
	}
	must(t, standby.p.Rebuild(t.Context(), Views))
	for _, n := range []*node{active, standby} {
		waits(t, "it goes on", func() bool { s := n.db.Status(); return s.Trouble == nil && s.Position == mine.seq })
		if _, err := n.db.Project(t.Context(), "p"); err != nil {
			t.Error(err)
		}
	}
}

// A checkpoint that comes to stand ahead of the stream while all run is noticed by all, nobody believes it, and it stays a
// halt when the stream grows past it. One rebuild ends it everywhere.
func TestAheadWhileRunning(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	active := w.node()
	waits(t, "the first projects", active.leads)
	standby := w.node()
	nodes := []*node{active, standby}
	for _, n := range nodes {
		waits(t, "all follow", func() bool { return n.db.Status().Position == w.seq })
	}
	ahead := w.seq + 2
	_, err := w.writer().ExecContext(t.Context(), `UPDATE checkpoints SET seq = $1`, ahead)
	must(t, err)
	for _, n := range nodes {
		waits(t, "all halt", func() bool { return n.db.Status().Trouble != nil })
		if s := n.db.Status(); s.Position != w.seq || !strings.Contains(s.Trouble.Error(), "the stream ends at 6") {
			t.Errorf("%+v", s)
		}
	}
	for range 3 {
		w.saveModel(2)
	}
	time.Sleep(2 * farTime)
	for _, n := range nodes {
		if s := n.db.Status(); s.Trouble == nil || s.Position >= ahead {
			t.Errorf("when the stream has grown: %+v", s)
		}
	}
	must(t, standby.p.Rebuild(t.Context(), Views))
	for _, n := range nodes {
		waits(t, "all go on", func() bool { s := n.db.Status(); return s.Trouble == nil && s.Position == w.seq })
	}
}

// What another process projects meanwhile is no checkpoint ahead of the stream.
func TestAnOrdinaryAdvanceIsNoHalt(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	active := w.node()
	waits(t, "the first projects", active.leads)
	db := w.another()
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for looks := 0; looks < 200; looks++ {
			if now, halt, err := db.judge(t.Context()); halt != nil || err != nil {
				t.Errorf("at %d: %v, %v", now.Seq, halt, err)
				return
			}
		}
	}()
	for looking := true; looking; {
		w.saveModel(2)
		select {
		case <-looked:
			looking = false
		default:
		}
	}
}
