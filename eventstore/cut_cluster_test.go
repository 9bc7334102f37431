package eventstore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore/natstest"
)

// eventFolders are the folders of a node with the events, and with what its cluster has agreed on for its streams.
func eventFolders(t *testing.T, node *natstest.Server) []string {
	t.Helper()
	data := filepath.Join(node.Dir, "jetstream")
	agreed, err := filepath.Glob(filepath.Join(data, "$SYS", "_js_", "S-*"))
	if err != nil || len(agreed) != 2 {
		t.Fatalf("%v, %v", agreed, err)
	}
	return append(agreed, filepath.Join(data, "$G", "streams", StreamEvents, "msgs"))
}

// got lets a consumer of the events get the first n commits.
func got(t *testing.T, s *Store, consumer string, n int) {
	t.Helper()
	c, err := s.DurableConsumer(t.Context(), consumer, "evt.>", time.Hour, 100)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		acknowledge(t, fetch(t, c))
	}
}

// All nodes of a cluster come back with an older log. A single server sets its consumers back, the nodes of a cluster do not:
// one that got more than is there tells of the loss, also to who has no mark file.
func TestOpenFindsAClusterThatWasCut(t *testing.T) {
	cluster := natstest.StartCluster(t, 3)
	s := patient(t, cluster.Servers[0])
	chain := appendChain(t, s, profile("p"), 10)
	cluster.Kill()
	older := map[string]string{} // copies, by folder
	for _, node := range cluster.Servers {
		for _, folder := range eventFolders(t, node) {
			older[folder] = t.TempDir()
			if err := os.CopyFS(older[folder], os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cluster.Start(t)
	cluster.WaitReady(t)
	s = patient(t, cluster.Servers[0])
	for tail, n := TailOf(chain), 10; n < 50; n++ {
		tail = mustAppend(t, s, profile("p"), tail, n).Tail()
	}
	for consumer, n := range map[string]int{"a": 5, "engine": 50, "z": 5} {
		got(t, s, consumer, n)
	}
	cluster.Kill()
	for folder, copied := range older {
		if err := errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(copied))); err != nil {
			t.Fatal(err)
		}
	}
	cluster.Start(t)
	cluster.WaitReady(t)
	for _, consumer := range []string{"a", "engine", "z"} { // one that has no leader yet is in no list
		cluster.WaitConsumer(t, StreamEvents, consumer)
	}
	_, err := Open(t.Context(), connect(t, cluster.Servers[0].URL), Options{Replicas: 3})
	var loss *LossError
	if !errors.As(err, &loss) || *loss != (LossError{Stream: StreamEvents, Had: 50, Last: 10}) {
		t.Errorf("%v", err)
	}
}
