package main

import (
	"os"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
)

// outcomesOf are those of a run, from the log.
func outcomesOf(t *testing.T, log *eventstore.Store, runID string) []string {
	t.Helper()
	var all []string
	for _, r := range runRecords(t, log, runID) {
		for _, e := range r.Events {
			if event, err := domain.Decode(e.Name, e.Schema, e.Data); err != nil {
				t.Fatal(err)
			} else if domain.IsOutcome(event) {
				all = append(all, e.Name)
			}
		}
	}
	return all
}

// A worker is stopped in the middle of a run, for longer than the server waits for it, and goes on later: another has taken
// the run up, and the outcome of the late one changes nothing. Meanwhile the consumer moves to other nodes.
func TestSoakPausedWorker(t *testing.T) {
	t.Parallel()
	nats := natstest.StartCluster(t, 3)
	server := program(t, "serve", "--nats", nats.URL(), "--no-engine", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(t))
	server.says("proofload serves")
	s := &killedServer{t: t, url: servesAt.FindString(server.out.text()), token: chosenToken}
	want := undisturbed(t, s.save("", heavyBundle, heavyRate))
	var workers []*daemon
	for range 2 {
		w := &daemon{t: t, binary: ownProgram(t), args: []string{"worker", "--nats", nats.URL()}, env: []string{"GOMAXPROCS=1"}} // one slot: a paused one takes no second run up
		w.start()
		w.says("works as")
		workers = append(workers, w)
	}
	log, follow := followRunsOn(t, nats.URL())
	id, paused := midRun(t, follow, workers, func() string { return s.requestRun(rand64()) })
	first := startsOf(t, log, id)[0].worker
	nats.MoveConsumer(t, eventstore.StreamEvents, "engine-run")
	if got := s.outcome(id); got.Status != "completed" || got.ResultHash != want {
		t.Errorf("run %+v, want it completed with %s", got, want)
	}
	if starts := startsOf(t, log, id); len(starts) != 2 || starts[1].worker == first {
		t.Errorf("the run was taken up by %v", starts)
	}
	paused.goOn()
	paused.says("a late outcome")
	if got := outcomesOf(t, log, id); len(got) != 1 {
		t.Errorf("the run has the outcomes %v", got)
	}
	for _, key := range []string{"next", "one more"} { // both workers work, also on a consumer that moves
		nats.MoveConsumer(t, eventstore.StreamEvents, "engine-run")
		began := time.Now()
		if got := s.outcome(s.requestRun(key)); got.Status != "completed" || got.ResultHash != want {
			t.Errorf("run %+v, want it completed with %s", got, want)
		}
		t.Logf("a run while the consumer moves took %v", time.Since(began).Round(time.Millisecond))
	}
	for _, w := range workers {
		w.stop()
	}
	server.stop()
}

// The only worker is stopped in the middle of a run and goes on later: nobody else was there, and the run has the result of one
// that was not disturbed. In the long form it stands still for longer than a run may take: that is no work.
func TestSoakPausedWorkerAlone(t *testing.T) {
	t.Parallel()
	pause := 6 * time.Second // more than the server waits for it
	if os.Getenv("PROOFLOAD_SOAK") != "" {
		pause = 23 * time.Second // more than the limit of real time
	}
	nats := natstest.Start(t, natstest.Options{})
	server := program(t, "serve", "--nats", nats.URL, "--replicas", "1", "--no-engine", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(t))
	server.says("proofload serves")
	s := &killedServer{t: t, url: servesAt.FindString(server.out.text()), token: chosenToken}
	want := undisturbed(t, s.save("", heavyBundle, heavyRate))
	worker := &daemon{t: t, binary: ownProgram(t), args: []string{"worker", "--nats", nats.URL}, env: []string{"GOMAXPROCS=1"}}
	worker.start()
	worker.says("works as")
	log, follow := followRunsOn(t, nats.URL)
	id, _ := midRun(t, follow, []*daemon{worker}, func() string { return s.requestRun(rand64()) })
	time.Sleep(pause)
	worker.goOn()
	if got := s.outcome(id); got.Status != "completed" || got.ResultHash != want {
		t.Errorf("run %+v, want it completed with %s", got, want)
	}
	if got := outcomesOf(t, log, id); len(got) != 1 {
		t.Errorf("the run has the outcomes %v", got)
	}
	worker.stop()
	server.stop()
}
