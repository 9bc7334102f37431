package eventstore

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
)

// allMessages reads a stream up to where it stands.
func allMessages(t *testing.T, s *Store, name string) []Message {
	t.Helper()
	state, err := s.State(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	var all []Message
	if err := s.Messages(t.Context(), state, func(m Message) error {
		all = append(all, m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// A message has what was appended, and none of the headers that told the server how to store it.
func TestMessages(t *testing.T) {
	s := newStore(t)
	records := appendChain(t, s, profile("a"), 700) // more than are asked for at a time
	hash, err := s.PutBlob(t.Context(), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	conn := s.js.Conn()
	made, err := conn.SubscribeSync("$JS.EVENT.ADVISORY.CONSUMER.CREATED." + StreamEvents + ".>")
	if err != nil {
		t.Fatal(err)
	}
	all := allMessages(t, s, StreamEvents)
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := made.Pending(); n != 1 || err != nil {
		t.Errorf("%d consumers for one undisturbed reading: %v", n, err)
	}
	if len(all) != len(records) {
		t.Fatalf("%d messages, %d commits", len(all), len(records))
	}
	for i, m := range all {
		r, err := m.Record()
		if err != nil || m.Time.IsZero() {
			t.Fatalf("%+v: %v", m, err)
		}
		if diff := cmp.Diff(records[i], r); diff != "" {
			t.Fatal(diff)
		}
	}
	if diff := cmp.Diff(map[string][]string{"Command-Id": {"cmd-1"}, "Event-Names": {"ProfileSaved"}}, all[0].Header); diff != "" {
		t.Error(diff)
	}
	blobs := allMessages(t, s, StreamBlobs)
	if len(blobs) != 1 || blobs[0].Subject != "blob."+hash || string(blobs[0].Data) != "{}" || blobs[0].Header != nil {
		t.Errorf("%+v", blobs)
	}
}

// A reading ends at the state that it was given, with the error of the one who hears, and when its context does.
func TestMessagesEnd(t *testing.T) {
	s := newStore(t)
	records := appendChain(t, s, profile("a"), 5)
	state, err := s.State(t.Context(), StreamEvents)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, profile("a"), TailOf(records), 6)
	var last uint64
	each := func(m Message) error { last = m.Seq; return nil }
	if err := s.Messages(t.Context(), state, each); err != nil || last != 5 {
		t.Errorf("last %d: %v", last, err)
	}
	full := errors.New("full")
	if err := s.Messages(t.Context(), state, func(Message) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Messages(ctx, state, func(Message) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	state.Created = state.Created.Add(1)
	if err := s.Messages(t.Context(), state, each); !errors.Is(err, ErrOtherStream) {
		t.Errorf("%v", err)
	}
}

// A message that is missing is named.
func TestMessagesWithAGap(t *testing.T) {
	e := startEmbedded(t)
	js, err := jetstream.New(e.Conn())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{StreamEvents, StreamBlobs} {
		stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, AllowDirect: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if _, err := js.Publish(t.Context(), name+".x", []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
		if err := stream.DeleteMsg(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		s := &Store{js: js, events: stream, blobs: stream, embedded: true}
		state, err := s.State(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var gap *GapError
		if err := s.Messages(t.Context(), state, func(Message) error { return nil }); !errors.As(err, &gap) || gap.Stream != name || gap.After != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
