package commands

import (
	"context"
	"errors"
	"sync"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// maxRemembered is how many commits the remembered aggregates have together, at about 200 bytes each.
const maxRemembered = 50_000

// memory is what this process last saw of the aggregates that commands were decided on. It saves reading an aggregate
// from its first commit again, and is never taken for the truth: see guess and load (ADR 17).
type memory struct {
	mu         sync.Mutex
	aggregates map[string]any // by subject: a *known[S]
	commits    int            // of all of them
	workspaces sync.Map       // project id -> id of its workspace, which never changes
}

// known is an aggregate as it was at its tail. Its state is shared: folding an event makes a new one.
type known[S any] struct {
	seen
	state    S
	commands map[string]struct{} // the ids of those that made its commits; behind the lock
}

// seen is up to where an aggregate was read, on a connection that had come back so often before.
type seen struct {
	tail       eventstore.Tail
	reconnects uint64
}

func (s seen) end(agg eventstore.Aggregate) eventstore.End {
	return eventstore.End{Aggregate: agg, Tail: s.tail}
}

// recall is what is remembered of an aggregate, unless the command made one of its commits.
func recall[S any](c *Commands, t target[S], commandID string) (known[S], bool) {
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	k, ok := c.memory.aggregates[t.Subject()].(*known[S])
	if !ok {
		return known[S]{}, false
	}
	_, repeated := k.commands[commandID]
	return *k, !repeated
}

// remember keeps an aggregate that was read or appended to: its state and tail after the records, which follow the
// tail that was seen. Nothing is kept of one that does not exist, nor where only the last commit is ever read.
func remember[S any](c *Commands, t target[S], was seen, state S, records ...eventstore.Record) {
	if t.last || len(records) == 0 {
		return
	}
	c.access.take(state, eventstore.TailOf(records), c.now())
	c.memory.mu.Lock()
	defer c.memory.mu.Unlock()
	k, ok := c.memory.aggregates[t.Subject()].(*known[S])
	switch {
	case was.tail == eventstore.Tail{}: // all of it
		if ok {
			c.memory.commits -= len(k.commands)
		}
		k = &known[S]{commands: map[string]struct{}{}}
	case !ok || k.tail != was.tail: // another command was faster
		return
	}
	k.state, k.seen = state, seen{eventstore.TailOf(records), was.reconnects}
	before := len(k.commands)
	for _, r := range records {
		k.commands[r.CommandID] = struct{}{}
	}
	c.memory.keep(t.Subject(), k, len(k.commands)-before)
}

// keep stores an aggregate with so many new commits and forgets others, whichever, while there are too many.
func (m *memory) keep(subject string, k any, commits int) {
	if m.aggregates == nil {
		m.aggregates = map[string]any{}
	}
	m.aggregates[subject] = k
	m.commits += commits
	for other, k := range m.aggregates {
		if m.commits <= maxRemembered {
			return
		}
		m.commits -= k.(interface{ size() int }).size()
		delete(m.aggregates, other)
	}
}

func (k *known[S]) size() int { return len(k.commands) }

// guess decides a command on what is remembered and appends without reading first. The guard of the append proves
// that nothing was missed. It answers only what was appended: a refusal, a decision for nothing, a command that was
// done before and a lost race are for a state that was read. Nor does it trust what was read before the connection
// was lost: the server may have come back with less.
func guess[S any](ctx context.Context, c *Commands, m Meta, t target[S], decide func(S) ([]domain.Event, error), unknown *int) (done[S], bool) {
	k, ok := recall(c, t, m.CommandID)
	if !ok || k.reconnects != c.store.Reconnects() {
		return done[S]{}, false
	}
	events, err := decide(k.state)
	if err != nil || len(events) == 0 {
		return done[S]{}, false
	}
	record, err := c.append(ctx, m, t.Aggregate, k.tail, events)
	if errors.Is(err, eventstore.ErrUnknownOutcome) {
		*unknown++
	}
	if err != nil {
		return done[S]{}, false
	}
	d := done[S]{state: fold(t, k.state, events), position: record.Seq}
	remember(c, t, k.seen, d.state, record)
	return d, true
}

// loadBoth reads two aggregates, as load does for no command. When both are remembered, their ends are asked for at once.
func loadBoth[A, B any](ctx context.Context, c *Commands, a target[A], b target[B]) (stateA A, stateB B, err error) {
	knownA, okA := recall(c, a, "")
	knownB, okB := recall(c, b, "")
	if now := c.store.Reconnects(); okA && okB && knownA.reconnects == now && knownB.reconnects == now {
		ended, err := c.store.EndAt(ctx, knownA.end(a.Aggregate), knownB.end(b.Aggregate))
		if ended || err != nil {
			return knownA.state, knownB.state, err
		}
	}
	wasA, err := load(ctx, c, a, "")
	if err != nil {
		return stateA, stateB, err
	}
	wasB, err := load(ctx, c, b, "")
	return wasA.state, wasB.state, err
}

// since reads what follows the remembered tail. It is false when the aggregate does not go on from there, such as after
// an older backup was restored.
func (c *Commands) since(ctx context.Context, agg eventstore.Aggregate, was seen) ([]eventstore.Record, bool, error) {
	tail := was.tail
	if was.reconnects == c.store.Reconnects() {
		if ended, err := c.store.EndAt(ctx, was.end(agg)); ended || err != nil {
			return nil, ended, err
		}
	}
	last, newer, err := c.store.LastAfter(ctx, agg, tail)
	switch {
	case errors.Is(err, eventstore.ErrNoAggregate):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !newer:
		return nil, true, nil
	case last.Seq <= tail.Seq:
		return nil, false, nil
	case last.PrevHash == tail.Hash:
		return []eventstore.Record{last}, true, nil
	}
	records, err := c.store.LoadAfter(ctx, agg, tail)
	if errors.Is(err, eventstore.ErrDamaged) {
		return nil, false, nil // the whole aggregate tells whether it is
	}
	return records, true, err
}
