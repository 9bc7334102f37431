package eventstore

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// Of several ends that are asked for at once, each counts.
func TestEndsOfSeveralAggregates(t *testing.T) {
	s := newStore(t)
	var ends []End
	for _, id := range []string{"a", "b", "c"} {
		ends = append(ends, End{profile(id), TailOf(appendChain(t, s, profile(id), 2))})
	}
	if ended, err := s.EndAt(t.Context(), ends...); !ended || err != nil {
		t.Errorf("three ends: %v, %v", ended, err)
	}
	for i := range ends {
		newer := mustAppend(t, s, ends[i].Aggregate, ends[i].Tail, 3)
		if ended, err := s.EndAt(t.Context(), ends...); ended || err != nil {
			t.Errorf("one has a commit after the end that is known of %s: %v, %v", ends[i].ID, ended, err)
		}
		ends[i].Tail = newer.Tail()
	}
	if ended, err := s.EndAt(t.Context(), ends[0], End{Aggregate: profile("none")}); ended || err != nil {
		t.Errorf("nothing is known of one: %v, %v", ended, err)
	}
	if ended, err := s.EndAt(t.Context(), ends[0], End{profile("un.safe"), ends[0].Tail}); ended || err == nil {
		t.Errorf("an unsafe name: %v, %v", ended, err)
	}
}

// Callers at the same time have their own answers, and no more inboxes are kept than there are places for.
func TestEndsForManyCallers(t *testing.T) {
	s := newStore(t)
	still := End{profile("still"), TailOf(appendChain(t, s, profile("still"), 2))}
	moved := End{profile("moved"), appendChain(t, s, profile("moved"), 2)[0].Tail()}
	before := s.js.Conn().NumSubscriptions()
	var callers sync.WaitGroup
	for i := range 4 * maxInboxes {
		callers.Go(func() {
			for range 20 {
				ends := []End{still, still}
				if i%2 == 1 {
					ends[i/2%2] = moved
				}
				if ended, err := s.EndAt(t.Context(), ends...); err != nil || ended != (i%2 == 0) {
					t.Errorf("%v: %v, %v", ends, ended, err)
				}
			}
		})
	}
	callers.Wait()
	if more := s.js.Conn().NumSubscriptions() - before; more > maxInboxes {
		t.Errorf("%d inboxes are kept, at most %d should be", more, maxInboxes)
	}
}

// An inbox for which an answer may still come is not used again.
func TestEndsAfterACallerGaveUp(t *testing.T) {
	s := newStore(t)
	end := End{profile("p"), TailOf(appendChain(t, s, profile("p"), 2))}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	before := s.js.Conn().NumSubscriptions()
	for range 100 {
		if ended, err := s.EndAt(gone, end, end); err != nil && !errors.Is(err, context.Canceled) || err == nil && !ended {
			t.Fatalf("of a caller that is gone: %v, %v", ended, err)
		}
		in, err := s.inbox()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.js.Conn().Flush(); err != nil { // what is on its way has come
			t.Fatal(err)
		}
		if len(in.answers) > 0 {
			t.Fatal("an inbox has an answer to another caller's question")
		}
		s.release(in)
	}
	if more := s.js.Conn().NumSubscriptions() - before; more > 1 {
		t.Errorf("%d inboxes are kept for callers of whom only one was there at a time", more)
	}
}

// Without a server, and on a connection that is closed, nobody knows an end.
func TestEndsWithoutServer(t *testing.T) {
	s, e := startStore(t, t.TempDir())
	end := End{profile("p"), TailOf(appendChain(t, s, profile("p"), 2))}
	if err := e.server.DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	if ended, err := s.EndAt(t.Context(), end); ended || err != nil && !errors.Is(err, ErrUnreachable) {
		t.Errorf("without JetStream: %v, %v", ended, err)
	}
	e.server.Shutdown()
	e.server.WaitForShutdown()
	if ended, err := s.EndAt(t.Context(), end); ended || !errors.Is(err, ErrUnreachable) {
		t.Errorf("without a server: %v, %v", ended, err)
	}
	e.conn.Close()
	if ended, err := s.EndAt(t.Context(), end); ended || !errors.Is(err, ErrUnreachable) {
		t.Errorf("on a closed connection: %v, %v", ended, err)
	}
}
