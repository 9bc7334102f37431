package eventstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// contract is what the store promises on every server: embedded, alone, a cluster.
func contract(t *testing.T, s *Store) {
	t.Run("append and load", func(t *testing.T) { testAppendLoad(t, s) })
	t.Run("guard", func(t *testing.T) { testGuard(t, s) })
	t.Run("race", func(t *testing.T) { testRace(t, s) })
	t.Run("read", func(t *testing.T) { testRead(t, s) })
	t.Run("large commit", func(t *testing.T) { testLargeCommit(t, s) })
	t.Run("blobs", func(t *testing.T) { testBlobs(t, s) })
	t.Run("sizes of blobs", func(t *testing.T) { testBlobSizes(t, s) })
	t.Run("race of blobs", func(t *testing.T) { testBlobRace(t, s) })
	t.Run("durable consumer", func(t *testing.T) { testDurable(t, s) })
	t.Run("find", func(t *testing.T) { testFind(t, s) })
	t.Run("end", func(t *testing.T) { testEnd(t, s) })
}

func TestContractEmbedded(t *testing.T) {
	s := newStore(t)
	s.answers = time.Minute
	if !s.embedded {
		t.Error("a store on a server in this process does not know it")
	}
	contract(t, s)
}

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
	if _, err := s.FindFirst(t.Context(), "project", "other"); !errors.Is(err, ErrNoAggregate) {
		t.Errorf("found the first of what is not there: %v", err)
	}
	last := mustAppend(t, s, Aggregate{Workspace: "w8", Type: "project", ID: "found"}, Tail{}, 1)
	if r, err := s.FindLast(t.Context(), "project", "found"); err != nil || r.Seq != last.Seq {
		t.Errorf("the last of two workspaces: %v at %d, %v", r.Aggregate, r.Seq, err)
	}
	if r, err := s.FindFirst(t.Context(), "project", "found"); err != nil || r.Aggregate != want || r.Seq >= last.Seq {
		t.Errorf("the first of two workspaces: %v at %d, %v", r.Aggregate, r.Seq, err)
	}
}

// What a caller knows of the end of an aggregate: it is still the end, it is not, or it is that of another log.
func testEnd(t *testing.T, s *Store) {
	agg := profile("ended")
	records := appendChain(t, s, agg, 2)
	other := mustAppend(t, s, profile("beside"), Tail{}, 3)
	for _, test := range []struct {
		name  string
		tail  Tail
		newer bool
		ends  bool // as an embedded server says
	}{
		{"the end", records[1].Tail(), false, true},
		{"the commit before", records[0].Tail(), true, false},
		{"nothing", Tail{}, true, false},
		{"another commit at its place", Tail{Seq: records[1].Seq, Hash: "other"}, true, true},
		{"a commit beyond", other.Tail(), true, true},
	} {
		last, newer, err := s.LastAfter(t.Context(), agg, test.tail)
		if err != nil || newer != test.newer || newer && cmp.Diff(records[1], last) != "" {
			t.Errorf("%s: LastAfter gives %d, %v, %v", test.name, last.Seq, newer, err)
		}
		ends, err := s.EndAt(t.Context(), End{agg, test.tail})
		if want := test.ends && s.embedded; err != nil || ends != want {
			t.Errorf("%s: EndAt gives %v, %v, want %v", test.name, ends, err, want)
		}
	}
	if _, _, err := s.LastAfter(t.Context(), profile("none"), Tail{}); !errors.Is(err, ErrNoAggregate) {
		t.Errorf("LastAfter of nothing: %v", err)
	}
}

func testLargeCommit(t *testing.T, s *Store) {
	c := commit(1)
	c.Events[0].Data = json.RawMessage(`"` + strings.Repeat("x", maxPayload) + `"`)
	if _, err := s.Append(t.Context(), profile("large"), Tail{}, c); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a commit of more than one message: %v", err)
	}
	c.Events[0].Data = json.RawMessage(`"` + strings.Repeat("x", maxPayload/2) + `"`)
	if _, err := s.Append(t.Context(), profile("large"), Tail{}, c); err != nil {
		t.Error(err)
	}
}

func TestAppendWithoutServer(t *testing.T) {
	s, e := startStore(t, t.TempDir())
	e.server.Shutdown()
	e.server.WaitForShutdown()
	lost(t, s)
	if _, err := s.Append(within(t, 200*time.Millisecond), profile("p"), Tail{}, commit(1)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("without a server: %v", err)
	}
	e.conn.Close()
	if _, err := s.Append(t.Context(), profile("p"), Tail{}, commit(1)); !errors.Is(err, ErrUnreachable) {
		t.Errorf("on a closed connection: %v", err)
	}
}

func TestAppendRefusesUnsafeNames(t *testing.T) {
	s := newStore(t)
	for _, bad := range []string{"", ".", "a.b", "*", ">", "a b", "a\n", "ä", "$x"} {
		for _, agg := range []Aggregate{{bad, "t", "i"}, {"w", bad, "i"}, {"w", "t", bad}} {
			if _, err := s.Append(t.Context(), agg, Tail{}, commit(1)); err == nil {
				t.Errorf("appended to %q", agg.Subject())
			}
			if _, err := s.Load(t.Context(), agg); err == nil {
				t.Errorf("loaded %q", agg.Subject())
			}
			if _, err := s.Last(t.Context(), agg); err == nil || errors.Is(err, ErrNoAggregate) {
				t.Errorf("last of %q: %v", agg.Subject(), err)
			}
		}
		if _, err := s.FindFirst(t.Context(), "t", bad); err == nil || errors.Is(err, ErrNoAggregate) {
			t.Errorf("%q: the first: %v", bad, err)
		}
		if _, err := s.Find(t.Context(), "t", bad); err == nil || errors.Is(err, ErrNoAggregate) {
			t.Errorf("find %q: %v", bad, err)
		}
	}
	if _, err := s.Append(t.Context(), profile("p"), Tail{}, Commit{}); err == nil {
		t.Error("appended a commit without events")
	}
	if got := position(t, s); got != 0 {
		t.Errorf("%d commits are stored", got)
	}
}

// What is stored is what the page says: the commit in JSON, its command and events in the headers.
func TestStoredForm(t *testing.T) {
	s := newStore(t)
	c := commit(1)
	c.Events = append(c.Events, Event{Name: "ProfileDeleted", Schema: 2, Data: json.RawMessage(`{"why":"<&>"}`)})
	r, err := s.Append(t.Context(), profile("p"), Tail{}, c)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := s.events.GetMsg(t.Context(), r.Seq)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"commandId":"cmd-1","bodyHash":"b0d1","member":"admin","at":"2026-11-29T12:00:01Z","correlationId":"cor","causationId":"cau",` +
		`"events":[{"name":"ProfileSaved","schema":1,"data":{"n":1}},{"name":"ProfileDeleted","schema":2,"data":{"why":"<&>"}}]}`
	if diff := cmp.Diff(want, string(msg.Data)); diff != "" {
		t.Error(diff)
	}
	if got := msg.Header.Get("Command-Id") + " " + msg.Header.Get("Event-Names"); got != "cmd-1 ProfileSaved,ProfileDeleted" {
		t.Errorf("headers: %s", got)
	}
	if msg.Subject != "evt.w1.profile.p" {
		t.Errorf("subject: %s", msg.Subject)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(msg.Data)); r.Hash != sum {
		t.Errorf("hash %s, want %s", r.Hash, sum)
	}
}
