package eventstore

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Size of a reading of messages: at most so many are asked for at a time, and so many bytes, so that no more is held.
const (
	pullMessages = 256
	pullBytes    = 2 * maxPayload
)

// messageReader is one reading of a stream from its first message on.
type messageReader struct {
	store  *Store
	of     StreamState
	each   func(Message) error
	failed error  // of each
	last   uint64 // sequence of the last message that was handed over
	fresh  bool   // the consumer has delivered nothing yet
	read   int    // bytes since garbage was collected
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
	conn := r.store.js.Conn()
	inbox := conn.NewInbox()
	sub, err := conn.SubscribeSync(inbox + ".*")
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := sub.SetPendingLimits(-1, -1); err != nil { // what is asked for at a time is the limit
		return err
	}
	consumer, err := r.consume(ctx)
	if err != nil {
		return err
	}
	defer r.release(ctx, consumer)
	r.fresh = true
	for n := 0; r.last < r.of.Last; n++ {
		if err := r.pull(ctx, sub, consumer, inbox+"."+strconv.Itoa(n)); err != nil {
			return err
		}
	}
	return nil
}

// consume makes a consumer behind the last message.
func (r *messageReader) consume(ctx context.Context) (string, error) {
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
		return "", err
	}
	return consumer.CachedInfo().Name, nil
}

// release gives the consumer back. It expires by itself, too.
func (r *messageReader) release(ctx context.Context, consumer string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestWait)
	defer cancel()
	if r.store.js.Conn().IsConnected() {
		_ = r.store.js.DeleteConsumer(ctx, r.of.Name, consumer)
	}
}

// pull asks for some messages on an inbox of its own and hands them over. The pulls of nats.go ask for more while they are worked on, and lose some where
// that is slow.
func (r *messageReader) pull(ctx context.Context, sub *nats.Subscription, consumer, inbox string) error {
	count := min(pullMessages, r.of.Last-r.last)
	ask, err := json.Marshal(map[string]any{"batch": count, "max_bytes": pullBytes, "expires": requestWait})
	if err != nil {
		return err
	}
	subject := jetstream.DefaultAPIPrefix + "CONSUMER.MSG.NEXT." + r.of.Name + "." + consumer
	if err := r.store.js.Conn().PublishRequest(subject, inbox, ask); err != nil {
		return err
	}
	for got := uint64(0); got < count; {
		msg, err := nextOf(ctx, sub)
		if err != nil {
			return err
		}
		status := msg.Header.Get("Status")
		switch {
		case status == "" || len(msg.Data) > 0:
			got, err = got+1, r.hand(msg)
		case msg.Subject != inbox: // the end of the pull before
		case got == 0:
			err = fmt.Errorf("the server gives nothing: %s %s", status, msg.Header.Get("Description"))
		default:
			return nil // it gives no more for this time
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func nextOf(ctx context.Context, sub *nats.Subscription) (*nats.Msg, error) {
	waiting, cancel := context.WithTimeout(ctx, requestWait+time.Second)
	defer cancel()
	return sub.NextMsgWithContext(waiting)
}

// hand hands one message over.
func (r *messageReader) hand(msg *nats.Msg) error {
	meta, err := msg.Metadata()
	if err != nil {
		return err
	}
	switch at := r.last + 1; {
	case meta.Sequence.Stream != at && r.fresh:
		return &GapError{Stream: r.of.Name, After: r.last, Got: meta.Sequence.Stream}
	case meta.Sequence.Stream != at:
		return errLost
	}
	r.fresh = false
	m := Message{Seq: meta.Sequence.Stream, Time: meta.Timestamp.UTC(), Subject: msg.Subject, Header: ownHeader(msg.Header), Data: msg.Data}
	if r.failed = r.each(m); r.failed != nil {
		return r.failed
	}
	r.last = m.Seq
	r.collect(len(m.Data))
	return nil
}

// collectBytes is how much is read between two collections of garbage.
const collectBytes = 8 << 20

// collect frees what the embedded server has read. It keeps the files with large blobs in pools of buffers that outlive some
// collections, and the more they hold the later the next one comes: without this, all of the blobs were in memory at the end.
func (r *messageReader) collect(bytes int) {
	if r.read += bytes; r.store.embedded && r.read >= collectBytes {
		r.read = 0
		runtime.GC()
	}
}
