package main

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// rand64 is a key or a name that nobody had before.
func rand64() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// started is a taking up of a run.
type started struct {
	worker string
	at     time.Time
}

// startsOf are those of a run, from the log.
func startsOf(t *testing.T, log *eventstore.Store, runID string) []started {
	t.Helper()
	var all []started
	for _, r := range runRecords(t, log, runID) {
		for _, e := range r.Events {
			if event, err := domain.Decode(e.Name, e.Schema, e.Data); err != nil {
				t.Fatal(err)
			} else if e, ok := event.(domain.RunStarted); ok {
				all = append(all, started{e.Worker, r.At})
			}
		}
	}
	return all
}

func runRecords(t *testing.T, log *eventstore.Store, runID string) []eventstore.Record {
	t.Helper()
	agg, err := log.Find(t.Context(), domain.AggregateRun, runID)
	if err != nil {
		t.Fatal(err)
	}
	records, err := log.Load(t.Context(), agg)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// One server projects at a time. When it is killed, the other one goes on where it stopped.
func (c *startedCluster) testProjector(t *testing.T) {
	db, err := sql.Open("postgres", c.secret("postgres-dsn"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var active int // those that hold a lock of the session
	const count = `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
		WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted AND datname = current_database()`
	eventually(t, func() bool { return db.QueryRowContext(t.Context(), count).Scan(&active) == nil && active == 1 }, "one projector, not %d", active)
	a, b, _ := c.both(t, demoBundle, 10)
	for n, s := range []*killedServer{a, b} {
		other := []*killedServer{b, a}[n]
		c.api[n].process.kill()
		saved := send(t, other, "POST", "projects", `{"name":"while the other is gone"}`, nil)
		read := send(t, other, "GET", "projects/"+idIn(t, saved)+"?after="+saved.header.Get("Proofload-Position"), "", nil)
		if read.status != http.StatusOK {
			t.Errorf("after a server was killed: %d %s", read.status, read.body)
		}
		c.restart(n)
		s.url = c.api[n].client.url
	}
}

// restart starts a server again.
func (c *startedCluster) restart(n int) {
	a := c.api[n]
	a.process.out.reset()
	a.process.start()
	a.process.says("proofload serves")
	a.client.url = servesAt.FindString(a.process.out.text())
}

// A NATS server that is killed takes nothing with it: the others go on, and it comes back.
func (c *startedCluster) testLeader(t *testing.T) {
	info, err := c.store().JetStream().Stream(t.Context(), eventstore.StreamEvents)
	if err != nil {
		t.Fatal(err)
	}
	leader := info.CachedInfo().Cluster.Leader
	a, b, bundle := c.both(t, demoBundle, 100)
	want := undisturbed(t, bundle)
	c.nats[leader].kill()
	for _, s := range []*killedServer{a, b} {
		var run killedRun
		s.call("POST", s.profile+"/runs", "", map[string]string{"Idempotency-Key": rand64()}, &run)
		if run.Status != "completed" || run.ResultHash != want {
			t.Errorf("without %s: %+v", leader, run)
		}
	}
	c.nats[leader].start()
	eventually(t, func() bool {
		health := strings.Replace("http://"+c.address(leader, "8222")+"/healthz", "0.0.0.0", "127.0.0.1", 1)
		response, err := http.Get(health) //nolint:noctx // a test
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, "%s is back", leader)
}
