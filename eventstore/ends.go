package eventstore

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
)

// End is an aggregate and the last commit of it that its caller knows.
type End struct {
	Aggregate
	Tail Tail
}

// EndAt says that none of the aggregates has a commit after its tail, which was read or appended on the connection as it
// is. No commit is sent, and all are asked for at once: one costs two thirds of LastAfter, two little more than
// one. It cannot see that a tail itself is gone. So it says false unless the server is in this process: that one cannot
// come back with less while we are connected.
func (s *Store) EndAt(ctx context.Context, ends ...End) (bool, error) {
	for _, end := range ends {
		if err := end.check(); err != nil || !s.embedded || end.Tail.Seq == 0 {
			return false, err
		}
	}
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return false, fmt.Errorf("ends of %d aggregates: %w", len(ends), err)
	}
	defer cancel()
	ended, err := s.nothingAfter(asked, ends)
	if err != nil {
		return false, fmt.Errorf("ends of %d aggregates: %w", len(ends), readError(ctx, err))
	}
	return ended, nil
}

// nothingAfter asks for the message after each end before it waits for the first answer. Who asks one by one waits for
// each, and the server's and the client's goroutines wake up for each.
func (s *Store) nothingAfter(ctx context.Context, ends []End) (bool, error) {
	in, err := s.inbox()
	if err != nil {
		return false, err
	}
	for _, end := range ends {
		next := fmt.Appendf(nil, `{"seq":%d,"next_by_subj":%q}`, end.Tail.Seq+1, end.Subject())
		if err := s.js.Conn().PublishRequest("$JS.API.DIRECT.GET."+StreamEvents, in.sub.Subject, next); err != nil {
			in.drop()
			return false, err
		}
	}
	ended := true
	for range ends {
		select {
		case answer := <-in.answers:
			ended = ended && answer.Header.Get("Status") == "404" // no such message; whatever else is wrong, who reads will see
		case <-ctx.Done():
			in.drop()
			return false, ctx.Err()
		}
	}
	s.release(in)
	return ended, nil
}

// maxInboxes is how many inboxes are kept for callers to come, and maxAnswers how many answers one has room for.
const maxInboxes, maxAnswers = 8, 16

// inbox is a subscription for the answers to one caller's questions. The requests of nats.go have one answer each, and
// wait for it.
type inbox struct {
	sub     *nats.Subscription
	answers chan *nats.Msg
}

func (s *Store) inbox() (*inbox, error) {
	select {
	case in := <-s.inboxes:
		return in, nil
	default:
	}
	in := &inbox{answers: make(chan *nats.Msg, maxAnswers)}
	var err error
	in.sub, err = s.js.Conn().ChanSubscribe(s.js.Conn().NewInbox(), in.answers)
	return in, err
}

// release takes an inbox back of which every answer came.
func (s *Store) release(in *inbox) {
	select {
	case s.inboxes <- in:
	default:
		in.drop()
	}
}

// drop ends an inbox, so that an answer that is still to come is nobody's.
func (in *inbox) drop() { _ = in.sub.Unsubscribe() } // fails when the connection is closed, and it with it
