package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proofload/proofload/domain"
)

// twinSubscription is a subscription with its policy in force; it counts messages (E50).
type twinSubscription struct {
	t                       *twin
	id, elementID, deadTo   string
	maxAttempts             int
	backoff                 int64 // ns
	time                    func() int64
	messages, deliveries    int64
	completed, failed       int64
	redelivered, overflowed int64
	deadLettered, dropped   int64
	latency                 *twinSummary
}

// twinChannel counts the publishes of one channel (E51).
type twinChannel struct{ published, failedByOutage, dropped int64 }

// twinMessage is the copy of a message for one subscription.
type twinMessage struct {
	sub       *twinSubscription
	marked    bool
	published int64
	attempt   int
}

// run publishes a message; the publisher does not wait (E33).
func (s *twinPublishStep) run(t *twin, marked bool, done func(ok bool)) {
	channel := t.channels[s.channelID]
	if t.isOut(s.channelID) {
		twinCount(&channel.failedByOutage, marked)
		done(false)
		return
	}
	twinCount(&channel.published, marked)
	reached := t.routesOf(s.channelID, s.routingKey)
	if len(t.outages) > 0 {
		all := reached
		reached = t.walk(s.channelID, s.routingKey, func(c string) bool { return t.isOut(c) })
		t.lose(channel, all, reached, marked)
	}
	for _, id := range reached {
		sub := t.consumers[id]
		twinCount(&sub.messages, marked)
		t.left.Messages++
		(&twinMessage{sub: sub, marked: marked, published: t.now, attempt: 1}).join()
	}
	done(true)
}

// lose counts the copies for the subscriptions that a closed bound channel keeps from the message.
func (t *twin) lose(channel *twinChannel, all, reached []string, marked bool) {
	for _, id := range all {
		if !slices.Contains(reached, id) {
			twinCount(&t.consumers[id].messages, marked)
			twinCount(&t.consumers[id].dropped, marked)
			twinCount(&channel.dropped, marked)
		}
	}
}

// join asks for a consumer. A message that finds the queue full is given up (E21).
func (m *twinMessage) join() {
	s := m.sub
	accepted := s.t.resources[s.id].request(&twinWork{
		marked:  m.marked,
		time:    s.time,
		reaches: m.reaches,
		failed: func() {
			twinCount(&s.failed, m.marked)
			m.failed()
		},
		served: m.handle,
	})
	if !accepted {
		twinCount(&s.overflowed, m.marked)
		m.giveUp()
	}
}

// reaches tests the subscription and its element when the message reaches a consumer (E31).
func (m *twinMessage) reaches() bool {
	twinCount(&m.sub.deliveries, m.marked)
	return !m.sub.t.isOut(m.sub.id, m.sub.elementID)
}

// handle holds the consumer while the handler's steps run.
func (m *twinMessage) handle(w *twinWork) {
	s := m.sub
	s.t.handlers[s.id].run(s.t, m.marked, func(ok bool) {
		resource := s.t.resources[s.id]
		if !ok {
			twinCount(&s.failed, m.marked)
			resource.release(w)
			m.failed()
			return
		}
		s.t.left.Messages--
		s.t.end = s.t.now
		twinCount(&s.completed, m.marked)
		resource.complete()
		if m.marked {
			s.latency.add(s.t.now - m.published)
		}
		resource.release(w)
	})
}

// failed is what follows a failed delivery: the backoff and the back of the queue, or the end.
func (m *twinMessage) failed() {
	if m.attempt >= m.sub.maxAttempts {
		m.giveUp()
		return
	}
	m.sub.t.schedule(m.sub.backoff, func() {
		m.attempt++
		twinCount(&m.sub.redelivered, m.marked)
		m.join()
	})
}

// giveUp tests the dead-letter channel now (E52).
func (m *twinMessage) giveUp() {
	m.sub.t.left.Messages--
	m.sub.t.end = m.sub.t.now
	if m.sub.deadTo == "" || m.sub.t.isOut(m.sub.deadTo) {
		twinCount(&m.sub.dropped, m.marked)
	} else {
		twinCount(&m.sub.deadLettered, m.marked)
	}
}

// routesOf is the walk without outages, which is fixed before a run: ids of subscriptions.
func (t *twin) routesOf(channelID, routingKey string) []string {
	key := [2]string{channelID, routingKey}
	routes, known := t.routes[key]
	if !known {
		routes = t.walk(channelID, routingKey, func(string) bool { return false })
		t.routes[key] = routes
	}
	return routes
}

// walk goes breadth first from a channel, along bindings that match, never into a channel that is closed or
// was taken already (spec 1, Routing of one message).
func (t *twin) walk(channelID, routingKey string, closed func(channelID string) bool) []string {
	var routes []string
	taken := []string{channelID}
	for next := 0; next < len(taken); next++ {
		for _, sub := range t.in.Model.Subscriptions {
			if sub.ChannelID == taken[next] {
				routes = append(routes, sub.ID)
			}
		}
		for _, binding := range t.in.Model.Bindings {
			to := binding.ToChannelID
			if binding.FromChannelID == taken[next] && twinMatches(binding.RoutingKey, routingKey) &&
				!slices.Contains(taken, to) && !closed(to) {
				taken = append(taken, to)
			}
		}
	}
	return routes
}

// twinMatches tells whether a pattern matches a routing key, word by word (AMQP topics; E64).
func twinMatches(pattern, key string) bool {
	if pattern == "" {
		pattern = "#"
	}
	var words []string
	if key != "" {
		words = strings.Split(key, ".")
	}
	return twinMatchWords(strings.Split(pattern, "."), words)
}

func twinMatchWords(pattern, words []string) bool {
	switch {
	case len(pattern) == 0:
		return len(words) == 0
	case pattern[0] == "#":
		return twinMatchWords(pattern[1:], words) || len(words) > 0 && twinMatchWords(pattern, words[1:])
	case len(words) == 0:
		return false
	default:
		return (pattern[0] == "*" || pattern[0] == words[0]) && twinMatchWords(pattern[1:], words[1:])
	}
}

// twinSortModel puts subscriptions and bindings in ascending id order, in copies.
func twinSortModel(m domain.Model) domain.Model {
	m.Subscriptions = slices.SortedFunc(slices.Values(m.Subscriptions), func(a, b domain.Subscription) int { return cmp.Compare(a.ID, b.ID) })
	m.Bindings = slices.SortedFunc(slices.Values(m.Bindings), func(a, b domain.Binding) int { return cmp.Compare(a.ID, b.ID) })
	return m
}
