package eventstore

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/eventstore/natstest"
)

// While 8 writers over 3 nodes race on 3 aggregates, leaders step down and one node at a time is killed, comes back and
// catches up: no commit that was acknowledged is lost, no two follow the same one, and all nodes have the same log.
// Two rounds of faults, or as many as PROOFLOAD_SOAK has time for.
func TestSoakChainsOnThreeNodes(t *testing.T) {
	cluster := natstest.StartCluster(t, 3)
	end := time.Now().Add(soak(t))
	steps, kills := 0, 0
	var c chains
	c.stress(t, cluster.Servers, 3, func() {
		for round := 0; round < 2 || time.Now().Before(end); round++ {
			time.Sleep(rand.N(time.Second))
			cluster.StepDown(t, StreamEvents, nil)
			steps++
			time.Sleep(rand.N(time.Second))
			victim := cluster.Servers[rand.IntN(3)]
			if round%2 == 0 {
				victim = cluster.Leader(t, StreamEvents)
			}
			victim.Kill()
			kills++
			time.Sleep(rand.N(time.Second))
			cluster.Start(t)
			cluster.WaitReady(t)
		}
	})
	t.Logf("%d leaders stepped down, %d nodes were killed", steps, kills)
	var first []string
	for n, node := range cluster.Servers {
		cluster.StepDown(t, StreamEvents, node) // then this node answers
		seen := c.check(t, openCluster(t, node))
		if n == 0 {
			first = seen
		}
		if diff := cmp.Diff(first, seen); diff != "" {
			t.Errorf("%s has another log than %s: %s", node.Name, cluster.Servers[0].Name, diff)
		}
	}
}

// The same on one server, which is killed and started again.
func TestSoakChainsOnOneServer(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})
	end := time.Now().Add(soak(t))
	kills := 0
	var c chains
	c.stress(t, []*natstest.Server{server}, 1, func() {
		for ; kills < 3 || time.Now().Before(end); kills++ {
			time.Sleep(rand.N(time.Second))
			server.Kill()
			time.Sleep(rand.N(300 * time.Millisecond))
			server.Start(t)
			server.WaitReady(t)
		}
	})
	t.Logf("%d kills", kills)
	s, err := Open(t.Context(), connect(t, server.URL), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.check(t, s)
}
