package projections

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jmoiron/sqlx"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// history is a project with everything that makes rows, some of it twice.
func (w *world) history() {
	w.shop()
	for i := range 25 {
		id := fmt.Sprintf("r%02d", i)
		w.request(id)
		w.append(domain.AggregateRun, id, domain.RunStarted{RunID: id, Worker: "w"})
		switch i % 4 {
		case 0:
			w.append(domain.AggregateRun, id, domain.RunRefused{RunID: id, Type: "stress-refused"})
		case 3:
			w.saveModel(2 + i/4)
		default:
			w.complete(id)
		}
	}
	w.saveProfile("peak", 2)
	w.saveScenario(2)
	w.deletions()
}

// deletions make a draft, objectives, and delete a run, a scenario and a profile with its runs.
func (w *world) deletions() {
	w.openBranch("draft1", domain.BranchDraft)
	w.append(domain.AggregateScenario, "s", domain.ObjectivesSaved{ProjectID: "p", ScenarioID: "s", Version: 1, Blob: blob("o1")})
	w.saveProfile("gone", 1)
	w.append(domain.AggregateProject, "p", domain.ProfileAdmitted{ProfileID: "gone"})
	w.requestOf("gone", "g1")
	w.complete("g1")
	w.append(domain.AggregateProject, "p", domain.ProfileRemoved{ProfileID: "gone"})
	w.append(domain.AggregateProfile, "gone", domain.ProfileDeleted{ProjectID: "p", ProfileID: "gone"})
	w.append(domain.AggregateRun, "r01", domain.RunDeleted{RunID: "r01"})
	w.append(domain.AggregateScenario, "s", domain.ScenarioDeleted{ProjectID: "p", ScenarioID: "s"})
}

// dump gives all rows of all tables.
func dump(t *testing.T, db *DB) map[string][]string {
	t.Helper()
	names := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%goose%' AND name NOT LIKE 'sqlite%'`
	if _, ok := db.tables.(*postgresTables); ok {
		names = `SELECT tablename FROM pg_tables WHERE schemaname = CURRENT_SCHEMA AND tablename NOT LIKE '%goose%'`
	}
	tables, err := list[string](t.Context(), db, names)
	must(t, err)
	rows := map[string][]string{}
	for _, table := range tables {
		rows[table] = dumpTable(t, db, table)
	}
	return rows
}

func dumpTable(t *testing.T, db *DB, table string) []string {
	t.Helper()
	rows := []string{}
	must(t, db.tables.query(t.Context(), func(ctx context.Context, pool *sqlx.DB) error {
		found, err := pool.QueryxContext(ctx, `SELECT * FROM `+table)
		must(t, err)
		defer func() { must(t, found.Close()) }()
		for found.Next() {
			values, err := found.SliceScan()
			must(t, err)
			rows = append(rows, fmt.Sprint(values...))
		}
		return found.Err()
	}))
	slices.Sort(rows)
	return rows
}

func TestRebuiltEqualsLive(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		p, _ := w.project()
		w.history() // projected while it is appended, in small batches
		w.caughtUp()
		live := dump(t, w.db)
		if len(live["objectives"]) != 1 || len(live["runs"]) != 26 || len(live["model_versions"]) != 8 {
			t.Fatalf("%d tables, %d runs, %d models", len(live), len(live["runs"]), len(live["model_versions"]))
		}
		must(t, p.Rebuild(t.Context(), Views))
		if diff := cmp.Diff(live, dump(t, w.db)); diff != "" {
			t.Error(diff)
		}
		w.request("later") // the projector goes on with the new tables
		w.caughtUp()
		if _, err := w.db.Run(t.Context(), "p", "later"); err != nil {
			t.Error(err)
		}
	})
}

// A rebuild while commits come in loses none and shows none twice.
func TestRebuildWhileTheStreamGrows(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		p, _ := w.project()
		w.shop()
		rebuilt := make(chan error)
		go func() { rebuilt <- p.Rebuild(t.Context(), Views) }()
		for i := range 100 {
			w.request(fmt.Sprint("r", i))
			w.caughtUp()
			if _, err := w.db.Run(t.Context(), "p", fmt.Sprint("r", i)); err != nil {
				t.Fatalf("after waiting for it: %v", err)
			}
		}
		must(t, <-rebuilt)
		live := dump(t, w.db)
		must(t, p.Rebuild(t.Context(), Views))
		if diff := cmp.Diff(live, dump(t, w.db)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRebuildOfAnUnknownProjection(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		p, _ := w.project()
		if err := p.Rebuild(t.Context(), "nothing"); !errors.Is(err, domain.ErrNotFound) {
			t.Error(err)
		}
	})
}

// Rows come from the events alone, however they are cut into batches and wherever a process ended.
func TestRestartsMakeNoDifference(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.history()
		for seq := uint64(0); seq < w.seq; { // a projector that ends after each batch of 7
			seq = w.projectSome(7)
		}
		pieces := dump(t, w.db)
		whole := newWorld(t, on)
		whole.history()
		_, _ = whole.project()
		whole.caughtUp()
		delete(pieces, "checkpoints") // the streams were created at different times
		rows := dump(t, whole.db)
		delete(rows, "checkpoints")
		if diff := cmp.Diff(rows, pieces); diff != "" {
			t.Error(diff)
		}
	})
}

// projectSome projects at most n commits as a new process would, and returns the checkpoint.
func (w *world) projectSome(n int) uint64 {
	w.t.Helper()
	at, _, err := startFrom(w.t.Context(), w.writer(), w.store)
	must(w.t, err)
	reader, err := w.store.Read(w.t.Context(), at.Seq)
	must(w.t, err)
	defer reader.Close()
	records, err := reader.NextBatch(w.t.Context(), n, patience)
	must(w.t, err)
	at, _, err = commit(w.t.Context(), w.writer(), at, records)
	must(w.t, err)
	return at.Seq
}

func TestTwoProjectorsCountNothingTwice(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		stale, _, err := startFrom(t.Context(), w.writer(), w.store)
		must(t, err)
		w.projectSome(3)
		before := dump(t, w.db)
		reader, err := w.store.Read(t.Context(), 0)
		must(t, err)
		defer reader.Close()
		records, err := reader.NextBatch(t.Context(), 2, patience)
		must(t, err)
		if _, _, err := commit(t.Context(), w.writer(), stale, records); !errors.Is(err, errOvertaken) {
			t.Errorf("%v, want overtaken", err)
		}
		if diff := cmp.Diff(before, dump(t, w.db)); diff != "" {
			t.Error("a lost race left rows:", diff)
		}
	})
}

func TestHalts(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		tests := []struct {
			name, column string
			value        any
			says         string
		}{
			{"ahead of the stream", "seq", 99, "show position 99, the stream ends at 6"},
			{"another stream", "stream_created", 1_000_000, "show the stream EVT of 1970-01-01T00:00:01Z"},
			{"another schema", "schema_version", 0, "have schema 0, this program writes 2"},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				w := newWorld(t, on)
				w.shop()
				w.projectSome(100)
				_, err := w.writer().ExecContext(t.Context(), w.writer().Rebind(`UPDATE checkpoints SET `+test.column+` = ?`), test.value)
				must(t, err)
				err = w.halted()
				var halt *HaltError
				if !errors.As(err, &halt) {
					t.Fatalf("%v, want a halt", err)
				}
				for _, says := range []string{test.says, "proofload projections rebuild"} {
					if !strings.Contains(err.Error(), says) {
						t.Errorf("%q does not say %q", err, says)
					}
				}
				if !errors.Is(w.db.Status().Trouble, err) {
					t.Errorf("the status shows %v", w.db.Status().Trouble)
				}
				w.rebuildAndGoOn()
			})
		}
	})
}

// rebuildAndGoOn does what the error of a halt says.
func (w *world) rebuildAndGoOn() {
	w.t.Helper()
	must(w.t, NewProjector(w.db, w.store, slog.New(slog.DiscardHandler)).Rebuild(w.t.Context(), ""))
	if at := w.db.Status(); at.Trouble != nil || at.Position != w.seq {
		w.t.Errorf("straight after the rebuild the status is at %d with %v, not at %d", at.Position, at.Trouble, w.seq)
	}
	_, _ = w.project()
	w.caughtUp()
	if _, err := w.db.Profile(w.t.Context(), "p", "peak"); err != nil {
		w.t.Error(err)
	}
}

func TestPoisonHaltsAndNothingAfterItIsShown(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		good := w.seq
		w.appendRaw(domain.AggregateProject, "bad", eventstore.Event{Name: "ProjectCreated", Schema: 1, Data: []byte(`{"projectId":7}`)})
		w.append(domain.AggregateProject, "q", domain.ProjectCreated{ProjectID: "q", WorkspaceID: "ws", Name: "Q"})
		err := w.halted()
		if err == nil || !strings.Contains(err.Error(), "record 7 (evt.ws.project.bad) has an event 1 (ProjectCreated, schema 1)") {
			t.Errorf("%v", err)
		}
		if _, err := w.db.Profile(t.Context(), "p", "peak"); err != nil || w.db.Status().Position != good {
			t.Errorf("before the poison: %v, at %d", err, w.db.Status().Position)
		}
		if _, err := w.db.Project(t.Context(), "q"); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("the project after the poison: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if err := w.db.WaitFor(ctx, good+1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for the poison: %v", err)
		}
	})
}

func TestUnknownEventsAreSkippedAndCounted(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.appendRaw("sweep", "x", eventstore.Event{Name: "SweepRequested", Schema: 1, Data: []byte(`{}`)},
			eventstore.Event{Name: "SweepStarted", Schema: 1, Data: []byte(`{}`)})
		_, _ = w.project()
		w.caughtUp()
		skipped, err := get[int](t.Context(), w.db, `SELECT skipped FROM checkpoints`)
		must(t, err)
		if skipped != 2 {
			t.Errorf("%d skipped, want 2", skipped)
		}
	})
}
