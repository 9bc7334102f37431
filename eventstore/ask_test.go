package eventstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

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

// soonest is the shortest of several times that f took, and its last error: on a busy machine one of them may take long, but
// not each of them.
func soonest(f func() error) (least time.Duration, err error) {
	least = time.Hour
	for n := 0; n == 0 || n < 20 && least > 100*time.Millisecond; n++ {
		var took time.Duration
		took, err = tookFor(f)
		least = min(least, took)
	}
	return least, err
}

// lost waits until the store has noticed that its connection is lost.
func lost(t testing.TB, s *Store) {
	t.Helper()
	for waiting := within(t, time.Minute); s.js.Conn().IsConnected(); pause(waiting, time.Millisecond) {
		if waiting.Err() != nil {
			t.Fatal("nobody has found out that the connection is lost")
		}
	}
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
	lost(t, s)
	if took, err := tookFor(add); !errors.Is(err, ErrUnreachable) || took < connectWait || took > 20*connectWait { // the machine may be busy
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
		if took, err := soonest(ask); !errors.Is(err, ErrUnreachable) || took > 100*time.Millisecond {
			t.Errorf("%s: %v after %v", what, err, took)
		}
	}
	if err := s.Trouble(); err != nil {
		t.Errorf("%v: nothing was sent, so nothing failed", err)
	}
	server.Start(t)
	server.WaitReady(t)
	for waiting := within(t, time.Minute); !s.js.Conn().IsConnected() && waiting.Err() == nil; {
		pause(waiting, time.Millisecond)
	}
	if err := add(); err != nil { // the ones before left nothing behind
		t.Error(err)
	}
}

// A request that got lost is given up after answerWait, although the caller has more time and the connection is there.
func TestAServerThatHangsIsNotWaitedForLong(t *testing.T) {
	server := natstest.Start(t, natstest.Options{})
	conn, err := Connect(server.URL, nats.PingInterval(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	unaware, err := Open(t.Context(), conn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := openOn(t, server)
	server.Pause(t)
	ctx := within(t, 10*time.Minute)
	_, err = unaware.Append(ctx, profile("p"), Tail{}, commit(1))
	if !errors.Is(err, ErrUnknownOutcome) || !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || !conn.IsConnected() {
		t.Errorf("%v; connected: %v", err, conn.IsConnected())
	}
	lost(t, s) // by its pings
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
	sent := s.js.Conn().Stats().OutMsgs
	appended, read := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Append(t.Context(), profile("p"), Tail{}, commit(1))
		appended <- err
	}()
	go func() {
		_, err := s.Last(t.Context(), profile("q"))
		read <- err
	}()
	for waiting := within(t, time.Minute); s.js.Conn().Stats().OutMsgs < sent+2 && waiting.Err() == nil; {
		pause(waiting, time.Millisecond)
	}
	server.Kill()
	if err := <-appended; !errors.Is(err, ErrUnknownOutcome) || !errors.Is(err, context.Canceled) { // at answerWait it is DeadlineExceeded
		t.Errorf("append: %v", err)
	}
	if err := <-read; !errors.Is(err, ErrUnreachable) || !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}
