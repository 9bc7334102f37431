package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// maxTries is how often a command is decided before it gives up. A lost race means that another command won,
// so that many writers on one aggregate all come through.
const maxTries = 200

// maxUnknown is how many appends of one command may have an unknown outcome. Each takes the store's timeout, and the
// client waits.
const maxUnknown = 2

// target is the aggregate that a command is decided on.
type target[S any] struct {
	eventstore.Aggregate
	evolve func(S, domain.Event) S
	last   bool // the last commit carries the whole state, no other is read
}

// loaded is an aggregate as it was read: its last commits or all, the state and the tail after them, and the state
// after the one that a command made before.
type loaded[S any] struct {
	seen
	records []eventstore.Record
	state   S
	before  S
}

// done is what became of a command: the state after its commit, and the commit. When nothing was to be
// appended, they are the state and the commit that stood.
type done[S any] struct {
	state    S
	position uint64
	again    bool // the commit was there before
}

// handle decides a command on the state of an aggregate and appends its events as one commit, guarded by the
// tail that was read. When another commit came first, or it is unknown whether ours is stored, it reads again:
// a commit with the command's id answers the command. What this process remembers saves the first reading. When that
// cannot be read either it is a domain.ErrUnknownOutcome.
func handle[S any](ctx context.Context, c *Commands, m Meta, t target[S], decide func(S) ([]domain.Event, error)) (done[S], error) {
	unknown := 0
	d, err := decided(ctx, c, m, t, decide, &unknown)
	if unknown > 0 && (errors.Is(err, domain.ErrUnavailable) || err != nil && ctx.Err() != nil) {
		err = fmt.Errorf("%s %s: %w: %w", t.Type, t.ID, domain.ErrUnknownOutcome, err)
	}
	return d, err
}

// decided is handle; it counts the appends of which the outcome is unknown.
func decided[S any](ctx context.Context, c *Commands, m Meta, t target[S], decide func(S) ([]domain.Event, error), unknown *int) (done[S], error) {
	if d, ok := guess(ctx, c, m, t, decide, unknown); ok {
		return d, nil
	}
	for try := 0; try < maxTries && *unknown < maxUnknown; try++ {
		if err := pause(ctx, try); err != nil {
			return done[S]{}, err
		}
		was, err := load(ctx, c, t, m.CommandID)
		if err != nil {
			return done[S]{}, err
		}
		if before, found, err := was.repeated(m); found || err != nil {
			return before, err
		}
		events, err := decide(was.state)
		if err != nil {
			return done[S]{}, c.explain(ctx, t.Aggregate, was.tail, err)
		}
		if len(events) == 0 {
			return done[S]{state: was.state, position: was.tail.Seq}, nil
		}
		record, err := c.append(ctx, m, t.Aggregate, was.tail, events)
		if err == nil {
			d := done[S]{state: fold(t, was.state, events), position: record.Seq}
			remember(c, t, was.seen, d.state, record)
			return d, nil
		}
		switch {
		case errors.Is(err, eventstore.ErrUnknownOutcome):
			*unknown++
		case !errors.Is(err, eventstore.ErrRaced):
			return done[S]{}, err
		}
	}
	return done[S]{}, fmt.Errorf("%s %s: %w", t.Type, t.ID, domain.ErrUnavailable)
}

// load reads an aggregate, on behalf of a command or, with an empty id, of none. One that does not exist has no
// commit and the zero state. Of one that is remembered only the last commit is read, and those in between: the state
// is that of the stream all the same.
func load[S any](ctx context.Context, c *Commands, t target[S], commandID string) (loaded[S], error) {
	was := loaded[S]{seen: seen{reconnects: c.store.Reconnects()}}
	k, found := recall(c, t, commandID)
	var err error
	if found {
		was.records, found, err = c.since(ctx, t.Aggregate, k.seen)
	}
	if found {
		was.state, was.tail = k.state, k.tail
	} else if err == nil {
		was.records, err = c.records(ctx, t.Aggregate, t.last)
	}
	if err == nil {
		err = was.fold(c, t, commandID)
	}
	if err != nil {
		return loaded[S]{}, fmt.Errorf("%s %s: %w", t.Type, t.ID, err)
	}
	return was, nil
}

// fold brings the state to the end of the records, and remembers it.
func (l *loaded[S]) fold(c *Commands, t target[S], commandID string) error {
	start := l.seen
	for _, r := range l.records {
		events, err := decode(r)
		if err != nil {
			return err
		}
		l.state, l.tail = fold(t, l.state, events), r.Tail()
		if r.CommandID == commandID {
			l.before = l.state
		}
	}
	remember(c, t, start, l.state, l.records...)
	return nil
}

func (c *Commands) records(ctx context.Context, agg eventstore.Aggregate, last bool) ([]eventstore.Record, error) {
	var records []eventstore.Record
	var err error
	if last {
		var r eventstore.Record
		r, err = c.store.Last(ctx, agg)
		records = []eventstore.Record{r}
	} else {
		records, err = c.store.Load(ctx, agg)
	}
	if errors.Is(err, eventstore.ErrNoAggregate) {
		return nil, nil
	}
	return records, err
}

func decode(r eventstore.Record) ([]domain.Event, error) {
	events := make([]domain.Event, len(r.Events))
	for i, stored := range r.Events {
		var err error
		if events[i], err = domain.Decode(stored.Name, stored.Schema, stored.Data); err != nil {
			return nil, fmt.Errorf("record %d: %w", r.Seq, err)
		}
	}
	return events, nil
}

func fold[S any](t target[S], state S, events []domain.Event) S {
	for _, e := range events {
		state = t.evolve(state, e)
	}
	return state
}

// repeated looks for the commit that this command made before.
func (l loaded[S]) repeated(m Meta) (done[S], bool, error) {
	for _, r := range l.records {
		if r.CommandID != m.CommandID {
			continue
		}
		if r.BodyHash != m.BodyHash {
			return done[S]{}, false, fmt.Errorf("command %s: %w", m.CommandID, domain.ErrIdempotencyMismatch)
		}
		return done[S]{l.before, r.Seq, true}, true, nil
	}
	return done[S]{}, false, nil
}

// explain adds to a StaleError who saved the version that stands at the tail, and when.
func (c *Commands) explain(ctx context.Context, agg eventstore.Aggregate, tail eventstore.Tail, err error) error {
	var stale *domain.StaleError
	if !errors.As(err, &stale) {
		return err
	}
	records, failed := c.store.Load(ctx, agg)
	if failed != nil {
		return failed
	}
	for _, r := range slices.Backward(records) {
		if r.Seq <= tail.Seq && slices.ContainsFunc(r.Events, func(e eventstore.Event) bool { return e.Name == stale.Event }) {
			stale.Member, stale.At = r.Member, r.At
			break
		}
	}
	return err
}

// staleError refuses a save: the version that stands was made by a later event than the one that was changed.
func staleError(what string, version int, saved domain.Event) error {
	return &domain.StaleError{What: what, Version: version, Event: saved.EventName()}
}

func (c *Commands) append(ctx context.Context, m Meta, agg eventstore.Aggregate, after eventstore.Tail, events []domain.Event) (eventstore.Record, error) {
	stored := make([]eventstore.Event, len(events))
	for i, e := range events {
		name, schema, data, err := domain.Encode(e)
		if err != nil {
			return eventstore.Record{}, err
		}
		stored[i] = eventstore.Event{Name: name, Schema: schema, Data: data}
	}
	return c.publish(ctx, agg, after, eventstore.Commit{
		CommandID: m.CommandID, BodyHash: m.BodyHash, Member: m.Member, At: c.now().UTC(),
		CorrelationID: cmp.Or(m.CorrelationID, m.CommandID), CausationID: cmp.Or(m.CausationID, m.CommandID),
		Events: stored,
	})
}

// pause waits before a further try, longer each time and never the same for two writers.
func pause(ctx context.Context, try int) error {
	if try == 0 {
		return ctx.Err()
	}
	most := min(time.Millisecond<<min(try, 5), 20*time.Millisecond)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(most)):
		return nil
	}
}
