package eventstore

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	readAhead     = 500             // messages asked for in advance
	readerExpires = time.Minute     // the server drops a consumer that nobody asks any more
	stallCheck    = 2 * time.Second // of waiting in vain, then the stream is asked whether there is more
	requestWait   = 5 * time.Second // for one answer of the server that no client waits for
	laggingWait   = 3 * time.Second // for a new leader to catch up
	retryWait     = 100 * time.Millisecond
)

// errLost: a message did not reach us; another consumer will deliver it.
var errLost = errors.New("a message was lost on the way")

// readerSource is the ephemeral consumer of a reader, which comes and goes.
type readerSource struct {
	store    *Store
	created  time.Time // of the stream that is read
	consumer string
	messages jetstream.MessagesContext // nil: to be connected
	fresh    bool                      // nothing was delivered yet
}

// connect makes a consumer behind the position, if there is none.
func (c *readerSource) connect(ctx context.Context, after uint64) error {
	if c.messages != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	if _, err := c.store.reach(ctx, after, c.created); err != nil {
		return err
	}
	consumer, err := c.store.js.CreateConsumer(ctx, StreamEvents, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       after + 1,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: readerExpires,
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return err
	}
	c.consumer, c.fresh = consumer.CachedInfo().Name, true
	c.messages, err = consumer.Messages(jetstream.PullMaxMessages(readAhead), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	return err
}

// next reads the record behind last, and how many wait behind it at the server.
func (c *readerSource) next(ctx context.Context, last uint64) (Record, uint64, error) {
	msg, err := c.messages.Next(jetstream.NextContext(ctx))
	if err != nil {
		return Record{}, 0, err
	}
	record, pending, err := decodeMsg(msg)
	if err != nil {
		return Record{}, 0, err
	}
	if record.Seq != last+1 && c.fresh {
		return Record{}, 0, &GapError{After: last, Got: record.Seq}
	}
	if record.Seq != last+1 {
		return Record{}, 0, errLost
	}
	c.fresh = false
	return record, pending, nil
}

// drop forgets the consumer; connect makes another one.
func (c *readerSource) drop() {
	if c.messages != nil {
		c.messages.Stop()
	}
	c.messages = nil
}

// closed tells whether the connection was closed by its owner: the one loss that it does not recover from.
func (c *readerSource) closed() bool { return c.store.js.Conn().IsClosed() }

func (c *readerSource) close() {
	c.drop()
	if !c.store.js.Conn().IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestWait)
	defer cancel()
	_ = c.store.js.DeleteConsumer(ctx, StreamEvents, c.consumer) // it expires by itself, too
}
