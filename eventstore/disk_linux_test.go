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
		took, refused := soonest(func() error {
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

// The disk of one node of a cluster fills up while writers go on, also when that node leads: it drops out, the other two
// carry on, and nothing that was acknowledged is lost. With room and a restart it has the same log as the others.
//
// That takes sync_interval: always. Without it nats-server 2.15.3 writes the messages of a replicated stream some
// milliseconds after it acknowledged them. In 2 of 3 runs of this test without it the leader that met the full disk said nothing,
// went on leading and did not know the last commits any more. What the other nodes had then was not looked at.
func TestSoakDiskOfOneNode(t *testing.T) {
	natstest.OnSmallDisk(t, 64<<20, func(disk *natstest.Disk) {
		cluster := natstest.StartClusterOf(t, []natstest.Options{{}, {}, {Dir: disk.Dir, Settings: synced(disk.Dir)}})
		s, small := openCluster(t, cluster.Servers[0]), cluster.Servers[2]
		cluster.StepDown(t, StreamEvents, small)
		disk.Fill(t, 2<<20)
		var stored []Record
		tail, slowest := Tail{}, time.Duration(0)
		for n := range 600 { // of 10 KB
			c := commit(n % 60)
			c.CommandID = fmt.Sprint("command ", n)
			c.Events[0].Data = fmt.Appendf(nil, "%q", fmt.Sprintf("%010000d", n))
			began := time.Now()
			r := insist(t, s, tail, c)
			slowest = max(slowest, time.Since(began))
			stored, tail = append(stored, r), r.Tail()
		}
		t.Logf("the slowest of %d commits was stored after %v", len(stored), slowest.Round(time.Millisecond))
		if cluster.Leader(t, StreamEvents) == small {
			t.Error("the node without room leads still")
		}
		if got := mustLoad(t, s, profile("p")); !slices.Equal(hashes(stored), hashes(got)) {
			t.Errorf("%d commits are there, %d were acknowledged", len(got), len(stored))
		}
		disk.Clear(t)
		small.Kill()
		small.Start(t)
		cluster.WaitReady(t)
		cluster.StepDown(t, StreamEvents, small)
		if got := mustLoad(t, openCluster(t, small), profile("p")); !slices.Equal(hashes(stored), hashes(got)) {
			t.Errorf("the node that came back has %d commits, %d were acknowledged", len(got), len(stored))
		}
	})
}

// synced has a server write each message before it acknowledges it.
func synced(dir string) string {
	return fmt.Sprintf("jetstream { store_dir: %q, max_file_store: 100GB, sync_interval: always }", dir)
}

// insist brings a commit to its end as a command does, whatever the cluster goes through.
func insist(t *testing.T, s *Store, tail Tail, c Commit) Record {
	t.Helper()
	ctx := within(t, time.Minute)
	for ctx.Err() == nil {
		r, err := s.Append(ctx, profile("p"), tail, c)
		if err == nil {
			return r
		}
		if records, err := s.LoadAfter(ctx, profile("p"), tail); err == nil && len(records) == 1 && records[0].CommandID == c.CommandID {
			return records[0]
		}
		pause(ctx, 50*time.Millisecond)
	}
	t.Fatalf("%s was neither stored nor refused", c.CommandID)
	return Record{}
}
