//go:build unix

package pgtest

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// shared is the one server of this process for the tests that do not disturb it. It does not sync: nobody kills it.
var shared = sync.OnceValues(func() (*Server, error) {
	return newServer("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
})

// made counts the databases of this process.
var made atomic.Int64

// Database makes a fresh database on a server that the tests of this process share, or on that of PROOFLOAD_TEST_POSTGRES,
// and gives its DSN. It is dropped with the test.
func Database(tb testing.TB) string {
	tb.Helper()
	dsn := os.Getenv("PROOFLOAD_TEST_POSTGRES")
	if dsn == "" {
		s, err := shared()
		if err != nil {
			tb.Fatal(err)
		}
		return databaseOn(tb, s.DSN(), true)
	}
	return databaseOn(tb, dsn, true)
}

// Schema gives the DSN of a database that the tests of this process share, with a search_path of its own. That is much
// faster than Database. Nobody makes the schema; it and those whose names begin as it does are dropped with the test.
func Schema(tb testing.TB) string {
	tb.Helper()
	dsn := os.Getenv("PROOFLOAD_TEST_POSTGRES")
	if dsn == "" {
		s, err := shared()
		if err != nil {
			tb.Fatal(err)
		}
		dsn = s.DSN()
	}
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), made.Add(1))
	tb.Cleanup(func() {
		for _, schema := range []string{name, name + "_rebuild", name + "_old"} {
			runOn(tb, dsn, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		}
	})
	return withSearchPath(dsn, name)
}

// Database makes a fresh database on this server and gives its DSN. It goes away with the server.
func (s *Server) Database(tb testing.TB) string {
	tb.Helper()
	return databaseOn(tb, s.DSN(), false)
}

func databaseOn(tb testing.TB, dsn string, drop bool) string {
	tb.Helper()
	name := fmt.Sprintf("proofload_test_%d_%d", os.Getpid(), made.Add(1))
	runOn(tb, dsn, "CREATE DATABASE "+name)
	if drop {
		tb.Cleanup(func() { runOn(tb, dsn, "DROP DATABASE "+name+" WITH (FORCE)") })
	}
	return inDatabase(dsn, name)
}

func runOn(tb testing.TB, dsn, statement string) {
	tb.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement); err != nil {
		tb.Errorf("%s: %v", statement, err)
	}
}

// withSearchPath is a DSN, in either form, with a search_path.
func withSearchPath(dsn, path string) string {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" {
		q := u.Query()
		q.Set("search_path", path)
		u.RawQuery = q.Encode()
		return u.String()
	}
	return dsn + " search_path=" + path
}

// inDatabase is a DSN, in either form, with another database.
func inDatabase(dsn, name string) string {
	if u, err := url.Parse(dsn); err == nil && u.Scheme != "" {
		u.Path = "/" + name
		return u.String()
	}
	return dsn + " dbname=" + name
}
