package eventstore

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/eventstore/natstest"
)

// openCluster opens the store, with replicas on three nodes, over a connection to the server.
func openCluster(t testing.TB, server *natstest.Server) *Store {
	t.Helper()
	s, err := Open(t.Context(), connect(t, server.URL), Options{Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	natstest.WaitTakes(t, s.js, "evt.w.type.id", "blob.hash")
	return s
}

// patient opens the store on a cluster that answers always, however long that takes a busy machine.
func patient(t testing.TB, server *natstest.Server) *Store {
	t.Helper()
	s := openCluster(t, server)
	s.answers = time.Minute
	return s
}

// On R3 each node is asked for what was appended through another one: no read may be stale.
func TestContractCluster(t *testing.T) {
	nodes := natstest.StartCluster(t, 3).Servers
	s := patient(t, nodes[0])
	if got := s.replicas(); got != 3 {
		t.Fatalf("%d replicas", got)
	}
	contract(t, s)
	var others []*Store
	for _, node := range nodes[1:] {
		others = append(others, patient(t, node))
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

// A leader that has not caught up yet shows an end before the mark: no loss, unless it stays so.
func TestALeaderThatLagsHasLostNothing(t *testing.T) {
	nodes := natstest.StartCluster(t, 3).Servers
	s := patient(t, nodes[0])
	tail := mustAppend(t, s, profile("p"), Tail{}, 1).Tail()
	at, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mark")
	data, err := json.Marshal(map[string]mark{StreamEvents: {Created: at.Created, Last: at.Last + 1}})
	if err := errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, nodes[1].URL)
	if _, err := Open(t.Context(), conn, Options{Replicas: 3, MarkFile: path}); !errors.Is(err, ErrAhead) {
		t.Errorf("an end that stays before the mark: %v", err)
	}
	asked := make(chan *nats.Msg, 100)
	if _, err := conn.ChanSubscribe("$JS.API.STREAM.INFO."+StreamEvents, asked); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := Open(t.Context(), conn, Options{Replicas: 3, MarkFile: path})
		opened <- err
	}()
	for range 3 { // to open the stream, to see that its end is before the mark, and once more
		select {
		case <-asked:
		case err := <-opened:
			t.Fatalf("it did not wait: %v", err)
		}
	}
	mustAppend(t, s, profile("p"), tail, 2)
	if err := <-opened; err != nil {
		t.Errorf("an end that comes later: %v", err)
	}
}

// Too few servers may become enough; a stream with too few replicas, or a server without a cluster, do not change by themselves.
func TestOpenWithTooFewServers(t *testing.T) {
	cluster := natstest.StartCluster(t, 3)
	conn := connect(t, cluster.Servers[0].URL)
	if _, err := Open(t.Context(), conn, Options{Replicas: 5}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("5 replicas on 3 servers: %v", err)
	}
	if _, err := Open(t.Context(), conn, Options{Existing: true}); !errors.Is(err, ErrNoStreams) {
		t.Errorf("without streams: %v", err)
	}
	alone := connect(t, natstest.Start(t, natstest.Options{}).URL)
	for name, open := range map[string]func() error{
		"a server without a cluster": func() error { _, err := Open(t.Context(), alone, Options{Replicas: 3}); return err },
		"streams with one replica": func() error {
			_, err := Open(t.Context(), conn, Options{Replicas: 1})
			if err == nil {
				_, err = Open(t.Context(), conn, Options{Replicas: 3})
			}
			return err
		},
	} {
		var replicas *ReplicasError
		if err := open(); !errors.As(err, &replicas) || replicas.Have != 1 || replicas.Want != 3 || errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.Context(), conn, Options{Existing: true}); err != nil {
		t.Errorf("with streams: %v", err)
	}
}
