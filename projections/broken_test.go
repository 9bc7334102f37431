package projections

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// checkHalt makes sure that an error is a halt that says how to get rid of the damaged file.
func (w *world) checkHalt(err error) {
	w.t.Helper()
	var halt *HaltError
	if !errors.As(err, &halt) {
		w.t.Fatalf("%v, want a halt", err)
	}
	for _, says := range []string{"stop the server", "delete " + w.path, w.path + "-wal", "made again from the log"} {
		if !strings.Contains(err.Error(), says) {
			w.t.Errorf("%q does not say %q", err, says)
		}
	}
}

// damage overwrites the first page of a table in the file, which nothing has open.
func (w *world) damage(table string) {
	w.t.Helper()
	var page, size int64
	must(w.t, w.writer().GetContext(w.t.Context(), &page, `SELECT rootpage FROM sqlite_schema WHERE name = ?`, table))
	must(w.t, w.writer().GetContext(w.t.Context(), &size, `PRAGMA page_size`))
	must(w.t, w.db.Close())
	file, err := os.OpenFile(w.path, os.O_WRONLY, 0)
	must(w.t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("x", int(size))), (page-1)*size)
	must(w.t, errors.Join(err, file.Close()))
}

func TestAFileThatIsNoDatabase(t *testing.T) {
	w := newWorld(t, onSQLite)
	must(t, w.db.Close())
	must(t, remove(w.path))
	must(t, os.WriteFile(w.path, []byte(strings.Repeat("no database ", 1000)), 0o600))
	_, err := Open(t.Context(), Options{Path: w.path})
	w.checkHalt(err)
}

func TestADamagedTableHaltsTheProjector(t *testing.T) {
	w := newWorld(t, onSQLite)
	w.shop()
	w.projectSome(100)
	w.damage("checkpoints")
	w.open()
	w.checkHalt(w.halted())
	w.checkHalt(w.db.Status().Trouble)
	w.rebuildAndGoOn()
}

// A reader may come upon the damage long before the projector, which goes on writing elsewhere.
func TestADamagedTableIsToldByItsReaders(t *testing.T) {
	w := newWorld(t, onSQLite)
	w.shop()
	w.projectSome(100)
	w.damage("members")
	w.open()
	_, stop := w.project()
	w.caughtUp()
	_, err := w.db.Member(t.Context(), "ann")
	w.checkHalt(err)
	w.saveModel(2)
	w.caughtUp()
	w.checkHalt(w.db.Status().Trouble)
	must(t, stop())
	w.rebuildAndGoOn()
	if trouble := w.db.Status().Trouble; trouble != nil {
		t.Errorf("after the rebuild: %v", trouble)
	}
	if m, err := w.db.Member(t.Context(), "ann"); err != nil || m.Name != "Ann" {
		t.Errorf("%+v, %v", m, err)
	}
}
