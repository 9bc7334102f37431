package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

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
	eventually(t, func() bool { return db.QueryRowContext(t.Context(), count).Scan(&active) == nil && active == 1 }, "there is one projector")
	a, b, _ := c.both(t, demoBundle, 10)
	for n, s := range []*killedServer{a, b} {
		other := []*killedServer{b, a}[n]
		c.api[n].process.kill()
		saved := send(t, other, "POST", "projects", `{"name":"while the other is gone"}`, nil)
		path := "projects/" + idIn(t, saved) + "?after=" + saved.header.Get("Proofload-Position")
		eventually(t, func() bool { return send(t, other, "GET", path, "", nil).status == http.StatusOK }, "after a server was killed the other one shows %s", path)
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
	http.DefaultClient.CloseIdleConnections() // those of the process before it
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
	c.startAgain(leader)
}

// startAgain starts a NATS server and waits until it has caught up.
func (c *startedCluster) startAgain(name string) {
	c.nats[name].start()
	client := &http.Client{Timeout: time.Second}
	eventually(c.t, func() bool {
		response, err := client.Get("http://" + c.address(name, "8222") + "/healthz")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, "%s is back", name)
}

// Everything is stopped and started again, one process after another, as in an upgrade. Each command finds a server that does
// it, once. The NATS servers are in turn with PROOFLOAD_SOAK only; they take their time.
func (c *startedCluster) testRolling(t *testing.T) {
	var urls [2]atomic.Pointer[string]
	for n := range urls {
		urls[n].Store(&c.api[n].client.url)
	}
	ctx, stop := context.WithCancel(t.Context())
	var made []string
	var done atomic.Int64
	goesOn := func() {
		before := done.Load()
		eventually(t, func() bool { return done.Load() > before || ctx.Err() != nil }, "commands are done")
	}
	var group errgroup.Group
	group.Go(func() error {
		for ctx.Err() == nil {
			id, err := createSomewhere(t.Context(), *c.at(t, 0), &urls)
			if err != nil {
				stop()
				return err
			}
			made = append(made, id)
			done.Add(1)
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	for _, w := range c.workers {
		goesOn()
		w.stop()
		w.out.reset()
		w.start()
		w.says("works as")
	}
	for n := range c.api {
		goesOn()
		c.api[n].process.stop()
		c.restart(n)
		urls[n].Store(new(c.api[n].client.url))
	}
	if os.Getenv("PROOFLOAD_SOAK") != "" {
		for name, d := range c.nats {
			goesOn()
			_ = d.cmd.Process.Signal(os.Interrupt)
			<-d.ended
			c.startAgain(name)
		}
	}
	goesOn()
	stop()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	last := send(t, c.at(t, 0), "POST", "projects", `{"name":"the last"}`, nil).header.Get("Proofload-Position")
	began := time.Now()
	for n := range c.api { // a reader of the log may still wait for a NATS server that went away
		eventually(t, func() bool { return send(t, c.at(t, n), "GET", "session?after="+last, "", nil).status == http.StatusOK }, "position %s is shown", last)
	}
	t.Logf("%d commands, shown after %v", len(made), time.Since(began))
	names := map[string]bool{}
	for _, id := range made {
		read := send(t, c.at(t, len(names)%2), "GET", "projects/"+id, "", nil)
		if names[id] || read.status != http.StatusOK {
			t.Errorf("project %s: twice is %v, %d %s", id, names[id], read.status, read.body)
		}
		names[id] = true
	}
}

// createSomewhere creates a project at one of the servers, as behind a proxy that asks another one when one is gone.
func createSomewhere(ctx context.Context, s killedServer, urls *[2]atomic.Pointer[string]) (id string, err error) {
	key := map[string]string{"Idempotency-Key": rand64()}
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		for n := range urls {
			s.url = *urls[n].Load()
			status, data, failed := s.once("POST", "projects", `{"name":"meanwhile"}`, key)
			if failed == nil && status == http.StatusCreated {
				var made struct {
					ID string `json:"id"`
				}
				err := json.Unmarshal(data, &made)
				return made.ID, err
			}
			if err = failed; err == nil && status < 500 {
				return "", fmt.Errorf("%d %s", status, data)
			}
		}
	}
	return "", errors.Join(errors.New("no server creates a project"), err, ctx.Err())
}
