// Package backup copies a whole log, events and blobs, to a folder of plain files or over a connection, verifies such a
// copy, and restores it: every commit at the position that it had. docs/howto/backup.md describes the files.
//
// The log is checked on the way, when it is copied, verified and restored: no position is missing, each commit carries
// the hash of its aggregate's previous one, each blob has the hash that names it, and each blob that an event names is there.
package backup

import (
	"context"

	"github.com/proofload/proofload/eventstore"
)

// Source gives a whole log to a sink: all events first, then all blobs, so that these are at least those that the events name.
type Source func(ctx context.Context, to sink) error

// sink takes what a source gives: begin, the messages and end of each stream.
type sink interface {
	begin(of eventstore.StreamState) error
	message(m eventstore.Message) error
	end() error
}

// Progress hears how many messages of a stream are done.
type Progress func(stream string, done, all uint64)

// streamNames are the streams in the order in which they are copied.
var streamNames = []string{eventstore.StreamEvents, eventstore.StreamBlobs}

// FromStore gives the log as it stands at the first look at it. What is appended meanwhile is not in it.
func FromStore(s *eventstore.Store) Source { return fromReadable(s) }

// readable is a log whose messages can be read.
type readable interface {
	State(ctx context.Context, stream string) (eventstore.StreamState, error)
	Messages(ctx context.Context, of eventstore.StreamState, each func(eventstore.Message) error) error
}

func fromReadable(s readable) Source {
	return func(ctx context.Context, to sink) error {
		for _, name := range streamNames {
			state, err := s.State(ctx, name)
			if err == nil {
				err = to.begin(state)
			}
			if err == nil {
				err = s.Messages(ctx, state, to.message)
			}
			if err == nil {
				err = to.end()
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// all is a sink that hands everything to several.
type all []sink

func (a all) begin(of eventstore.StreamState) error {
	return a.each(func(s sink) error { return s.begin(of) })
}

func (a all) message(m eventstore.Message) error {
	return a.each(func(s sink) error { return s.message(m) })
}

func (a all) end() error { return a.each(sink.end) }

func (a all) each(do func(sink) error) error {
	for _, s := range a {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}

// watch is a sink that tells how far the work is.
type watch struct {
	tell Progress
	of   eventstore.StreamState
}

func (w *watch) begin(of eventstore.StreamState) error {
	w.of = of
	return nil
}

func (w *watch) message(m eventstore.Message) error {
	if w.tell != nil {
		w.tell(w.of.Name, m.Seq, w.of.Last)
	}
	return nil
}

func (w *watch) end() error { return nil }
