package eventstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/eventstore/natstest"
)

func TestStreams(t *testing.T) {
	s := newStore(t)
	for name, stream := range map[string]jetstream.Stream{StreamEvents: s.events, StreamBlobs: s.blobs} {
		got := stream.CachedInfo().Config
		if got.Name != name || !got.DenyDelete || !got.DenyPurge || !got.AllowDirect || got.MaxBytes <= 0 ||
			got.Discard != jetstream.DiscardNew || got.Retention != jetstream.LimitsPolicy || got.Storage != jetstream.FileStorage || got.MaxAge != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	appendChain(t, s, profile("p"), 1)
	if err := s.events.DeleteMsg(t.Context(), 1); err == nil {
		t.Error("a commit was deleted")
	}
	if err := s.events.Purge(t.Context()); err == nil {
		t.Error("the stream was purged")
	}
}

// Open takes its own streams again, whatever their limit, and refuses those that could lose something.
func TestOpenChecksStreams(t *testing.T) {
	for name, change := range map[string]func(*jetstream.StreamConfig){
		"subjects":         func(c *jetstream.StreamConfig) { c.Subjects = []string{"evt.*"} },
		"age":              func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"messages":         func(c *jetstream.StreamConfig) { c.MaxMsgs = 1 },
		"messages per one": func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 },
		"discard":          func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"memory":           func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"retention":        func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy },
		"delete":           func(c *jetstream.StreamConfig) { c.DenyDelete = false },
		"purge":            func(c *jetstream.StreamConfig) { c.DenyPurge = false },
		"":                 func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			js, err := jetstream.New(e.Conn())
			if err != nil {
				t.Fatal(err)
			}
			cfg := streamConfig(StreamEvents, "evt.>", maxEventBytes, 1)
			change(&cfg)
			if _, err := js.CreateStream(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), e.Conn(), Options{}); (err == nil) != (name == "") {
				t.Errorf("open: %v", err)
			}
		})
	}
}

func TestCheckReplicas(t *testing.T) {
	one, three := streamConfig("EVT", "evt.>", 1, 1), streamConfig("EVT", "evt.>", 1, 3)
	if err := checkStream(one, three); err == nil {
		t.Error("one replica passes for three")
	}
	if err := checkStream(three, one); err != nil {
		t.Errorf("three replicas where one would do: %v", err)
	}
	stale := three
	stale.AllowDirect = true
	if err := checkStream(stale, three); err == nil {
		t.Error("replicas that lag would answer")
	}
}

// Many processes may start at once on a new cluster.
func TestOpenAtOnce(t *testing.T) {
	e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	done := make(chan error)
	for range 8 {
		go func() {
			_, err := Open(t.Context(), e.Conn(), Options{})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestOpenWithoutRoom(t *testing.T) {
	dir := t.TempDir()
	settings := fmt.Sprintf("jetstream { store_dir: %q, max_file_store: 1GB }", dir)
	conn := connect(t, natstest.Start(t, natstest.Options{Settings: settings}).URL)
	if _, err := Open(t.Context(), conn, Options{}); err == nil || !strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("no advice in: %v", err)
	}
}
