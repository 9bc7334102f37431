package eventstore

import (
	"testing"

	"github.com/proofload/proofload/eventstore/natstest"
)

// openCluster opens the store, with replicas on three nodes, over a connection to the server.
func openCluster(t testing.TB, server *natstest.Server) *Store {
	t.Helper()
	s, err := Open(t.Context(), connect(t, server.URL), Options{Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// On R3 each node is asked for what was appended through another one: no read may be stale.
func TestContractCluster(t *testing.T) {
	nodes := natstest.StartCluster(t, 3).Servers
	s := openCluster(t, nodes[0])
	if got := s.replicas(); got != 3 {
		t.Fatalf("%d replicas", got)
	}
	contract(t, s)
	var others []*Store
	for _, node := range nodes[1:] {
		others = append(others, openCluster(t, node))
	}
	var tail Tail
	for n := range 200 {
		r := mustAppend(t, s, profile("fresh"), tail, n)
		tail = r.Tail()
		last, err := others[n%2].Last(t.Context(), profile("fresh"))
		if err != nil || last.Tail() != tail {
			t.Fatalf("after %d: last is %d, %v", tail.Seq, last.Seq, err)
		}
	}
}
