package eventstore

import (
	"context"
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
	consumer, err := s.js.CreateOrUpdateConsumer(ctx, StreamEvents, jetstream.ConsumerConfig{
		Durable:       name,
		FilterSubject: filterSubject,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxDeliver:    -1,
		MaxAckPending: maxAckPending,
	})
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", name, err)
	}
	return consumer, nil
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
