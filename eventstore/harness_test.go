package eventstore

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// startStore opens a store on an embedded server in the folder; both end with the test.
func startStore(t testing.TB, dir string) (*Store, *Embedded) {
	t.Helper()
	e, err := StartEmbedded(EmbeddedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return openStore(t, e), e
}

func openStore(t testing.TB, e *Embedded) *Store {
	t.Helper()
	s, err := Open(t.Context(), e.Conn(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newStore is a store on a fresh embedded server.
func newStore(t testing.TB) *Store {
	t.Helper()
	s, _ := startStore(t, t.TempDir())
	return s
}

// profile names the aggregate of a profile in workspace w1.
func profile(id string) Aggregate { return Aggregate{Workspace: "w1", Type: "profile", ID: id} }

// commit is a commit of one event that carries the number n.
func commit(n int) Commit {
	return Commit{
		CommandID:     fmt.Sprintf("cmd-%d", n),
		BodyHash:      "b0d1",
		Member:        "admin",
		At:            time.Date(2026, 11, 29, 12, 0, n, 0, time.UTC),
		CorrelationID: "cor",
		CausationID:   "cau",
		Events:        []Event{{Name: "ProfileSaved", Schema: 1, Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))}},
	}
}

// mustAppend appends commit(n) after the tail.
func mustAppend(t testing.TB, s *Store, agg Aggregate, after Tail, n int) Record {
	t.Helper()
	r, err := s.Append(t.Context(), agg, after, commit(n))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// appendChain appends commits 1 to n to the aggregate, which must be new.
func appendChain(t testing.TB, s *Store, agg Aggregate, n int) []Record {
	t.Helper()
	var records []Record
	for i := range n {
		records = append(records, mustAppend(t, s, agg, TailOf(records), i+1))
	}
	return records
}

// mustLoad loads the aggregate.
func mustLoad(t testing.TB, s *Store, agg Aggregate) []Record {
	t.Helper()
	records, err := s.Load(t.Context(), agg)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// within is a context that ends after d.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
