package commands

import (
	"context"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// Bounds of one look at the log: how many commits are looked at, and how long one that is there may take to come.
const (
	maxScanned = 10_000
	logWait    = 5 * time.Second
)

// LogPage is a part of the log in its order. Next is the position to go on behind; 0: the end was reached.
type LogPage struct {
	Records []eventstore.Record
	Next    uint64
}

// LogEnd is the position of the newest commit; 0: there is none.
func (c *Commands) LogEnd(ctx context.Context) (uint64, error) {
	end, err := c.store.Position(ctx)
	return end.Last, err
}

// LoggedEvent is what decides who sees an event of the log.
type LoggedEvent struct{ Workspace, Aggregate, Name string }

// Log reads at most limit commits behind a position, with the events that visible lets through; one without any is left
// out. Where few are, the page is short and has a Next all the same. Behind the end there is nothing.
func (c *Commands) Log(ctx context.Context, after uint64, limit int, visible func(LoggedEvent) (bool, error)) (LogPage, error) {
	end, err := c.store.Position(ctx)
	if err != nil || after >= end.Last {
		return LogPage{}, err
	}
	reader, err := c.store.Read(ctx, after)
	if err != nil {
		return LogPage{}, err
	}
	defer reader.Close()
	var page LogPage
	until := min(end.Last, after+maxScanned)
	for at := after; at < until && len(page.Records) < limit; {
		records, err := reader.NextBatch(ctx, int(min(until-at, uint64(limit-len(page.Records)))), logWait)
		if err != nil {
			return LogPage{}, err
		}
		for _, r := range records {
			at = r.Seq
			if r.Events, err = visibleOf(r, visible); err != nil {
				return LogPage{}, err
			}
			if len(r.Events) > 0 {
				page.Records = append(page.Records, r)
			}
		}
		if page.Next = at; at >= end.Last {
			page.Next = 0
		}
	}
	return page, nil
}

func visibleOf(r eventstore.Record, visible func(LoggedEvent) (bool, error)) ([]eventstore.Event, error) {
	var shown []eventstore.Event
	for _, e := range r.Events {
		show, err := visible(LoggedEvent{Workspace: r.Aggregate.Workspace, Aggregate: r.Aggregate.Type, Name: e.Name})
		if err != nil {
			return nil, err
		}
		if show {
			shown = append(shown, e)
		}
	}
	return shown, nil
}
