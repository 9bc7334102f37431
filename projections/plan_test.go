package projections

import (
	"strings"
	"testing"
)

// listsOfRuns are their queries, by the index and the columns of it that each walks.
var listsOfRuns = map[string]string{
	"runs_by_project (project_id=? AND deleted=? AND seq<?)":                  `WHERE project_id = 'p' AND deleted = FALSE AND seq < 3000 ORDER BY seq DESC LIMIT 3`,
	"runs_by_status (project_id=? AND deleted=? AND status=? AND seq<?)":      `WHERE project_id = 'p' AND deleted = FALSE AND seq < 3000 AND status = 'completed' ORDER BY seq DESC LIMIT 3`,
	"runs_by_outdated (project_id=? AND deleted=? AND outdated=? AND seq<?)":  `WHERE project_id = 'p' AND deleted = FALSE AND seq < 3000 AND outdated = TRUE ORDER BY seq DESC LIMIT 3`,
	"runs_by_profile (profile_id=? AND deleted=? AND status=? AND evicted=?)": `WHERE profile_id = '9' AND deleted = FALSE AND status = 'completed' AND evicted = FALSE ORDER BY ended_seq DESC`,
}

// The lists of runs walk an index in their order: the last page of a long list costs what the first one does, and what
// was deleted is not walked.
func TestListsOfRunsWalkAnIndex(t *testing.T) {
	w := newWorld(t, onPostgres)
	w.shop()
	w.request("r")
	w.projectSome(100)
	for _, statement := range []string{ // PostgreSQL plans by what is in the table
		`INSERT INTO runs SELECT (jsonb_populate_record(r, jsonb_build_object('id', n::text, 'seq', n, 'status', CASE n % 9 WHEN 0 THEN 'completed' ELSE 'failed' END,
			'outdated', n % 9 = 0, 'evicted', n % 90 <> 0, 'profile_id', (n % 99)::text))).* FROM runs r, generate_series(100, 5000) n WHERE r.id = 'r'`,
		`ANALYZE runs`,
	} {
		_, err := w.writer().ExecContext(t.Context(), statement)
		must(t, err)
	}
	tx, err := w.writer().BeginTxx(t.Context(), nil)
	must(t, err)
	defer func() { must(t, tx.Rollback()) }()
	_, err = tx.ExecContext(t.Context(), `SET enable_bitmapscan = off; SET enable_sort = off`)
	must(t, err)
	for index, query := range listsOfRuns {
		var plan []string
		must(t, tx.SelectContext(t.Context(), &plan, `EXPLAIN (COSTS OFF) `+selectRun+query))
		text := strings.Join(plan, "\n")
		name, columns, _ := strings.Cut(index, " ")
		if !strings.Contains(text, "using "+name) || strings.Contains(text, "Sort") || strings.Contains(text, "Filter") {
			t.Errorf("%s: want the index %s %s, no sorting and nothing left to filter:\n%s", query, name, columns, text)
		}
	}
}

func TestListsOfRunsWalkAnIndexOfSQLite(t *testing.T) {
	w := newWorld(t, onSQLite)
	for index, query := range listsOfRuns {
		var plan []struct {
			ID, Parent, NotUsed int
			Detail              string
		}
		must(t, w.db.tables.(*sqliteTables).live.readers.SelectContext(t.Context(), &plan, `EXPLAIN QUERY PLAN `+selectRun+query))
		if len(plan) != 1 || !strings.Contains(plan[0].Detail, "USING INDEX "+index) {
			t.Errorf("%s: %+v, want the index %s and no sorting", query, plan, index)
		}
	}
}
