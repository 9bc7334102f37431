package eventstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A window is what was sent and is not yet known to be stored: so many messages and bytes at most, or one message.
const (
	windowMessages = 256
	windowBytes    = maxPayload
)

// restoredStream is a stream that is written anew, each message at the sequence that it had. Each is sent with the
// sequence before it as the last one, so that none is stored at another place or twice, whatever is lost on the way.
type restoredStream struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	name   string
	last   uint64    // all up to here are stored
	window []Message // those behind it that were written
	bytes  int
}

func (s *restoredStream) write(ctx context.Context, m Message) error {
	if m.Seq <= s.last {
		return nil
	}
	if want := s.last + uint64(len(s.window)) + 1; m.Seq != want {
		return fmt.Errorf("stream %s: message %d is written where %d belongs", s.name, m.Seq, want)
	}
	s.window = append(s.window, m)
	s.bytes += len(m.Data)
	if len(s.window) < windowMessages && s.bytes < windowBytes {
		return nil
	}
	return s.flush(ctx)
}

// flush sends the window until all of it is stored.
func (s *restoredStream) flush(ctx context.Context) error {
	quiet := newPatience()
	defer quiet.end()
	for len(s.window) > 0 {
		before := s.last
		err := s.send(ctx)
		if err == nil || passes(err) {
			err = cmp.Or(s.look(ctx), err)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case s.last > before:
			quiet.renew()
		case err != nil && !passes(err), quiet.ended(), s.js.Conn().IsClosed():
			return fmt.Errorf("restore stream %s after %d: %w", s.name, s.last, cmp.Or(err, ErrUnknownOutcome))
		}
		if err != nil {
			pause(ctx, retryWait)
		}
	}
	return nil
}

// passes tells whether the same window may be stored when it is sent again.
func passes(err error) bool {
	return errors.Is(err, ErrRaced) || errors.Is(err, ErrUnknownOutcome) || errors.Is(err, ErrUnreachable)
}

// send publishes the window and waits for all answers; the first error is the one that counts.
func (s *restoredStream) send(ctx context.Context) error {
	var answers []jetstream.PubAckFuture
	var failed error
	for _, m := range s.window {
		msg := &nats.Msg{Subject: m.Subject, Header: nats.Header{}, Data: m.Data}
		for name, values := range m.Header {
			msg.Header[name] = append([]string(nil), values...)
		}
		answer, err := s.js.PublishMsgAsync(msg, jetstream.WithExpectStream(s.name), jetstream.WithExpectLastSequence(m.Seq-1))
		if err != nil {
			failed = err
			break
		}
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		select {
		case <-answer.Ok():
		case err := <-answer.Err():
			failed = cmp.Or(failed, err) // those behind it fail because of it
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if failed == nil {
		return nil
	}
	return appendError(failed)
}

// look asks the stream how much of the window is stored.
func (s *restoredStream) look(ctx context.Context) error {
	info, err := s.stream.Info(ctx)
	if err != nil {
		return readError(ctx, err)
	}
	last := info.State.LastSeq
	if last < s.last || last > s.last+uint64(len(s.window)) {
		return fmt.Errorf("the stream ends at %d, between %d and %d were written: somebody else works on it", last, s.last, s.last+uint64(len(s.window)))
	}
	s.window = s.window[last-s.last:]
	s.last = last
	s.bytes = 0
	for _, m := range s.window {
		s.bytes += len(m.Data)
	}
	return nil
}
