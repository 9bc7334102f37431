package eventstore

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
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
	acknowledge(t, first)
	again := fetch(t, durable(100*time.Millisecond))
	if diff := cmp.Diff(want[1], decoded(t, again)); diff != "" {
		t.Error(diff)
	}
	if meta, err := again.Metadata(); err != nil || meta.NumDelivered != 2 {
		t.Errorf("delivered %+v, %v", meta, err)
	}
	acknowledge(t, again)
}

// fetch and acknowledge ask again where nobody answers: on a cluster not all servers know of a new consumer at once.
func fetch(t testing.TB, c jetstream.Consumer) (msg jetstream.Msg) {
	t.Helper()
	answered(t, func() (err error) { msg, err = c.Next(jetstream.FetchMaxWait(time.Minute)); return err })
	return msg
}

func acknowledge(t testing.TB, msg jetstream.Msg) {
	t.Helper()
	answered(t, func() error { return msg.DoubleAck(t.Context()) })
}

func answered(t testing.TB, ask func() error) {
	t.Helper()
	err := ask()
	for began := time.Now(); errors.Is(err, nats.ErrNoResponders) && time.Since(began) < time.Minute; err = ask() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
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
