package eventstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Message is what one place of a stream holds, as it is stored.
type Message struct {
	Seq     uint64
	Time    time.Time // when the server stored it, UTC
	Subject string
	Header  map[string][]string // without those that tell the server what to do (Nats-…); nil: none
	Data    []byte
}

// Record reads the commit in a message of the stream of events.
func (m Message) Record() (Record, error) { return decode(m.Subject, m.Seq, m.Data) }

// StreamState is where one of the two streams stands.
type StreamState struct {
	Name string
	Position
	Bytes uint64 // that the server counts for it
}

// State says where a stream stands, StreamEvents or StreamBlobs.
func (s *Store) State(ctx context.Context, name string) (StreamState, error) {
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return StreamState{}, fmt.Errorf("position of stream %s: %w", name, err)
	}
	defer cancel()
	info, err := s.stream(name).Info(asked)
	if err != nil {
		return StreamState{}, fmt.Errorf("position of stream %s: %w", name, readError(ctx, err))
	}
	return StreamState{Name: name, Position: Position{Last: info.State.LastSeq, Created: info.Created}, Bytes: info.State.Bytes}, nil
}

func (s *Store) stream(name string) jetstream.Stream {
	if name == StreamBlobs {
		return s.blobs
	}
	return s.events
}

// Messages hands over all messages of a stream up to the state, in order. It holds few of them at a time, however many
// there are. After trouble with the server it goes on where it was; a message that is missing is a GapError.
func (s *Store) Messages(ctx context.Context, of StreamState, each func(Message) error) error {
	r := messageReader{store: s, of: of, each: each}
	quiet := newPatience()
	defer quiet.end()
	for r.last < of.Last {
		before := r.last
		err := r.follow(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case r.failed != nil:
			return r.failed
		case r.last > before:
			quiet.renew()
		case final(err) || quiet.ended() || s.js.Conn().IsClosed():
			return fmt.Errorf("reading stream %s after %d: %w", of.Name, r.last, readError(ctx, err))
		}
		pause(ctx, retryWait)
	}
	return nil
}

// ownHeader leaves out what told the server how to store the message.
func ownHeader(all nats.Header) map[string][]string {
	var own map[string][]string
	for name, values := range all {
		if strings.HasPrefix(name, "Nats-") {
			continue
		}
		if own == nil {
			own = map[string][]string{}
		}
		own[name] = values
	}
	return own
}
