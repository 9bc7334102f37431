package domain

// Limits of a scenario (spec 1, Trace engine).
const (
	MaxNesting = 32    // depth of a step; a step of the top level has depth 1 (E72)
	MaxSteps   = 2_000 // of the flow and of all handlers
)

// Trace is what one job can do on its way through a scenario: every branch is taken both ways.
// A scenario with issues is refused; the rest then holds what resolves.
type Trace struct {
	Issues   []Issue         `json:"issues"`
	Steps    []TracedStep    `json:"steps"`
	Handlers []TracedHandler `json:"handlers"`
	Flow     Flow            `json:"-"`
}

// TraceScenario checks every step of a scenario against a model, also of handlers that nothing reaches
// (E72), and finds what its flow uses (E55). It is pure.
func TraceScenario(m Model, s Scenario) Trace {
	t := newTracer(m, s)
	flow := t.flow()
	return Trace{
		Issues:   t.check(),
		Steps:    t.traceSequence(s.Steps, 1),
		Handlers: t.traceHandlers(flow),
		Flow:     flow,
	}
}

// tracer is the work of one TraceScenario.
type tracer struct {
	parts
	router   *Router
	scenario Scenario

	handlers    map[string][]Step // of each subscription that has one
	handlerUses map[string]uses   // what all handlers of a subscription use
	routesLeft  int               // what the tree can still show, see traceRoutes
}

func newTracer(m Model, s Scenario) *tracer {
	t := &tracer{
		parts: partsOf(m), router: NewRouter(m), scenario: s,
		handlers: map[string][]Step{}, handlerUses: map[string]uses{}, routesLeft: maxTracedRoutes,
	}
	for _, h := range s.Handlers {
		t.handlers[h.SubscriptionID] = h.Steps
		used := t.handlerUses[h.SubscriptionID]
		used.add(t.usesOf(h.Steps))
		t.handlerUses[h.SubscriptionID] = used
	}
	return t
}
