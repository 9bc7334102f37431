package eventstore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
)

// testDurable: two handles of one name share the messages of the filter; what is not acknowledged comes again.
func testDurable(t *testing.T, s *Store) {
	durable := func(ackWait time.Duration) jetstream.Consumer {
		c, err := s.DurableConsumer(t.Context(), "engine", "evt.*.run.*", ackWait, 8)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	a, b := durable(time.Hour), durable(time.Hour)
	mustAppend(t, s, profile("not-a-run"), Tail{}, 1)
	want := appendChain(t, s, Aggregate{Workspace: "w1", Type: "run", ID: "r1"}, 2)

	first, second := fetch(t, a), fetch(t, b)
	if diff := cmp.Diff(want, []Record{decoded(t, first), decoded(t, second)}); diff != "" {
		t.Error(diff)
	}
	if err := first.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := fetch(t, durable(100*time.Millisecond))
	if diff := cmp.Diff(want[1], decoded(t, again)); diff != "" {
		t.Error(diff)
	}
	if meta, err := again.Metadata(); err != nil || meta.NumDelivered != 2 {
		t.Errorf("delivered %+v, %v", meta, err)
	}
	if err := again.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func fetch(t testing.TB, c jetstream.Consumer) jetstream.Msg {
	t.Helper()
	msg, err := c.Next(jetstream.FetchMaxWait(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

func decoded(t testing.TB, msg jetstream.Msg) Record {
	t.Helper()
	r, err := DecodeMsg(msg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDurableConsumerConfig(t *testing.T) {
	s := newStore(t)
	c, err := s.DurableConsumer(t.Context(), "engine", "evt.*.run.*", 5*time.Second, 3)
	if err != nil {
		t.Fatal(err)
	}
	got := c.CachedInfo().Config
	if got.AckPolicy != jetstream.AckExplicitPolicy || got.MaxDeliver != -1 || got.AckWait != 5*time.Second || got.MaxAckPending != 3 {
		t.Errorf("%+v", got)
	}
	if _, err := s.DurableConsumer(t.Context(), "a.b", "evt.>", time.Second, 1); err == nil {
		t.Error("a name with a dot")
	}
}
