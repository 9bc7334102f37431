package eventstore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The codes are those of nats-server's errors.json.
func TestAppendError(t *testing.T) {
	api := func(status int, code jetstream.ErrorCode) error {
		return fmt.Errorf("nats: %w", &jetstream.APIError{Code: status, ErrorCode: code, Description: "wrong last sequence: 7"})
	}
	for name, c := range map[string]struct{ err, want error }{
		"wrong last sequence":            {api(400, 10071), ErrRaced},
		"wrong last sequence, in flight": {api(400, 10164), ErrRaced},
		"message too large":              {api(400, 10054), ErrTooLarge},
		"maximum bytes":                  {api(503, 10077), ErrFull},
		"insufficient resources":         {api(503, 10023), ErrFull},
		"storage exceeded":               {api(500, 10047), ErrFull},
		"temporarily unavailable":        {api(503, 10008), ErrUnknownOutcome},
		"not the leader":                 {api(500, 10009), ErrUnknownOutcome},
		"payload":                        {nats.ErrMaxPayload, ErrTooLarge},
		"timeout":                        {nats.ErrTimeout, ErrUnknownOutcome},
		"deadline":                       {context.DeadlineExceeded, ErrUnknownOutcome},
		"cancelled":                      {context.Canceled, ErrUnknownOutcome},
		"no responders":                  {nats.ErrNoResponders, ErrUnknownOutcome},
		"no stream answers":              {jetstream.ErrNoStreamResponse, ErrUnreachable},
		"no connection":                  {nats.ErrReconnectBufExceeded, ErrUnreachable},
		"closed":                         {nats.ErrConnectionClosed, ErrUnknownOutcome},
		"reconnecting":                   {nats.ErrConnectionReconnecting, ErrUnknownOutcome},
		"answer that is no JSON":         {jetstream.ErrInvalidJSAck, ErrUnknownOutcome},
	} {
		got := appendError(c.err)
		if !errors.Is(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for _, other := range []error{ErrRaced, ErrTooLarge, ErrFull, ErrUnknownOutcome, ErrUnreachable} {
			if !errors.Is(c.want, other) && errors.Is(got, other) {
				t.Errorf("%s: also %v", name, other)
			}
		}
	}
	if got := appendError(api(400, 10060)); errors.Is(got, ErrRaced) || errors.Is(got, ErrUnknownOutcome) {
		t.Errorf("another stream: %v", got)
	}
}

// A stream at its limit refuses, and keeps what it has.
func TestAppendFull(t *testing.T) {
	s := newStore(t)
	cfg := s.events.CachedInfo().Config
	cfg.MaxBytes = 1000
	if _, err := s.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	var tail Tail
	for n := range 20 {
		r, err := s.Append(t.Context(), profile("p"), tail, commit(n))
		if errors.Is(err, ErrFull) {
			if got := mustLoad(t, s, profile("p")); len(got) != n || n == 0 {
				t.Errorf("%d commits after %d were acknowledged", len(got), n)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		tail = r.Tail()
	}
	t.Error("the limit of the stream does not hold")
}

// What a request for a stream that was found before may be told while the cluster is on its way, and what it is told for good.
func TestReadError(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		away bool
	}{
		"a stream of which the server that answers does not know yet": {jetstream.ErrStreamNotFound, true},
		"the same, without the client's own word":                     {&jetstream.APIError{Code: 404, ErrorCode: 10059}, true},
		"no leader":          {&jetstream.APIError{Code: 503, ErrorCode: 10008}, true},
		"no answer":          {nats.ErrTimeout, true},
		"the caller's limit": {context.DeadlineExceeded, true},
		"no message":         {jetstream.ErrMsgNotFound, false},
		"no consumer":        {jetstream.ErrConsumerNotFound, false},
		"a bad request":      {&jetstream.APIError{Code: 400, ErrorCode: 10003}, false},
	} {
		if got := readError(t.Context(), fmt.Errorf("nats: %w", c.err)); errors.Is(got, ErrUnreachable) != c.away || !errors.Is(got, c.err) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Of a stream that another server has just made, a server of the cluster may say that there is none: also behind the moment
// in which the stream was found, none of the looks of Open is final about it.
func TestAStreamThatIsNotKnownYetIsAway(t *testing.T) {
	s := newStore(t)
	if err := errors.Join(s.js.DeleteStream(t.Context(), StreamEvents), s.js.DeleteStream(t.Context(), StreamBlobs)); err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]func() error{
		"the end of the events": func() error { return s.checkEnd(t.Context(), s.events) },
		"the end of the blobs":  func() error { return s.checkEnd(t.Context(), s.blobs) },
		"its consumers":         func() error { return s.checkConsumers(t.Context()) },
		"its position":          func() error { _, err := s.Position(t.Context()); return err },
		"a consumer":            func() error { _, err := s.DurableConsumer(t.Context(), "c", "evt.>", time.Second, 1); return err },
		"loading":               func() error { _, err := s.Load(t.Context(), profile("p")); return err },
		"the last commit":       func() error { _, err := s.Last(t.Context(), profile("p")); return err },
		"the first commit":      func() error { _, err := s.FindFirst(t.Context(), "profile", "p"); return err },
		"reading":               func() error { _, err := s.Read(t.Context(), 0); return err },
		"a blob":                func() error { _, err := s.Blob(t.Context(), hashOf(nil)); return err },
		"putting a blob":        func() error { _, err := s.PutBlob(t.Context(), nil); return err },
		"appending":             func() error { _, err := s.Append(t.Context(), profile("p"), Tail{}, commit(1)); return err },
	} {
		if err := look(); !errors.Is(err, ErrUnreachable) && !errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
