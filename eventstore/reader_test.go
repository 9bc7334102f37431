package eventstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read reads n records in batches, and fails the test when for a minute none comes.
func read(t testing.TB, r *Reader, n int) []Record {
	t.Helper()
	var got []Record
	for waited := 0; len(got) < n; waited++ {
		batch, err := r.NextBatch(t.Context(), n-len(got), 200*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, batch...); len(batch) > 0 {
			waited = 0
		}
		if waited == 300 {
			t.Fatalf("%d records of %d", len(got), n)
		}
	}
	return got
}

func startRead(t testing.TB, s *Store, after uint64) *Reader {
	t.Helper()
	r, err := s.Read(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func position(t testing.TB, s *Store) uint64 {
	t.Helper()
	pos, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pos.Last
}

func testRead(t *testing.T, s *Store) {
	start := position(t, s)
	want := append(appendChain(t, s, profile("read-a"), 3), appendChain(t, s, profile("read-b"), 2)...)
	if diff := cmp.Diff(want, read(t, startRead(t, s, start), 5)); diff != "" {
		t.Error(diff)
	}
	r := startRead(t, s, start+4)
	if got, err := r.Next(t.Context()); err != nil || got.Seq != start+5 {
		t.Errorf("after %d came %d, %v", start+4, got.Seq, err)
	}
	if batch, err := r.NextBatch(t.Context(), 10, 20*time.Millisecond); err != nil || len(batch) != 0 {
		t.Errorf("at the end of the stream: %v, %v", batch, err)
	}
	next := mustAppend(t, s, profile("read-c"), Tail{}, 1)
	if diff := cmp.Diff([]Record{next}, read(t, r, 1)); diff != "" {
		t.Error(diff)
	}
}

func TestReadWhileAppending(t *testing.T) {
	s, n := newStore(t), 3000
	r := startRead(t, s, 0)
	go func() {
		var tail Tail
		for i := range n {
			record, err := s.Append(t.Context(), profile("p"), tail, commit(i))
			if err != nil {
				t.Error(err)
				return
			}
			tail = record.Tail()
		}
	}()
	for i, record := range read(t, r, n) {
		if record.Seq != uint64(i+1) {
			t.Fatalf("record %d has sequence %d", i, record.Seq)
		}
	}
}

func TestReadRecreatesConsumer(t *testing.T) {
	s := newStore(t)
	r := startRead(t, s, 0)
	appendChain(t, s, profile("a"), 3)
	read(t, r, 2)
	if err := s.js.DeleteConsumer(t.Context(), StreamEvents, r.source.consumer); err != nil {
		t.Fatal(err)
	}
	appendChain(t, s, profile("b"), 2)
	for i, record := range read(t, r, 3) {
		if want := uint64(i + 3); record.Seq != want {
			t.Errorf("sequence %d, want %d", record.Seq, want)
		}
	}
}

func TestReadAhead(t *testing.T) {
	s := newStore(t)
	appendChain(t, s, profile("a"), 2)
	if _, err := s.Read(t.Context(), 3); !errors.Is(err, ErrAhead) {
		t.Errorf("read behind the end: %v", err)
	}
	startRead(t, s, 2)
}

func TestReadEnds(t *testing.T) {
	s, e := startStore(t, t.TempDir())
	r := startRead(t, s, 0)
	if _, err := r.Next(within(t, 50*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the deadline: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.NextBatch(t.Context(), 1, time.Second); err == nil {
		t.Error("no error after the connection was closed")
	}
}
