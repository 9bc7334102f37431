package eventstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

func startEmbedded(t *testing.T) *Embedded {
	t.Helper()
	e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func startRestore(t *testing.T, conn *nats.Conn, backup string) *Restore {
	t.Helper()
	r, err := StartRestore(t.Context(), conn, RestoreOptions{Backup: backup})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// writeAll writes all messages of the events and waits for them.
func writeAll(t *testing.T, r *Restore, all []Message) {
	t.Helper()
	for _, m := range all {
		if err := r.Write(t.Context(), StreamEvents, m); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Flush(t.Context(), StreamEvents); err != nil {
		t.Fatal(err)
	}
}

// A log that is restored in two parts, by two processes, is the same; nobody opens it before its end.
func TestRestore(t *testing.T) {
	from := newStore(t)
	appendChain(t, from, profile("a"), 400)
	want := allMessages(t, from, StreamEvents)
	e := startEmbedded(t)
	writeAll(t, startRestore(t, e.Conn(), "b1"), want[:150])
	if _, err := Open(t.Context(), e.Conn(), Options{}); !errors.Is(err, ErrRestoring) || !strings.Contains(err.Error(), "backup b1") {
		t.Errorf("half way: %v", err)
	}
	if _, err := StartRestore(t.Context(), e.Conn(), RestoreOptions{Backup: "b2"}); !errors.Is(err, ErrRestoring) {
		t.Errorf("another backup: %v", err)
	}
	r := startRestore(t, e.Conn(), "b1")
	writeAll(t, r, want)
	if err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, e)
	got := allMessages(t, s, StreamEvents)
	for i := range got {
		got[i].Time = want[i].Time
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := StartRestore(t.Context(), e.Conn(), RestoreOptions{Backup: "b1"}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("once more: %v", err)
	}
	mustAppend(t, s, profile("a"), TailOf(mustLoad(t, s, profile("a"))), 401)
}

// The streams of a log are never touched, nor are some that only look like one.
func TestRestoreRefusesALog(t *testing.T) {
	s, e := startStore(t, t.TempDir())
	if _, err := StartRestore(t.Context(), e.Conn(), RestoreOptions{Backup: "b1"}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("%v", err)
	}
	if err := s.js.DeleteStream(t.Context(), StreamEvents); err != nil {
		t.Fatal(err)
	}
	if _, err := StartRestore(t.Context(), e.Conn(), RestoreOptions{Backup: "b1"}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("blobs only: %v", err)
	}
}

// Somebody who writes to the streams meanwhile is noticed, and a message that does not follow is refused.
func TestRestoreIsAlone(t *testing.T) {
	from := newStore(t)
	appendChain(t, from, profile("a"), 4)
	all := allMessages(t, from, StreamEvents)
	e := startEmbedded(t)
	r := startRestore(t, e.Conn(), "b1")
	writeAll(t, r, all[:2])
	if err := r.Write(t.Context(), StreamEvents, all[3]); err == nil || !strings.Contains(err.Error(), "message 4 is written where 3 belongs") {
		t.Errorf("%v", err)
	}
	for n := range 3 {
		if _, err := r.js.Publish(t.Context(), fmt.Sprint("evt.w1.profile.x", n), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(r.Write(t.Context(), StreamEvents, all[2]), r.Flush(t.Context(), StreamEvents))
	if err == nil || !strings.Contains(err.Error(), "somebody else works on it") {
		t.Errorf("%v", err)
	}
}
