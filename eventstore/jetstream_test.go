package eventstore

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract is what the store promises on every server: embedded, alone, a cluster.
func contract(t *testing.T, s *Store) {
	t.Run("append and load", func(t *testing.T) { testAppendLoad(t, s) })
	t.Run("guard", func(t *testing.T) { testGuard(t, s) })
	t.Run("race", func(t *testing.T) { testRace(t, s) })
	t.Run("read", func(t *testing.T) { testRead(t, s) })
	t.Run("find", func(t *testing.T) { testFind(t, s) })
}

func TestContractEmbedded(t *testing.T) { contract(t, newStore(t)) }

func testAppendLoad(t *testing.T, s *Store) {
	appended := appendChain(t, s, profile("loaded"), 3)
	if diff := cmp.Diff(appended, mustLoad(t, s, profile("loaded"))); diff != "" {
		t.Error(diff)
	}
	last, err := s.Last(t.Context(), profile("loaded"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(appended[2], last); diff != "" {
		t.Error(diff)
	}
	if got := mustLoad(t, s, profile("none")); len(got) != 0 {
		t.Errorf("an aggregate without commits has %d", len(got))
	}
	if _, err := s.Last(t.Context(), profile("none")); !errors.Is(err, ErrNoAggregate) {
		t.Errorf("Last of nothing: %v", err)
	}
}

func testGuard(t *testing.T, s *Store) {
	agg := profile("guarded")
	records := appendChain(t, s, agg, 2)
	for _, stale := range []Tail{{}, records[0].Tail(), {Seq: records[1].Seq + 1}} {
		if _, err := s.Append(t.Context(), agg, stale, commit(9)); !errors.Is(err, ErrRaced) {
			t.Errorf("append after %d: %v", stale.Seq, err)
		}
	}
	if got := mustLoad(t, s, agg); len(got) != 2 {
		t.Errorf("%d commits, want 2", len(got))
	}
}

func testRace(t *testing.T, s *Store) {
	const writers = 50
	agg := profile("raced")
	first := mustAppend(t, s, agg, Tail{}, 1)
	results := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() { _, results[i] = s.Append(t.Context(), agg, first.Tail(), commit(i)) })
	}
	wg.Wait()
	won := 0
	for i, err := range results {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, ErrRaced):
			t.Errorf("writer %d: %v", i, err)
		}
	}
	if got := mustLoad(t, s, agg); won != 1 || len(got) != 2 {
		t.Errorf("%d of %d writers won, the log holds %d commits after the first", won, writers, len(got)-1)
	}
}

func testFind(t *testing.T, s *Store) {
	want := Aggregate{Workspace: "w7", Type: "project", ID: "found"}
	mustAppend(t, s, want, Tail{}, 1)
	got, err := s.Find(t.Context(), "project", "found")
	if err != nil || got != want {
		t.Errorf("found %v, %v", got, err)
	}
	if _, err := s.Find(t.Context(), "project", "other"); !errors.Is(err, ErrNoAggregate) {
		t.Errorf("found what is not there: %v", err)
	}
}
