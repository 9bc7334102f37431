package eventstore

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	s.answers = time.Minute
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
	lost(t, s)
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
	ctx := within(t, time.Minute)
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

// A server or an account without JetStream is not waited for: it gets none by itself. It is told from a cluster that has
// no leader yet.
func TestNoJetStream(t *testing.T) {
	without := natstest.Start(t, natstest.Options{Settings: "jetstream: disabled"})
	member := natstest.Start(t, natstest.Options{Settings: `jetstream: disabled, cluster { name: test, listen: "127.0.0.1:-1" }`})
	accounts := natstest.Start(t, natstest.Options{Settings: "accounts { A { users: [{user: a, password: a}] }, B { jetstream: enabled, users: [{user: b, password: b}] } }"})
	as := func(user string) string {
		return strings.Replace(accounts.URL, "nats://", "nats://"+user+":"+user+"@", 1)
	}
	alone := natstest.StartCluster(t, 3)
	alone.Kill()
	alone.Servers[0].Start(t)
	alone.Servers[0].Connect(t)
	for _, c := range []struct {
		name, url, want string
		passes          bool
	}{
		{"a server", without.URL, "that NATS has no JetStream", false},
		{"one of a cluster", member.URL, "that NATS has no JetStream", false},
		{"an account", as("a"), "the account of that NATS has no JetStream", false},
		{"another account", as("b"), "", false},
		{"one of three", alone.Servers[0].URL, "", true},
	} {
		conn := connect(t, c.url)
		_, restored := StartRestore(t.Context(), conn, RestoreOptions{Backup: "b"})
		_, opened := Open(t.Context(), conn, Options{})
		for what, err := range map[string]error{"opened": opened, "restored": restored} {
			if errors.Is(err, ErrUnreachable) != c.passes || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s: %v", c.name, what, err)
			}
		}
	}
}
