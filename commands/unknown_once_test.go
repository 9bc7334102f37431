package commands

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
)

// A command whose only append got no answer, and which could not look what became of it, has an unknown outcome: it may be
// stored, so nobody is told that it was not carried out.
func TestOneAppendWithoutAnAnswerIsAnUnknownOutcome(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})
	conn, err := nats.Connect(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	store, err := eventstore.Open(t.Context(), conn, eventstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := New(store, time.Now)
	appended := false
	for end := time.Now().Add(time.Minute); !appended && time.Now().Before(end); { // a busy machine may not get as far as the decision
		_, err = handle(t.Context(), c, Meta{CommandID: NewCommandID()}, instance(), func(domain.Instance) ([]domain.Event, error) {
			if !appended {
				server.Pause(t)
			}
			appended = true
			return []domain.Event{domain.MemberCreated{MemberID: "ann", Name: "Ann"}}, nil
		})
	}
	server.Continue(t)
	if !errors.Is(err, domain.ErrUnknownOutcome) {
		t.Errorf("%v, want an unknown outcome", err)
	}
}

// A log that took nothing when it was last written to is not writable, although it can be read.
func TestALogThatTookNothingIsNotWritable(t *testing.T) {
	w := newWorld(t)
	if err := w.Writable(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream, err := w.store.JetStream().Stream(t.Context(), eventstore.StreamEvents)
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	config.MaxBytes = 1
	if _, err := w.store.JetStream().UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	_, err = w.CreateProject(t.Context(), CreateProject{Meta: w.meta("more"), WorkspaceID: w.WorkspaceID, Name: "More"})
	if !errors.Is(err, domain.ErrStoreFull) {
		t.Fatal(err)
	}
	if err := w.Writable(t.Context()); !errors.Is(err, domain.ErrStoreFull) {
		t.Errorf("%v, want that it is full", err)
	}
}
