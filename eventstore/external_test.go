package eventstore

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/eventstore/natstest"
)

// connect connects to the server as proofload does.
func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	conn, err := Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func TestContractExternal(t *testing.T) {
	conn := connect(t, natstest.Start(t, natstest.Options{}).URL)
	s, err := Open(t.Context(), conn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.embedded {
		t.Error("a store on a server elsewhere takes it for its own")
	}
	contract(t, s)
}

// A killed server comes back on its folder: the client connects again, and the reader goes on without a gap.
func TestExternalServerRestarts(t *testing.T) {
	p := natstest.Start(t, natstest.Options{})
	s, err := Open(t.Context(), connect(t, p.URL), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := startRead(t, s, 0)
	want := appendChain(t, s, profile("p"), 3)
	got := read(t, r, 3)
	p.Kill()
	if batch, err := r.NextBatch(t.Context(), 10, 50*time.Millisecond); err != nil || len(batch) != 0 {
		t.Errorf("without a server: %v, %v", batch, err)
	}
	if _, err := s.Append(within(t, 50*time.Millisecond), profile("q"), Tail{}, commit(1)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("append without a server: %v", err)
	}
	p.Start(t)
	want = append(want, settle(t, s, profile("q")))
	if diff := cmp.Diff(want, append(got, read(t, r, 1)...)); diff != "" {
		t.Error(diff)
	}
}

// settle finds out what became of commit(1) of a new aggregate, as a command does: load, and append when it is not there.
func settle(t testing.TB, s *Store, agg Aggregate) Record {
	t.Helper()
	ctx := within(t, 20*time.Second)
	for ctx.Err() == nil {
		records, err := s.Load(ctx, agg)
		if err == nil && len(records) > 0 {
			return records[0]
		}
		if err == nil {
			_, err = s.Append(ctx, agg, Tail{}, commit(1))
		}
		if err != nil && !errors.Is(err, ErrRaced) {
			pause(ctx, 50*time.Millisecond)
		}
	}
	t.Fatal("the commit was neither stored nor refused")
	return Record{}
}

func TestOpenRefusesSmallMessages(t *testing.T) {
	conn := connect(t, natstest.Start(t, natstest.Options{Settings: "max_payload: 1048576"}).URL) // the default of nats-server
	if _, err := Open(t.Context(), conn, Options{}); err == nil || !strings.Contains(err.Error(), "max_payload: 8388608") {
		t.Errorf("no advice in: %v", err)
	}
}

// A server without JetStream is not waited for: it gets none by itself.
func TestOpenRefusesAServerWithoutJetStream(t *testing.T) {
	bare, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, MaxPayload: maxPayload, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	bare.Start()
	t.Cleanup(bare.WaitForShutdown)
	t.Cleanup(bare.Shutdown)
	if !bare.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	_, err = Open(t.Context(), connect(t, bare.ClientURL()), Options{})
	if err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "no JetStream") {
		t.Errorf("opened: %v", err)
	}
}
