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

// Size of a reading of messages: at most so many are asked for in advance, and so many bytes.
const (
	messagesAhead = 256
	bytesAhead    = 2 * maxPayload
)

// readTries is how often a reading of messages is begun anew without a message in between.
const readTries = 12

// State says where a stream stands, StreamEvents or StreamBlobs.
func (s *Store) State(ctx context.Context, name string) (StreamState, error) {
	info, err := s.stream(name).Info(ctx)
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
	for tries := 0; r.last < of.Last; tries++ {
		before := r.last
		err := r.follow(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case r.failed != nil:
			return r.failed
		case r.last > before:
			tries = 0
		case final(err) || tries >= readTries || s.js.Conn().IsClosed():
			return fmt.Errorf("reading stream %s after %d: %w", of.Name, r.last, readError(ctx, err))
		}
		pause(ctx, retryWait)
	}
	return nil
}

// messageReader is one reading of a stream from its first message on.
type messageReader struct {
	store  *Store
	of     StreamState
	each   func(Message) error
	failed error  // of each
	last   uint64 // sequence of the last message that was handed over
}

// follow reads behind the last message until the end is reached or there is trouble.
func (r *messageReader) follow(ctx context.Context) error {
	state, err := r.store.State(ctx, r.of.Name)
	if err != nil {
		return err
	}
	if !state.Created.Equal(r.of.Created) {
		return ErrOtherStream
	}
	name, messages, err := r.consume(ctx)
	if err != nil {
		return err
	}
	defer func() {
		messages.Stop()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestWait)
		defer cancel()
		_ = r.store.js.DeleteConsumer(ctx, r.of.Name, name) // it expires by itself, too
	}()
	for first := true; r.last < r.of.Last; first = false {
		if err := r.next(ctx, messages, first); err != nil {
			return err
		}
	}
	return nil
}

// consume makes a consumer behind the last message.
func (r *messageReader) consume(ctx context.Context) (string, jetstream.MessagesContext, error) {
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	consumer, err := r.store.js.CreateConsumer(ctx, r.of.Name, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       r.last + 1,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: readerExpires,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return "", nil, err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(messagesAhead, bytesAhead), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	return consumer.CachedInfo().Name, messages, err
}

// next hands one message over.
func (r *messageReader) next(ctx context.Context, messages jetstream.MessagesContext, first bool) error {
	waiting, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	msg, err := messages.Next(jetstream.NextContext(waiting))
	if err != nil {
		return err
	}
	meta, err := msg.Metadata()
	switch at := r.last + 1; {
	case err != nil:
		return err
	case meta.Sequence.Stream != at && first:
		return &GapError{Stream: r.of.Name, After: r.last, Got: meta.Sequence.Stream}
	case meta.Sequence.Stream != at:
		return errLost
	}
	m := Message{Seq: meta.Sequence.Stream, Time: meta.Timestamp.UTC(), Subject: msg.Subject(), Header: ownHeader(msg.Headers()), Data: msg.Data()}
	if r.failed = r.each(m); r.failed != nil {
		return r.failed
	}
	r.last = m.Seq
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
