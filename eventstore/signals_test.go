package eventstore

import (
	"fmt"
	"testing"
	"time"
)

// A signal reaches every listener of its subject that is there, in another connection too, and no stream.
func TestSignals(t *testing.T) {
	s, e := startStore(t, t.TempDir())
	other := openStore(t, e)
	before, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 10)
	listen := func(subject string) (stop func()) {
		stop, err := other.Listen(subject, func(on string, data []byte) { heard <- fmt.Sprintf("%s: %s gives %s", subject, on, data) })
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
	stop := listen("cancel.*")
	defer listen("progress.w.*")()
	tell := func(subject, data string) {
		if err := s.Signal(subject, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(text string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != text {
				t.Errorf("heard %q, want %q", got, text)
			}
		case <-time.After(time.Minute):
			t.Errorf("nobody heard %q", text)
		}
	}
	tell("cancel.r1", "1")
	want("cancel.*: cancel.r1 gives 1")
	stop()
	tell("cancel.r2", "2")
	tell("progress.w.r", "3")
	want("progress.w.*: progress.w.r gives 3")
	if after, err := s.Position(t.Context()); err != nil || after.Last != before.Last {
		t.Errorf("the stream went from %d to %d, %v", before.Last, after.Last, err)
	}
}

func TestLoadAfterReadsWhatFollows(t *testing.T) {
	s := newStore(t)
	agg := profile("p")
	first := mustAppend(t, s, agg, Tail{}, 1)
	second := mustAppend(t, s, agg, first.Tail(), 2)
	records, err := s.LoadAfter(t.Context(), agg, first.Tail())
	if err != nil || len(records) != 1 || records[0].Seq != second.Seq {
		t.Errorf("after the first: %v, %v", records, err)
	}
	if records, err := s.LoadAfter(t.Context(), agg, second.Tail()); err != nil || len(records) != 0 {
		t.Errorf("after the last: %v, %v", records, err)
	}
	if _, err := s.LoadAfter(t.Context(), agg, Tail{Seq: first.Seq, Hash: "other"}); err == nil {
		t.Error("a tail of another stream is taken")
	}
	if last, err := s.FindLast(t.Context(), "profile", "p"); err != nil || last.Seq != second.Seq {
		t.Errorf("the last is %d, %v", last.Seq, err)
	}
}
