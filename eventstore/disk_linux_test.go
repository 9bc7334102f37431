package eventstore

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/eventstore/natstest"
)

// openEmbedded opens the store on the server, with an eye on the disk.
func openEmbedded(t *testing.T, e *Embedded) *Store {
	t.Helper()
	s, err := Open(t.Context(), e.Conn(), Options{Room: e.Room})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill appends commits of about 10 KB until one is not taken.
func fill(t *testing.T, s *Store, stored []Record) ([]Record, error) {
	t.Helper()
	for range 10_000 {
		c := commit(len(stored) % 60)
		c.Events[0].Data = fmt.Appendf(nil, "%q", fmt.Sprintf("%010000d", len(stored)))
		r, err := s.Append(t.Context(), profile("p"), TailOf(stored), c)
		if err != nil {
			return stored, err
		}
		stored = append(stored, r)
	}
	t.Fatal("the disk is not full after 100 MB")
	return nil, nil
}

// hashes are what can be compared of records.
func hashes(records []Record) []string {
	all := make([]string, len(records))
	for i, r := range records {
		all[i] = r.Hash
	}
	return all
}

// Before the disk is full writes are refused, at once, and again taken as soon as there is room; nothing is lost. Reading
// goes on.
func TestSoakDiskNearlyFull(t *testing.T) {
	natstest.OnSmallDisk(t, reserve+8<<20, func(disk *natstest.Disk) {
		e, err := StartEmbedded(EmbeddedOptions{Dir: disk.Dir})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = e.Close() }()
		s := openEmbedded(t, e)
		stored, err := fill(t, s, nil)
		if !errors.Is(err, ErrFull) || !errors.Is(s.Trouble(), ErrFull) || len(stored) < 500 {
			t.Errorf("after %d commits: %v, %v", len(stored), err, s.Trouble())
		}
		refused, took := tookFor(func() error {
			_, err := s.PutBlob(t.Context(), []byte("x"))
			return err
		})
		if !errors.Is(refused, ErrFull) || took > 100*time.Millisecond {
			t.Errorf("a blob: %v after %v", refused, took)
		}
		if diff := cmp.Diff(hashes(stored), hashes(mustLoad(t, s, profile("p")))); diff != "" {
			t.Error(diff)
		}
		disk.Resize(t, reserve+16<<20)
		if err := s.Trouble(); err != nil {
			t.Error(err)
		}
		more, err := fill(t, s, stored)
		if !errors.Is(err, ErrFull) || len(more) < len(stored)+500 {
			t.Errorf("with more room, after %d commits: %v", len(more), err)
		}
		if got := mustLoad(t, s, profile("p")); !slices.Equal(hashes(more), hashes(got)) {
			t.Errorf("%d commits are there, %d were acknowledged", len(got), len(more))
		}
	})
}

// A disk that others fill is full in the middle of a write. The server then takes nothing any more; what it acknowledged
// is there, can be read, and outlives a restart. Once there is room it takes writes again, by itself.
func TestSoakDiskFilledByOthers(t *testing.T) {
	natstest.OnSmallDisk(t, reserve+16<<20, func(disk *natstest.Disk) {
		e, err := StartEmbedded(EmbeddedOptions{Dir: disk.Dir})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = e.Close() }()
		careless := openStore(t, e) // looks at no disk, as if it had filled up since
		reader := startRead(t, careless, 0)
		disk.Fill(t, 4<<20)
		stored, err := fill(t, careless, nil)
		if !errors.Is(err, ErrUnknownOutcome) || len(stored) < 100 {
			t.Errorf("after %d commits: %v", len(stored), err)
		}
		if got := mustLoad(t, careless, profile("p")); !slices.Equal(hashes(stored), hashes(got)) {
			t.Errorf("%d commits can be read, %d were acknowledged", len(got), len(stored))
		}
		s := openEmbedded(t, e)
		if _, err := s.Append(t.Context(), profile("q"), Tail{}, commit(1)); !errors.Is(err, ErrFull) {
			t.Errorf("with an eye on the disk: %v", err)
		}
		disk.Clear(t)
		began := time.Now()
		r := settle(t, s, profile("q"))
		t.Logf("it took writes again after %v", time.Since(began).Round(time.Millisecond))
		if got := mustLoad(t, s, profile("p")); !slices.Equal(hashes(stored), hashes(got)) {
			t.Errorf("%d commits are there after the trouble, %d were acknowledged", len(got), len(stored))
		}
		want := append(hashes(stored), r.Hash)
		if got := hashes(read(t, reader, len(want))); !slices.Equal(want, got) {
			t.Errorf("the reader goes on with %d commits, want %d", len(got), len(want))
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		again, _ := startStore(t, disk.Dir)
		if got := mustLoad(t, again, profile("p")); !slices.Equal(hashes(stored), hashes(got)) {
			t.Errorf("%d commits are there after a restart, %d were acknowledged", len(got), len(stored))
		}
	})
}
