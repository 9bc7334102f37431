package eventstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/eventstore/natstest"
)

// chainWriters append to chainAggregates, so that nearly every commit is raced for.
const (
	chainWriters    = 8
	chainAggregates = 3
)

// win is a commit that its writer knows to be stored.
type win struct {
	agg   Aggregate
	after uint64
	seq   uint64
	hash  string
}

// chains is what the writers of a stress saw.
type chains struct {
	mu            sync.Mutex
	wins          map[string]win // by command
	raced         int
	unknown, kept int // appends of which the outcome was unknown, and those of them that were stored all the same
}

// settled notes that a command is stored.
func (c *chains) settled(command string, w win) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wins[command] = w
}

func (c *chains) count(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

// write sends commands until ctx is done. One that was begun is brought to its end.
func (c *chains) write(ctx context.Context, s *Store, writer int) error {
	var tails [chainAggregates]Tail // as far as this writer has read
	for n := 0; ctx.Err() == nil; n++ {
		command, hot := fmt.Sprintf("w%d-%d", writer, n), rand.IntN(chainAggregates)
		if err := c.do(s, profile(fmt.Sprint("hot", hot)), &tails[hot], command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// do brings one command to its end as commands do: what became of an append is read from the log, by the id of the command.
func (c *chains) do(s *Store, agg Aggregate, tail *Tail, command string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	unsure := false
	tries := map[string]int{} // of each kind of answer
	for ctx.Err() == nil {
		before := *tail
		stored, err := look(ctx, s, agg, tail, command, unsure)
		if errors.Is(err, ErrUnreachable) {
			tries["read: unreachable"]++
			pause(ctx, 20*time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		if stored != nil {
			c.settled(command, win{agg, 0, stored.Seq, stored.Hash})
			c.count(&c.kept)
			return nil
		}
		unsure = unsure && *tail == before // what is guarded by a tail that others have passed is not stored any more
		done := commit(int(tail.Seq % 60))
		done.CommandID = command
		r, err := s.Append(ctx, agg, *tail, done)
		switch {
		case err == nil:
			c.settled(command, win{agg, tail.Seq, r.Seq, r.Hash})
			*tail = r.Tail()
			return nil
		case errors.Is(err, ErrRaced):
			tries["raced"]++
			c.count(&c.raced)
		case errors.Is(err, ErrUnknownOutcome):
			unsure = true
			tries["unknown"]++
			c.count(&c.unknown)
		case !errors.Is(err, ErrUnreachable):
			return err
		default:
			tries["append: unreachable"]++
		}
	}
	return fmt.Errorf("%w after %v, at %d; the connection is %v", ctx.Err(), tries, tail.Seq, s.js.Conn().Status())
}

// look moves the tail to the end of the aggregate. After an append of unknown outcome the commit is stored as the one behind
// the tail, or not at all; what was refused must not be stored, and check would find it.
func look(ctx context.Context, s *Store, agg Aggregate, tail *Tail, command string, unsure bool) (*Record, error) {
	if unsure {
		r, err := s.next(ctx, agg, *tail)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil, nil
		case err != nil:
			return nil, readError(ctx, err)
		case r.CommandID == command:
			*tail = r.Tail()
			return &r, nil
		}
	}
	last, err := s.Last(ctx, agg)
	if errors.Is(err, ErrNoAggregate) {
		return nil, nil
	}
	if err == nil {
		*tail = last.Tail()
	}
	return nil, err
}

// stress lets the writers work over the connections to the servers, with the faults among them.
func (c *chains) stress(t *testing.T, servers []*natstest.Server, replicas int, faults func()) {
	t.Helper()
	c.wins = map[string]win{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	errs := make(chan error, chainWriters)
	for n := range chainWriters {
		s, err := Open(ctx, connect(t, servers[n%len(servers)].URL), Options{Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		go func() { errs <- c.write(ctx, s, n) }()
	}
	faults()
	stop()
	for range chainWriters {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d commits, %d races lost, %d unknown outcomes, of which %d were stored", len(c.wins), c.raced, c.unknown, c.kept)
}

// check replays the log: no gap, each commit follows the one before it on its aggregate, every command that its writer
// knows to be stored is there once, and nothing else is.
func (c *chains) check(t *testing.T, s *Store) []string {
	t.Helper()
	end, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reader := startRead(t, s, 0)
	tails, found, seen := map[string]Tail{}, map[string]int{}, []string{}
	for n := range end.Last {
		r, err := reader.Next(within(t, time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		tail := tails[r.Aggregate.Subject()]
		if r.Seq != n+1 || r.PrevHash != tail.Hash {
			t.Errorf("commit %d is the %dth and follows %q, not %q", r.Seq, n+1, r.PrevHash, tail.Hash)
		}
		w := c.wins[r.CommandID]
		if w.seq != r.Seq || w.hash != r.Hash || w.agg != r.Aggregate || w.after != 0 && w.after != tail.Seq {
			t.Errorf("commit %d of %s after %d: its writer knows of %+v", r.Seq, r.CommandID, tail.Seq, w)
		}
		tails[r.Aggregate.Subject()] = r.Tail()
		found[r.CommandID]++
		seen = append(seen, r.Hash)
	}
	for command, w := range c.wins {
		if found[command] != 1 {
			t.Errorf("%s was stored at %d, and is there %d times", command, w.seq, found[command])
		}
	}
	return seen
}
