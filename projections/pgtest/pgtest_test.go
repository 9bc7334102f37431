//go:build unix

package pgtest

import (
	"database/sql"
	"os"
	"testing"
	"time"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func open(tb testing.TB, dsn string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("postgres", dsn)
	must(tb, err)
	tb.Cleanup(func() { _ = db.Close() }) // fails where the server is gone
	return db
}

// What is committed is there after a kill; what runs at the kill gets an error.
func TestServerIsKilledAndStartedAgain(t *testing.T) {
	s := Start(t)
	db := open(t, s.Database(t))
	_, err := db.Exec(`CREATE TABLE kept (n BIGINT); INSERT INTO kept VALUES (7)`)
	must(t, err)
	sleeping := make(chan error)
	go func() {
		_, err := db.Exec(`SELECT pg_sleep(60)`)
		sleeping <- err
	}()
	for running := 0; running == 0; {
		must(t, db.QueryRow(`SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()`).Scan(&running))
	}
	s.Kill(t)
	select {
	case err := <-sleeping:
		if err == nil {
			t.Error("the statement went on")
		}
	case <-time.After(startTime):
		t.Fatal("a process of the server is left")
	}
	if err := db.Ping(); err == nil {
		t.Error("the server answers after the kill")
	}
	for range 2 {
		s.Start(t)
		var n int
		must(t, db.QueryRow(`SELECT n FROM kept`).Scan(&n))
		if n != 7 {
			t.Errorf("kept %d, want 7", n)
		}
		s.Stop(t)
	}
	s.guard.end()
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestDatabasesAreFresh(t *testing.T) {
	for range 2 {
		_, err := open(t, Database(t)).Exec(`CREATE TABLE mine (n BIGINT)`)
		must(t, err)
	}
}

func TestDatabaseOfADSN(t *testing.T) {
	for dsn, want := range map[string]string{
		"host=db user=u":                        "host=db user=u dbname=x",
		"postgres://u:p@db:5432/?sslmode=x":     "postgres://u:p@db:5432/x?sslmode=x",
		"postgresql://u@db/other?search_path=a": "postgresql://u@db/x?search_path=a",
	} {
		if got := inDatabase(dsn, "x"); got != want {
			t.Errorf("%s: %s, want %s", dsn, got, want)
		}
	}
}
