package eventstore

import (
	"context"
	"errors"
	"fmt"
	"testing"

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
