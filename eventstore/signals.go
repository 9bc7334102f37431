package eventstore

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// signalPrefix is the first token of the subjects of signals. No stream takes them.
const signalPrefix = "sig."

// Signal tells something to those who listen at this moment, in this process and others. It is kept nowhere: a
// listener that is not connected misses it, so that nothing may depend on it but speed.
func (s *Store) Signal(subject string, data []byte) error {
	if err := s.js.Conn().Publish(signalPrefix+subject, data); err != nil {
		return fmt.Errorf("signal %s: %w", subject, err)
	}
	return nil
}

// Listen calls hear for each signal on the subject, which may have wildcards; one after the other. When it
// returns, the server has the subscription.
func (s *Store) Listen(subject string, hear func(subject string, data []byte)) (stop func(), err error) {
	sub, err := s.js.Conn().Subscribe(signalPrefix+subject, func(m *nats.Msg) { hear(m.Subject[len(signalPrefix):], m.Data) })
	if err != nil {
		return nil, fmt.Errorf("listen to %s: %w", subject, err)
	}
	stop = func() { _ = sub.Unsubscribe() } // it fails when the connection is closed: then it is done
	if err := s.js.Conn().FlushTimeout(requestWait); err != nil {
		stop()
		return nil, fmt.Errorf("listen to %s: %w", subject, err)
	}
	return stop, nil
}
