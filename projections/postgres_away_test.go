package projections

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/proofload/proofload/projections/pgtest"
)

// Every error of PostgreSQL that is not that of a wrong statement says that it is away, and what to look at. The codes are those
// of its documentation, appendix A.
func TestErrorsOfPostgreSQLByTheirClass(t *testing.T) {
	tables := &postgresTables{}
	for code, look := range map[string]string{
		"53100": "disk is full", "53200": "memory", "53300": "connections are taken", "53400": "no room",
		"25006": "read only", "25P03": "took too long", "28P01": "password", "3D000": "database", "42501": "right",
		"40001": "each other's way", "40P01": "each other's way", "54000": "log says why", "55000": "no connections", "55P03": "locked",
		"57014": "statement_timeout", "57P01": "stopping", "57P03": "starting", "58030": "log says why", "58P01": "log says why",
		"XX000": "log says why", "XX001": "log says why", "F0000": "log says why", "08006": "cannot be reached",
	} {
		err := tables.explain(fmt.Errorf("a batch: %w", &pq.Error{Severity: "FATAL", Code: pqerror.Code(code), Message: "no"}))
		if away := new(*UnreachableError); !errors.As(err, away) || !strings.Contains(err.Error(), look) {
			t.Errorf("%s: %v, want it away with %q", code, err, look)
		}
	}
	for _, code := range []string{"0A000", "21000", "22P02", "23505", "24000", "25001", "25P02", "26000", "34000", "42601", "42804"} {
		if err := tables.explain(&pq.Error{Code: pqerror.Code(code)}); unreadable(err) {
			t.Errorf("%s is ours: %v", code, err)
		}
	}
	for _, code := range []string{"3F000", "42P01", "42703"} {
		if err := tables.explain(&pq.Error{Code: pqerror.Code(code)}); !errors.As(err, new(*HaltError)) {
			t.Errorf("%s is a halt: %v", code, err)
		}
	}
}

// A database that takes no connections is away until it takes them again; then nothing has to be done.
func TestPostgresThatTakesNothingIsAway(t *testing.T) {
	w := newWorld(t, database{"", func(t testing.TB) Options { return Options{Postgres: pgtest.Database(t)} }})
	w.shop()
	n := w.node()
	waits(t, "it shows all", n.shows(w.seq))
	config := w.db.tables.(*postgresTables).config.Clone()
	name := config.Database
	config.Database = "postgres"
	operator := sql.OpenDB(connector{config})
	defer func() { must(t, operator.Close()) }()
	do := func(statement string) {
		_, err := operator.ExecContext(t.Context(), statement)
		must(t, err)
	}
	do(`ALTER DATABASE ` + name + ` ALLOW_CONNECTIONS false`)
	do(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + name + `'`)
	w.request("r")
	waits(t, "the status says so", func() bool {
		trouble := n.db.Status().Trouble
		return errors.As(trouble, new(*UnreachableError)) && strings.Contains(trouble.Error(), "take no connections")
	})
	if _, err := n.db.Profile(t.Context(), "p", "peak"); !errors.As(err, new(*UnreachableError)) {
		t.Errorf("a query: %v", err)
	}
	do(`ALTER DATABASE ` + name + ` ALLOW_CONNECTIONS true`)
	waits(t, "it shows all again", n.shows(w.seq))
}
