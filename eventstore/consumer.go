package eventstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// DurableConsumer is the pull consumer of this name, which all processes share: each message goes to one of them
// until it is acknowledged, again and again without a limit. A message that is neither acknowledged nor marked as
// in progress for ackWait is delivered anew; maxAckPending bounds what all of them hold at a time. Names of
// consumers follow the rules of subject tokens; the filter is a subject with wildcards, such as evt.*.run.*.
func (s *Store) DurableConsumer(ctx context.Context, name, filterSubject string, ackWait time.Duration, maxAckPending int) (jetstream.Consumer, error) {
	if !safeToken(name) {
		return nil, fmt.Errorf("consumer %q: not a safe name", name)
	}
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", name, err)
	}
	defer cancel()
	consumer, err := s.js.CreateOrUpdateConsumer(asked, StreamEvents, jetstream.ConsumerConfig{
		Durable:       name,
		FilterSubject: filterSubject,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxDeliver:    -1,
		MaxAckPending: maxAckPending,
	})
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", name, readError(ctx, err))
	}
	return consumer, nil
}

// checkConsumers refuses a stream that ends before what its consumers have got, as they know on a cluster. A single server
// sets them back while it starts, and only the mark file tells.
func (s *Store) checkConsumers(ctx context.Context) error {
	list := s.events.ListConsumers(ctx)
	var had uint64
	for info := range list.Info() {
		had = max(had, reached(info))
	}
	if err := list.Err(); err != nil {
		return fmt.Errorf("consumers of stream %s: %w", StreamEvents, readError(ctx, err))
	}
	last, err := s.reach(ctx, had, s.events.CachedInfo().Created)
	if errors.Is(err, ErrAhead) {
		return &LossError{Stream: StreamEvents, Had: had, Last: last}
	}
	return err
}

// reached is the highest sequence of the stream that a consumer has got.
func reached(info *jetstream.ConsumerInfo) uint64 {
	return max(info.Delivered.Stream, info.AckFloor.Stream)
}

// reach makes sure that the stream is the one that was created then and reaches the position, and gives its end. A new
// leader of a cluster may not have caught up yet; then it is asked again for a while.
func (s *Store) reach(ctx context.Context, after uint64, created time.Time) (uint64, error) {
	waiting, cancel := context.WithTimeout(ctx, laggingWait)
	defer cancel()
	for {
		pos, err := s.Position(ctx)
		switch {
		case err != nil:
			return 0, err
		case !pos.Created.Equal(created):
			return pos.Last, ErrOtherStream
		case pos.Last >= after:
			return pos.Last, nil
		case s.replicas() == 1 || waiting.Err() != nil:
			return pos.Last, fmt.Errorf("%d of %d: %w", after, pos.Last, ErrAhead)
		}
		pause(waiting, retryWait)
	}
}

// DecodeMsg reads the record in a message of a consumer.
func DecodeMsg(msg jetstream.Msg) (Record, error) {
	r, _, err := decodeMsg(msg)
	return r, err
}

// decodeMsg also says how many messages were waiting behind this one.
func decodeMsg(msg jetstream.Msg) (Record, uint64, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return Record{}, 0, fmt.Errorf("message on %s: %w", msg.Subject(), err)
	}
	r, err := decode(msg.Subject(), meta.Sequence.Stream, msg.Data())
	return r, meta.NumPending, err
}
