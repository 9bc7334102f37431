package eventstore

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// laxStore is a store on a stream that lets its messages be deleted, as a bad disk or a bad restore might.
func laxStore(t *testing.T) *Store {
	t.Helper()
	e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	js, err := jetstream.New(e.Conn())
	if err != nil {
		t.Fatal(err)
	}
	return &Store{js: js, events: laxStream(t, js)}
}

func laxStream(t *testing.T, js jetstream.JetStream) jetstream.Stream {
	t.Helper()
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: StreamEvents, Subjects: []string{"evt.>"}, AllowDirect: true})
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func TestLoadFindsMissingCommit(t *testing.T) {
	for _, lost := range []int{0, 1} { // the last one of an aggregate has nobody to miss it
		s := laxStore(t)
		records := appendChain(t, s, profile("p"), 3)
		if err := s.events.DeleteMsg(t.Context(), records[lost].Seq); err != nil {
			t.Fatal(err)
		}
		_, err := s.Load(t.Context(), profile("p"))
		var broken *ChainError
		if !errors.Is(err, ErrDamaged) || !errors.As(err, &broken) {
			t.Fatalf("without commit %d: %v", lost+1, err)
		}
		if want := (ChainError{Subject: "evt.w1.profile.p", Prev: uint64(lost), Seq: uint64(lost + 2)}); *broken != want {
			t.Errorf("%+v, want %+v", *broken, want)
		}
	}
}

func TestLoadFindsForgedCommit(t *testing.T) {
	s := newStore(t)
	first := mustAppend(t, s, profile("p"), Tail{}, 1)
	forged := Tail{Seq: first.Seq, Hash: hashOf([]byte("another first commit"))}
	mustAppend(t, s, profile("p"), forged, 2)
	_, err := s.Load(t.Context(), profile("p"))
	var broken *ChainError
	if !errors.As(err, &broken) || broken.Prev != 1 || broken.Seq != 2 {
		t.Errorf("a commit that follows another past: %v", err)
	}
}

func TestReadFindsGap(t *testing.T) {
	s := laxStore(t)
	appendChain(t, s, profile("p"), 4)
	if err := s.events.DeleteMsg(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	r := startRead(t, s, 0)
	read(t, r, 2)
	_, err := r.Next(within(t, time.Minute))
	var gap *GapError
	if !errors.As(err, &gap) || *gap != (GapError{After: 2, Got: 4}) {
		t.Errorf("%v", err)
	}
}

func TestReadStopsAtPoison(t *testing.T) {
	s := newStore(t)
	appendChain(t, s, profile("p"), 2)
	if _, err := s.js.Publish(t.Context(), "evt.w1.profile.q", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	appendChain(t, s, profile("r"), 1)
	r := startRead(t, s, 0)
	read(t, r, 2)
	for range 2 { // it does not step over it
		if _, err := r.Next(within(t, time.Minute)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v", err)
		}
	}
}

func TestReadFindsOtherStream(t *testing.T) {
	s := laxStore(t)
	appendChain(t, s, profile("p"), 2)
	r := startRead(t, s, 0)
	read(t, r, 2)
	if err := s.js.DeleteStream(t.Context(), StreamEvents); err != nil {
		t.Fatal(err)
	}
	s.events = laxStream(t, s.js)
	appendChain(t, s, profile("p"), 5)
	if _, err := r.Next(within(t, time.Minute)); !errors.Is(err, ErrOtherStream) {
		t.Errorf("%v", err)
	}
}
