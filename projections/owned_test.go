package projections

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/proofload/proofload/projections/pgtest"
)

// A rebuild drops no schema that it, or one before it, has not made: it refuses to begin, and says what to do. What another cluster
// in the same database has left of its own rebuild is somebody else's too.
func TestARebuildDropsNothingOfOthers(t *testing.T) {
	for _, schema := range []string{"proofload_rebuild", "proofload_old"} {
		for _, comment := range []string{"", `; COMMENT ON SCHEMA ` + schema + ` IS 'made by a rebuild of the read models of proofload in other, and dropped by the next'`} {
			w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
			w.shop()
			n := w.node()
			waits(t, "it shows all", n.shows(w.seq))
			w.drop(`CREATE SCHEMA ` + schema + `; CREATE TABLE ` + schema + `.mine AS SELECT 1 AS id` + comment)
			p := NewProjector(n.db, w.store, slog.New(slog.DiscardHandler))
			err := p.Rebuild(t.Context(), Views)
			if !errors.As(err, new(*HaltError)) || !strings.Contains(err.Error(), schema) || !strings.Contains(err.Error(), "Drop or rename it") {
				t.Errorf("over %s: %v", schema, err)
			}
			var kept int
			must(t, w.writer().GetContext(t.Context(), &kept, `SELECT count(*) FROM `+schema+`.mine`))
			if s := n.db.Status(); s.Trouble != nil {
				t.Errorf("the live ones: %v", s.Trouble)
			}
			w.drop(`DROP SCHEMA ` + schema + ` CASCADE`)
			must(t, p.Rebuild(t.Context(), Views))
			must(t, p.Rebuild(t.Context(), Views))
		}
	}
}

// The schemas of rebuilds are no place to live in.
func TestSchemasOfRebuildsAreNotLivedIn(t *testing.T) {
	for _, name := range []string{"proofload_old", "proofload_rebuild", "second_old"} {
		if _, err := schemaOf(name); err == nil || !strings.Contains(err.Error(), "for rebuilds") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := schemaOf("old"); err != nil || got != "old" {
		t.Errorf("%q, %v", got, err)
	}
}
