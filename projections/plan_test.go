package projections

import (
	"strings"
	"testing"
)

// The lists of runs walk an index in their order: the last page of a long list costs what the first one does, and what
// was deleted is not walked.
func TestListsOfRunsWalkAnIndex(t *testing.T) {
	w := newWorld(t, onSQLite)
	for index, query := range map[string]string{
		"runs_by_project (project_id=? AND deleted=? AND seq<?)":                  `WHERE project_id = 'p' AND deleted = FALSE AND seq < 9 ORDER BY seq DESC LIMIT 3`,
		"runs_by_status (project_id=? AND deleted=? AND status=? AND seq<?)":      `WHERE project_id = 'p' AND deleted = FALSE AND seq < 9 AND status = 'completed' ORDER BY seq DESC LIMIT 3`,
		"runs_by_outdated (project_id=? AND deleted=? AND outdated=? AND seq<?)":  `WHERE project_id = 'p' AND deleted = FALSE AND seq < 9 AND outdated = TRUE ORDER BY seq DESC LIMIT 3`,
		"runs_by_profile (profile_id=? AND deleted=? AND status=? AND evicted=?)": `WHERE profile_id = 'f' AND deleted = FALSE AND status = 'completed' AND evicted = FALSE ORDER BY ended_seq DESC`,
	} {
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
