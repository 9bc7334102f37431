package eventstore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// startCluster starts nodes servers that form a cluster, each in a process of its own.
func startCluster(t testing.TB, nodes int) []*serverProcess {
	t.Helper()
	routes := make([]string, nodes)
	for i := range routes {
		routes[i] = fmt.Sprintf("127.0.0.1:%d", freePort(t))
	}
	cluster := make([]*serverProcess, nodes)
	for i, listen := range routes {
		cluster[i] = startProcess(t, fmt.Sprintf("max_payload: 8388608\nserver_name: n%d\ncluster { name: test, listen: %q, routes: [%s] }\n",
			i+1, listen, "nats://"+strings.Join(routes, ", nats://")))
	}
	return cluster
}

// openCluster opens the store once the cluster has a leader.
func openCluster(t testing.TB, conn *nats.Conn, replicas int) *Store {
	t.Helper()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	ctx := within(t, 60*time.Second)
	for !answers(ctx, js) {
		if ctx.Err() != nil {
			t.Fatal("no leader")
		}
	}
	s, err := Open(ctx, conn, Options{Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answers asks once: a request to a cluster that has no leader yet gets no answer at all.
func answers(ctx context.Context, js jetstream.JetStream) bool {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, err := js.AccountInfo(ctx)
	return err == nil
}

// On R3 each node is asked for what was appended through another one: no read may be stale.
func TestContractCluster(t *testing.T) {
	cluster := startCluster(t, 3)
	s := openCluster(t, cluster[0].connect(t), 3)
	if got := s.replicas(); got != 3 {
		t.Fatalf("%d replicas", got)
	}
	contract(t, s)
	var others []*Store
	for _, p := range cluster[1:] {
		others = append(others, openCluster(t, p.connect(t), 3))
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
