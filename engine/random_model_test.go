package engine

import (
	"fmt"

	"github.com/proofload/proofload/domain"
	"pgregory.net/rapid"
)

// bundleMaker draws a random bundle. Most are valid; their times lie on a coarse grid, so that many events fall
// on the same instant, and on odd nanoseconds.
type bundleMaker struct {
	t *rapid.T
	// quiet bundles draw no random number in a run: constant arrivals, fixed times, sure branches.
	quiet bool
	// faulty bundles have something that a run may refuse.
	faulty bool
	// busy bundles have long queues, and outages that fail what waits in them.
	busy bool
	// chatty bundles have messages above all.
	chatty bool

	ids      int
	services []string
	stores   []string
	levels   [2][]string // channels; handlers of one level publish to a higher one, so that no cycle arises
	levelOf  map[string]int
	model    domain.Model
	uses     domain.Flow
	budget   int // steps that may still be made
	branches []string
}

// pick draws one of the values.
func pick[T any](m *bundleMaker, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(m.t, label)
}

// upTo draws a number from 0 to most.
func (m *bundleMaker) upTo(label string, most int) int {
	return rapid.IntRange(0, most).Draw(m.t, label)
}

// chance is true one time in n; a minimal bundle has false everywhere.
func (m *bundleMaker) chance(label string, n int) bool { return m.upTo(label, n-1) == n-1 }

// either is the first of the numbers when it must be, else one of the others.
func (m *bundleMaker) either(first bool, label string, numbers ...int) int {
	if first {
		return numbers[0]
	}
	return pick(m, label, numbers[1:]...)
}

// id makes an id whose order says nothing about its kind.
func (m *bundleMaker) id() string {
	m.ids++
	return fmt.Sprintf("%s%d", pick(m, "letter", "m", "a", "Z", "0", "m.", "m-", "m_"), m.ids)
}

// ms draws a time of the grid.
func (m *bundleMaker) ms(label string) float64 {
	return pick(m, label, 0, 1, 2, 5, 10, 20, 50, 200, 0.5, 0.000001, 0.0000005, 3.000001, 1000)
}

func (m *bundleMaker) retry() domain.Retry {
	return domain.Retry{MaxAttempts: 1 + m.upTo("attempts", 3), BackoffMs: m.ms("backoff")}
}

// makeModel draws elements, operations, channels, bindings and subscriptions.
func (m *bundleMaker) makeModel() {
	m.levelOf = map[string]int{}
	for range 1 + m.upTo("services", 2) {
		m.services = append(m.services, m.addElement(pick(m, "kind", domain.KindService, domain.KindExternal)))
	}
	for range pick(m, "stores", 1, 0, 2) {
		m.stores = append(m.stores, m.addElement(domain.KindStore))
	}
	for range 1 + m.upTo("operations", 3) {
		m.model.Operations = append(m.model.Operations, domain.Operation{
			ID: m.id(), ElementID: pick(m, "element", m.services...), Name: "operation",
			TimeoutMs: m.ms("timeout"), Retry: m.retry(),
		})
	}
	m.addChannels()
}

func (m *bundleMaker) addElement(kind string) string {
	id := m.id()
	m.model.Elements = append(m.model.Elements, domain.Element{ID: id, Name: "element", Kind: kind})
	return id
}

func (m *bundleMaker) addChannels() {
	for level := range m.levels {
		for range m.either(m.chatty, "channels", 2, 1, 0) {
			id := m.id()
			m.levels[level] = append(m.levels[level], id)
			m.levelOf[id] = level
			m.model.Channels = append(m.model.Channels, domain.Channel{ID: id, Name: "channel", Kind: domain.KindTopic})
		}
	}
	if len(m.model.Channels) == 0 {
		return
	}
	for range pick(m, "bindings", 0, 1, 2, 4) {
		m.addBinding()
	}
	for range m.either(m.chatty, "subscriptions", 4, 1, 0, 2, 3) {
		sub := domain.Subscription{
			ID: m.id(), ChannelID: m.anyChannel(), ElementID: pick(m, "consumer", m.services...),
			Name: "subscription", Retry: m.retry(),
		}
		if m.chatty || m.chance("has dead letter", 2) {
			sub.DeadLetterChannelID = m.anyChannel()
		}
		m.model.Subscriptions = append(m.model.Subscriptions, sub)
	}
}

func (m *bundleMaker) anyChannel() string { return pick(m, "channel", m.model.Channels...).ID }

func (m *bundleMaker) addBinding() {
	from, to := m.anyChannel(), m.anyChannel()
	if m.levelOf[from] > m.levelOf[to] {
		from, to = to, from
	}
	m.model.Bindings = append(m.model.Bindings, domain.Binding{
		ID: m.id(), FromChannelID: from, ToChannelID: to,
		RoutingKey: pick(m, "pattern", "", "#", "*", "a", "a.#", "#.b", "*.b", "a.*", "#.a.#", "a.b", "*.*.*", "#.*"),
	})
}

// makeScenario draws the flow and the handlers.
func (m *bundleMaker) makeScenario() *domain.Scenario {
	m.budget = 16
	s := &domain.Scenario{Name: "scenario", Steps: m.steps(1, -1)}
	for _, sub := range m.model.Subscriptions {
		if m.chance("has handler", 2) {
			s.Handlers = append(s.Handlers, domain.Handler{
				SubscriptionID: sub.ID, Steps: m.steps(1, m.levelOf[sub.ChannelID]),
			})
		}
	}
	if m.chance("has faults", 4) {
		s.Faults = append(s.Faults, []byte(`{"kind":"fault"}`))
	}
	if m.faulty && m.chance("broken step", 8) {
		s.Steps = append(s.Steps, domain.Step{ID: m.id(), Kind: domain.StepWrite, ElementID: m.services[0]})
	}
	return s
}

// steps draws a sequence whose publishes go to channels above the level.
func (m *bundleMaker) steps(depth, level int) []domain.Step {
	steps := []domain.Step{}
	for range pick(m, "steps", 1, 0, 2, 3) {
		if m.budget > 0 {
			m.budget--
			steps = append(steps, m.step(depth, level))
		}
	}
	return steps
}

func (m *bundleMaker) step(depth, level int) domain.Step {
	kinds := []string{domain.StepCall, domain.StepCall, domain.StepCall}
	var targets []string
	for i, channels := range m.levels {
		if i > level || m.faulty && m.chance("may be a cycle", 8) {
			targets = append(targets, channels...)
		}
	}
	if len(m.stores) > 0 {
		kinds = append(kinds, domain.StepWrite)
	}
	if len(targets) > 0 {
		kinds = append(kinds, domain.StepPublish, domain.StepPublish)
	}
	if len(targets) > 0 && m.chatty {
		kinds = append(kinds, domain.StepPublish, domain.StepPublish, domain.StepPublish)
	}
	if depth < 4 {
		kinds = append(kinds, domain.StepParallel, domain.StepBranch)
	}
	s := domain.Step{ID: m.id(), Kind: pick(m, "step", kinds...)}
	switch s.Kind {
	case domain.StepCall:
		s.OperationID = pick(m, "operation", m.model.Operations...).ID
		if depth < 4 && m.chance("calls inside", 2) {
			s.Steps = m.steps(depth+1, level)
		}
		if depth < 4 && m.chance("on error", 3) {
			s.OnError = m.steps(depth+1, level)
		}
	case domain.StepWrite:
		s.ElementID = pick(m, "store", m.stores...)
	case domain.StepPublish:
		s.ChannelID = pick(m, "publishes to", targets...)
		s.RoutingKey = pick(m, "routing key", "", "a", "b", "a.b", "a.a.b", "c.b")
	case domain.StepParallel:
		s.Branches = m.parallel(depth, level)
	case domain.StepBranch:
		m.branches = append(m.branches, s.ID)
		s.Then, s.Else = m.steps(depth+1, level), m.steps(depth+1, level)
	}
	return s
}

// parallel draws branches; now and then a fan of equal calls, which makes a backlog in every flow.
func (m *bundleMaker) parallel(depth, level int) [][]domain.Step {
	var branches [][]domain.Step
	if m.chance("fan", 4) {
		op := pick(m, "fan operation", m.model.Operations...).ID
		for range 6 + m.upTo("fan branches", 8) {
			branches = append(branches, []domain.Step{{ID: m.id(), Kind: domain.StepCall, OperationID: op}})
		}
		return branches
	}
	for range 2 + m.upTo("branches", 1) {
		branches = append(branches, m.steps(depth+1, level))
	}
	return branches
}
