package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// line is a line of a log that is sent: one of its members is there.
type line struct {
	Begin   *beginning `json:"begin,omitempty"`
	Message *record    `json:"message,omitempty"`
	End     *Totals    `json:"end,omitempty"`   // of the stream
	Error   string     `json:"error,omitempty"` // what ended it; nothing follows
}

// beginning stands before the messages of a stream.
type beginning struct {
	Format  int       `json:"format"`
	Stream  string    `json:"stream"`
	Created time.Time `json:"created"`
	Last    uint64    `json:"last,string"`
	Bytes   uint64    `json:"bytes"`
}

// Send writes the log as it stands now as lines of JSON, for Receive on the other side: a line that begins a stream, its
// messages, a line with its totals. When it fails behind the first line, the last one says why.
func Send(ctx context.Context, s *eventstore.Store, w io.Writer) error {
	to := &sender{counter: newCounter(), w: w}
	err := FromStore(s)(ctx, to)
	if errors.Is(err, eventstore.ErrUnreachable) {
		err = fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
	}
	if err != nil && to.begun {
		err = errors.Join(err, writeLine(w, line{Error: err.Error()}))
	}
	return err
}

// sender is a sink that writes lines.
type sender struct {
	*counter
	w     io.Writer
	begun bool
}

func (s *sender) begin(of eventstore.StreamState) error {
	if err := s.counter.begin(of); err != nil {
		return err
	}
	s.begun = true
	return writeLine(s.w, line{Begin: &beginning{Format: Format, Stream: of.Name, Created: of.Created.UTC(), Last: of.Last, Bytes: of.Bytes}})
}

func (s *sender) message(m eventstore.Message) error {
	if _, err := s.count(m); err != nil {
		return err
	}
	r := recordOf(m)
	return writeLine(s.w, line{Message: &r})
}

func (s *sender) end() error {
	if err := s.counter.end(); err != nil {
		return err
	}
	return writeLine(s.w, line{End: &s.totals[len(s.totals)-1]})
}

// ErrCut: a log that is received ended before its end.
var ErrCut = errors.New("the connection ended before the log did")

// Receive gives the log that Send writes. A part of it that is missing is an error, wherever it was cut.
func Receive(r io.Reader) Source {
	return func(ctx context.Context, to sink) error {
		in := receiver{counter: newCounter(), to: to}
		err := readLines(r, in.line)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.ErrUnexpectedEOF), err == nil && len(in.totals) < len(streamNames):
			return ErrCut
		}
		return err
	}
}

// receiver hands the lines over to a sink.
type receiver struct {
	*counter
	to sink
}

func (r *receiver) line(data []byte) error {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return fmt.Errorf("the server sent a line that is none of a log: %w", err)
	}
	switch {
	case l.Error != "":
		return fmt.Errorf("the server gave up: %s", l.Error)
	case l.Begin != nil && l.Begin.Format != Format:
		return fmt.Errorf("the server sends the format %d, this program reads %d: use the same version", l.Begin.Format, Format)
	case l.Begin != nil:
		of := eventstore.StreamState{Name: l.Begin.Stream, Position: eventstore.Position{Last: l.Begin.Last, Created: l.Begin.Created}, Bytes: l.Begin.Bytes}
		return errors.Join(r.counter.begin(of), r.to.begin(of))
	case l.Message != nil:
		m := l.Message.message()
		if _, err := r.count(m); err != nil {
			return err
		}
		return r.to.message(m)
	case l.End != nil:
		return r.ended(*l.End)
	}
	return errors.New("the server sent a line that is none of a log")
}

// ended compares what came with what was sent.
func (r *receiver) ended(sent Totals) error {
	if err := r.counter.end(); err != nil {
		return err
	}
	if came := r.totals[len(r.totals)-1]; came.Digest != sent.Digest || came.Messages != sent.Messages {
		return fmt.Errorf("stream %s: %d messages came with the digest %s, sent were %d with %s", came.Stream, came.Messages, came.Digest, sent.Messages, sent.Digest)
	}
	return r.to.end()
}
