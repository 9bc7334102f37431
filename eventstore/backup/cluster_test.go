package backup

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
)

// logOn is the log on a server that runs elsewhere.
func logOn(t *testing.T, urls string, replicas int) *log {
	t.Helper()
	conn, err := eventstore.Connect(urls)
	must(t, err)
	t.Cleanup(conn.Close)
	store, err := eventstore.Open(t.Context(), conn, eventstore.Options{Replicas: replicas, Existing: true})
	must(t, err)
	natstest.WaitTakes(t, store.JetStream(), "evt.w.type.id", "blob.hash")
	return &log{t: t, store: store}
}

// A log moves from one process to a cluster, while nodes of it are killed and its leaders change, and back: it is the same.
func TestMoveToAClusterAndBack(t *testing.T) {
	alone := newLog(t)
	alone.fill(1500)
	want := alone.messages()
	b, err := Write(t.Context(), in(t.TempDir(), "b"), FromStore(alone.store), someOptions)
	must(t, err)
	cluster := natstest.StartCluster(t, 3)
	conn, err := eventstore.Connect(cluster.URL())
	must(t, err)
	defer conn.Close()
	again := make(chan struct{})
	disturb := sync.OnceFunc(func() { // in the middle, however quick the machine is
		cluster.StepDown(t, eventstore.StreamEvents, nil)
		killed := cluster.Leader(t, eventstore.StreamEvents)
		killed.Kill()
		go func() {
			defer close(again)
			time.Sleep(200 * time.Millisecond)
			killed.Start(t)
		}()
	})
	must(t, b.Restore(t.Context(), conn, 3, func(_ string, done, _ uint64) {
		if done == 500 {
			disturb()
		}
	}))
	<-again
	cluster.WaitReady(t)
	on := logOn(t, cluster.URL(), 3)
	if diff := cmp.Diff(want, on.messages()); diff != "" {
		t.Errorf("on the cluster: %.2000s", diff)
	}
	if err := b.Restore(t.Context(), conn, 3, nil); !errors.Is(err, eventstore.ErrNotEmpty) {
		t.Errorf("restored once more: %v", err)
	}
	last, err := on.store.Last(t.Context(), profile("a"))
	must(t, err)
	on.save("a", last.Tail(), "{}")
	back, err := Write(t.Context(), in(t.TempDir(), "back"), FromStore(on.store), someOptions)
	must(t, err)
	home := in(t.TempDir(), "home")
	must(t, back.RestoreFolder(t.Context(), home, nil))
	if diff := cmp.Diff(on.messages(), openLog(t, home).messages()); diff != "" {
		t.Errorf("back: %.2000s", diff)
	}
}

// A restore whose connection ends is not a log, and goes on where it was.
func TestRestoreGoesOnAfterALostConnection(t *testing.T) {
	alone := newLog(t)
	alone.fill(1000)
	b, err := Write(t.Context(), in(t.TempDir(), "b"), FromStore(alone.store), someOptions)
	must(t, err)
	server := natstest.Start(t, natstest.Options{})
	conn, err := eventstore.Connect(server.URL)
	must(t, err)
	if err := b.Restore(t.Context(), conn, 1, func(_ string, done, _ uint64) {
		if done == 1200 {
			conn.Close()
		}
	}); err == nil {
		t.Fatal("restored without a connection")
	}
	conn, err = eventstore.Connect(server.URL)
	must(t, err)
	defer conn.Close()
	if _, err := eventstore.Open(t.Context(), conn, eventstore.Options{}); !errors.Is(err, eventstore.ErrRestoring) {
		t.Errorf("half way: %v", err)
	}
	must(t, b.Restore(t.Context(), conn, 1, nil))
	if diff := cmp.Diff(alone.messages(), logOn(t, server.URL, 1).messages()); diff != "" {
		t.Errorf("%.2000s", diff)
	}
}

// A server that is killed while its log is copied, and started again, costs time and nothing else.
func TestBackupGoesOnAfterAnOutage(t *testing.T) {
	alone := newLog(t)
	alone.fill(1000)
	b, err := Write(t.Context(), in(t.TempDir(), "b"), FromStore(alone.store), someOptions)
	must(t, err)
	server := natstest.Start(t, natstest.Options{})
	conn, err := eventstore.Connect(server.URL)
	must(t, err)
	defer conn.Close()
	outage, again := outageAt(t, server, 1200)
	must(t, b.Restore(t.Context(), conn, 1, outage))
	<-again
	o := someOptions
	o.Progress, again = outageAt(t, server, 1200)
	copied, err := Write(t.Context(), in(t.TempDir(), "copied"), FromStore(logOn(t, server.URL, 1).store), o)
	must(t, err)
	<-again
	if copied.Streams[0].Digest != b.Streams[0].Digest || copied.Streams[1].Digest != b.Streams[1].Digest {
		t.Errorf("%+v, want %+v", copied.Streams, b.Streams)
	}
}

// outageAt kills a server at a message and starts it a second later; again is closed then.
func outageAt(t *testing.T, server *natstest.Server, at uint64) (outage Progress, again chan struct{}) {
	again = make(chan struct{})
	once := sync.OnceFunc(func() {
		server.Kill()
		go func() {
			defer close(again)
			time.Sleep(time.Second)
			server.Start(t)
		}()
	})
	return func(_ string, done, _ uint64) {
		if done == at {
			once()
		}
	}, again
}
