package eventstore

import (
	"errors"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore/natstest"
)

// openOn opens the store on a server in a process of its own.
func openOn(t *testing.T, server *natstest.Server) *Store {
	t.Helper()
	s, err := Open(t.Context(), connect(t, server.URL), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tookFor is how long f took, and its error.
func tookFor(f func() error) (time.Duration, error) {
	began := time.Now()
	err := f()
	return time.Since(began), err
}

// Without a connection nothing is sent, and who asks is told soon: the first after connectWait, the others at once.
func TestWithoutAConnectionTheAnswerComesSoon(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})
	s := openOn(t, server)
	first := mustAppend(t, s, profile("p"), Tail{}, 1)
	add := func() error {
		_, err := s.Append(t.Context(), profile("p"), first.Tail(), commit(2))
		return err
	}
	server.Kill()
	for s.js.Conn().IsConnected() {
		time.Sleep(time.Millisecond)
	}
	if took, err := tookFor(add); !errors.Is(err, ErrUnreachable) || took > connectWait+500*time.Millisecond {
		t.Errorf("the first: %v after %v", err, took)
	}
	for what, ask := range map[string]func() error{
		"append":   add,
		"put":      func() error { _, err := s.PutBlob(t.Context(), []byte("x")); return err },
		"blob":     func() error { _, err := s.Blob(t.Context(), hashOf([]byte("x"))); return err },
		"load":     func() error { _, err := s.Load(t.Context(), profile("p")); return err },
		"last":     func() error { _, err := s.Last(t.Context(), profile("p")); return err },
		"position": func() error { _, err := s.Position(t.Context()); return err },
	} {
		if took, err := tookFor(ask); !errors.Is(err, ErrUnreachable) || took > 100*time.Millisecond {
			t.Errorf("%s: %v after %v", what, err, took)
		}
	}
	if err := s.Trouble(); err != nil {
		t.Errorf("%v: nothing was sent, so nothing failed", err)
	}
	server.Start(t)
	server.WaitReady(t)
	for !s.js.Conn().IsConnected() {
		time.Sleep(time.Millisecond)
	}
	if err := add(); err != nil { // the ones before left nothing behind
		t.Error(err)
	}
}

// A request that got lost is given up after answerWait, although the caller has more time.
func TestAServerThatHangsIsNotWaitedForLong(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})
	s := openOn(t, server)
	server.Pause(t)
	took, err := tookFor(func() error {
		_, err := s.Append(within(t, time.Minute), profile("p"), Tail{}, commit(1))
		return err
	})
	if !errors.Is(err, ErrUnknownOutcome) || took > answerWait+time.Second {
		t.Errorf("%v after %v", err, took)
	}
	for deadline := time.Now().Add(6 * time.Second); s.js.Conn().IsConnected(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody has found out that the server hangs")
		}
	}
	server.Continue(t)
	if r := settle(t, s, profile("p")); r.CommandID != "cmd-1" {
		t.Errorf("%+v", r)
	}
	if got := position(t, s); got != 1 {
		t.Errorf("%d commits are stored, want one", got)
	}
}

// Who waits for an answer when the connection is lost is told at once: it will not come.
func TestALostConnectionEndsTheWaiting(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})
	s := openOn(t, server)
	mustAppend(t, s, profile("q"), Tail{}, 1)
	server.Pause(t)
	type outcome struct {
		err  error
		took time.Duration
	}
	appended, read := make(chan outcome, 1), make(chan outcome, 1)
	go func() {
		took, err := tookFor(func() error {
			_, err := s.Append(t.Context(), profile("p"), Tail{}, commit(1))
			return err
		})
		appended <- outcome{err, took}
	}()
	go func() {
		took, err := tookFor(func() error {
			_, err := s.Last(t.Context(), profile("q"))
			return err
		})
		read <- outcome{err, took}
	}()
	time.Sleep(200 * time.Millisecond)
	server.Kill()
	if got := <-appended; !errors.Is(got.err, ErrUnknownOutcome) || got.took > time.Second {
		t.Errorf("append: %v after %v", got.err, got.took)
	}
	if got := <-read; !errors.Is(got.err, ErrUnreachable) || got.took > time.Second {
		t.Errorf("read: %v after %v", got.err, got.took)
	}
}
