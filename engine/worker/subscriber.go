package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Times of the subscriber.
const (
	openAgain  = time.Second     // after trouble with the consumer
	retryAfter = 2 * time.Second // times the number of deliveries, before a message that failed comes again
	// handBack is when a message that a stop gives back is delivered again: after the server has seen that the
	// other slots ask for nothing any more. One that it sends to them is lost for ackWait.
	handBack = 250 * time.Millisecond
	// silence is half of when a server that says nothing counts as lost: it tells this often that it still has nothing.
	silence = 2 * time.Second
)

// subscriber gives the messages of a pull consumer to a Watermill router. Each of its slots holds one message
// at a time and tells the server that it is still at it, until the router has acknowledged it.
type subscriber struct {
	open      func(ctx context.Context, subject string) (jetstream.Consumer, error)
	slots     int
	newer     time.Duration // times the number of deliveries, before a message for a newer worker comes again
	heartbeat time.Duration // a part of the time after which the server takes a message for lost
	log       *slog.Logger
}

// Subscribe delivers until ctx is done. The channel is closed after its last sender is gone.
func (s *subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	out := make(chan *message.Message)
	var slots sync.WaitGroup
	for range s.slots {
		slots.Go(func() { s.serve(ctx, topic, out) })
	}
	go func() {
		slots.Wait()
		close(out)
	}()
	return out, nil
}

// Close has nothing to do: the context of Subscribe ends it.
func (s *subscriber) Close() error { return nil }

// serve opens the consumer, again and again after trouble.
func (s *subscriber) serve(ctx context.Context, topic string, out chan<- *message.Message) {
	for ctx.Err() == nil {
		consumer, err := s.open(ctx, topic)
		if err == nil {
			err = s.deliver(ctx, consumer, out)
		}
		if ctx.Err() != nil {
			return
		}
		s.log.WarnContext(ctx, "the consumer is opened again", "topic", topic, "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(openAgain):
		}
	}
}

// deliver takes one message after the other, until the consumer fails or ctx is done.
func (s *subscriber) deliver(ctx context.Context, consumer jetstream.Consumer, out chan<- *message.Message) error {
	for {
		m, err := consumer.Next(jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(silence))
		switch {
		case err == nil:
			s.pass(ctx, m, out)
		case ctx.Err() != nil || !errors.Is(err, nats.ErrTimeout): // a timeout: nothing came
			return err
		}
	}
}

// pass gives one message to the router and answers the server with what became of it.
func (s *subscriber) pass(ctx context.Context, m jetstream.Msg, out chan<- *message.Message) {
	msg, times, err := translate(ctx, m)
	if err != nil { // it will never be better
		s.log.ErrorContext(ctx, "a message cannot be read", "subject", m.Subject(), "err", err)
		s.told(ctx, m, m.TermWithReason("it cannot be read"))
		return
	}
	select {
	case out <- msg:
		s.told(ctx, m, s.settle(ctx, m, msg, times))
	case <-ctx.Done():
		s.told(ctx, m, m.NakWithDelay(handBack))
	}
}

// settle waits for the router's answer and passes it on. A message that failed comes again later, one that is
// handed back by a stop soon.
func (s *subscriber) settle(ctx context.Context, m jetstream.Msg, msg *message.Message, times uint64) error {
	beat := time.NewTicker(s.heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-msg.Acked():
			return m.Ack()
		case <-msg.Nacked():
			if ctx.Err() != nil {
				return m.NakWithDelay(handBack)
			}
			again := retryAfter
			if msg.Metadata.Get(metaNewer) != "" {
				again = s.newer
			}
			return m.NakWithDelay(time.Duration(times) * again)
		case <-beat.C:
			s.told(ctx, m, m.InProgress())
		}
	}
}

// told logs that the server was not told something. It then delivers the message again.
func (s *subscriber) told(ctx context.Context, m jetstream.Msg, err error) {
	if err != nil {
		s.log.WarnContext(ctx, "the server was not told about a message", "subject", m.Subject(), "err", err)
	}
}
