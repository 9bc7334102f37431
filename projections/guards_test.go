package projections

import (
	"errors"
	"log/slog"
	"testing"
	"time"
)

// A batch of a projector does not begin while a rebuild switches: it would name tables that are no longer those it began with.
func TestABatchWaitsForTheSwitch(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	l, err := w.db.tables.lead(t.Context(), func() error { return nil })
	must(t, err)
	defer l.leave()
	f, err := w.another().tables.beside(t.Context())
	must(t, err)
	must(t, f.hold(t.Context()))
	began := make(chan error, 1)
	go func() {
		tx, err := l.writer().BeginTxx(t.Context(), nil)
		if err == nil {
			err = tx.Rollback()
		}
		began <- err
	}()
	waits(t, "the batch waits for a lock", func() bool {
		select {
		case <-began:
			t.Fatal("the batch has begun while a rebuild switches")
		default:
		}
		var waiting int
		must(t, w.writer().GetContext(t.Context(), &waiting, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND ((classid::bigint << 32) | objid::bigint) = $1`, w.db.tables.(*postgresTables).key("switch")))
		return waiting == 1
	})
	must(t, f.leave())
	select {
	case err := <-began:
		must(t, err)
	case <-time.After(patience):
		t.Error("it still waits when the rebuild has ended")
	}
}

// A projector with nothing to write finds out that the checkpoint is no longer the one that it wrote, or is gone.
func TestAnIdleProjectorLooksAtTheCheckpoint(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.projectSome(3)
		p := NewProjector(w.db, w.store, slog.New(slog.DiscardHandler))
		l, err := w.db.tables.lead(t.Context(), func() error { return nil })
		must(t, err)
		defer l.leave()
		at, err := p.start(t.Context(), l)
		must(t, err)
		must(t, p.idle(t.Context(), l, at))
		for _, change := range []string{`UPDATE checkpoints SET seq = 2`, `UPDATE checkpoints SET seq = 3, schema_version = 1`, `DELETE FROM checkpoints`} {
			w.drop(change)
			if err := p.idle(t.Context(), l, at); !errors.Is(err, errOvertaken) {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

// A batch of one stream is not written into tables that show another one at the same position.
func TestCheckpointGuardsTheStream(t *testing.T) {
	onEach(t, func(t *testing.T, on database) {
		w := newWorld(t, on)
		w.shop()
		w.projectSome(3)
		at, _, err := startFrom(t.Context(), w.writer(), w.store)
		must(t, err)
		other := Time{at.StreamCreated.Add(time.Second)}
		_, err = w.writer().ExecContext(t.Context(), w.writer().Rebind(`UPDATE checkpoints SET stream_created = ?`), other)
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
