package projections

import (
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// fact is one event with what its commit says about it.
type fact struct {
	seq       uint64
	at        Time
	member    string
	workspace string
	event     domain.Event
}

// reading is what a batch of records says, up to the first one that cannot be read.
type reading struct {
	facts   []fact
	skipped int64             // events whose name this program does not know
	last    eventstore.Record // that can be read; Seq 0: none
	poison  error             // why the record after it cannot be read
}

func read(records []eventstore.Record) reading {
	var r reading
	for _, record := range records {
		facts, skipped, err := factsOf(record)
		if err != nil {
			r.poison = err
			return r
		}
		r.facts, r.skipped, r.last = append(r.facts, facts...), r.skipped+skipped, record
	}
	return r
}

func factsOf(r eventstore.Record) (facts []fact, skipped int64, err error) {
	for i, stored := range r.Events {
		event, err := domain.Decode(stored.Name, stored.Schema, stored.Data)
		if errors.Is(err, domain.ErrUnknownEvent) {
			skipped++
			continue
		}
		if err != nil {
			return nil, 0, poison(r, i, err)
		}
		facts = append(facts, fact{seq: r.Seq, at: Time{r.At}, member: r.Member, workspace: r.Aggregate.Workspace, event: event})
	}
	return facts, skipped, nil
}

func poison(r eventstore.Record, i int, cause error) error {
	return &HaltError{
		Reason: fmt.Sprintf("record %d (%s) has an event %d (%s, schema %d) that cannot be read",
			r.Seq, r.Aggregate.Subject(), i+1, r.Events[i].Name, r.Events[i].Schema),
		Advice: "Nothing after it is shown. Was it written by a newer proofload? Then start that version; else please report it",
		Cause:  cause,
	}
}
