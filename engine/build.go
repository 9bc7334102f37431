package engine

import (
	"slices"

	"github.com/proofload/proofload/domain"
)

// builder makes the engine of a plan.
type builder struct {
	*engine
	plan      *plan
	compiler  compiler
	router    *domain.Router
	resources map[string]int32 // by element id and subscription id
	works     map[string]int16 // by operation, store and subscription id
	channels  map[string]int32 // of the publish steps
}

func newEngine(p *plan, observer *Observer) *engine {
	e := &engine{
		limits: p.limits, arrivals: newArrivals(p.arrivals, p.seed), warmUp: p.warmUp, duration: p.duration,
		drainLimit: p.duration + secondsToNs(float64(p.limits.DrainSeconds)), edges: windowEdges(p.warmUp, p.duration),
		slab: slab{free: none},
	}
	if observer != nil {
		e.observer = *observer
	}
	b := builder{
		engine: e, plan: p, router: domain.NewRouter(p.model),
		resources: map[string]int32{}, works: map[string]int16{}, channels: map[string]int32{},
	}
	b.addResources()
	b.addWorks()
	b.compile()
	e.flows.latency = b.summary("flow")
	e.series = newSeries(p.duration, p.limits.SeriesPoints, len(e.resources))
	e.findNextLook()
	return e
}

// addResources makes the pools of the elements, then those of the subscriptions.
func (b *builder) addResources() {
	for _, p := range b.plan.elements {
		b.addResource(p.id, "element:", p.Concurrency, p.QueueCapacity)
	}
	for _, p := range b.plan.subscriptions {
		b.addResource(p.id, "subscription:", p.consumers.Consumers, p.consumers.QueueCapacity)
	}
}

func (b *builder) addResource(id, prefix string, workers int, capacity *int) {
	r := resource{
		workers: int64(workers), capacity: unbounded, head: none, tail: none,
		wait: b.summary(prefix + id + ":wait"), latency: b.summary(prefix + id),
		requests: requests{last: -1}, backlog: newBacklog(),
	}
	if capacity != nil {
		r.capacity = int64(*capacity)
	}
	b.resources[id] = int32(len(b.engine.resources))
	b.engine.resources = append(b.engine.resources, r)
}

// addWorks makes the targets of work.
func (b *builder) addWorks() {
	for _, p := range b.plan.operations {
		b.addWork(p.id, b.resources[p.elementID], p.time.Time, p.id, p.elementID)
		o := operation{timeout: none, maxAttempts: uint8(p.policy.maxAttempts), latency: b.summary("operation:" + p.id)}
		if timeout := p.policy.timeoutNs(); timeout > 0 {
			o.timeout = b.addRing(timeoutRing, timeout)
		}
		o.backoff = b.addRing(retryRing, p.policy.backoffNs())
		b.operations = append(b.operations, o)
	}
	for _, p := range b.plan.stores {
		b.addWork(p.id, b.resources[p.id], p.time.Time, p.id)
	}
	b.firstSubscription = int16(len(b.engine.works))
	for _, p := range b.plan.subscriptions {
		b.addWork(p.id, b.resources[p.id], p.time.Time, p.id, p.elementID)
		b.subscriptions = append(b.subscriptions, subscription{
			maxAttempts: uint8(p.policy.maxAttempts), backoff: b.addRing(deliveryRing, p.policy.backoffNs()),
			deadLetter: b.deadLetter(p.deadLetterChannelID),
		})
	}
}

// addWork makes a target that is out when one of some things of the model is.
func (b *builder) addWork(id string, resource int32, time domain.Time, outOf ...string) {
	w := work{resource: resource, ring: none, time: newSampler(time, b.plan.seed, id), out: b.outage(outOf...)}
	if w.time.constant() {
		w.ring = b.addRing(serviceRing, w.time.draw())
	}
	b.works[id] = int16(len(b.engine.works))
	b.engine.works = append(b.engine.works, w)
}

// addRing gives the ring of a constant delay. Equal delays of one kind share one: it stays in order.
func (b *builder) addRing(kind int32, delay int64) int32 {
	for i, r := range b.rings {
		if r.kind == kind && r.delay == delay {
			return int32(i)
		}
	}
	b.rings = append(b.rings, ring{kind: kind, delay: delay})
	return int32(len(b.rings) - 1)
}

func (b *builder) deadLetter(channelID string) int32 {
	if channelID == "" {
		return none
	}
	b.channelOutages = append(b.channelOutages, b.outage(channelID))
	return int32(len(b.channelOutages) - 1)
}

// outage is that of one thing or of several together.
func (b *builder) outage(targets ...string) outage {
	var windows []span
	for _, target := range targets {
		for _, w := range b.plan.outagesOf(target) {
			windows = append(windows, span{secondsToNs(w.FromSeconds), secondsToNs(w.ToSeconds)})
		}
	}
	return outage{spans: mergeSpans(windows)}
}

func (b *builder) summary(name string) summary {
	return newSummary(b.plan.limits.KeptSamples, b.plan.seed, name)
}

// compile writes the program: the flow, then the handlers that it reaches.
func (b *builder) compile() {
	b.compiler = compiler{works: b.works, choosers: map[string]int32{}, publish: b.addPublish}
	for _, p := range b.plan.branches {
		b.compiler.choosers[p.StepID] = int32(len(b.choosers))
		b.choosers = append(b.choosers, newChooser(p.Probability, b.plan.seed, p.StepID))
	}
	for _, id := range b.plan.trace.Flow.Channels {
		b.channels[id] = int32(len(b.engine.channels))
		b.engine.channels = append(b.engine.channels, channel{})
	}
	b.start = b.compiler.sequence(b.plan.scenario.Steps)
	for i, p := range b.plan.subscriptions {
		b.subscriptions[i].steps = b.compiler.sequence(p.steps)
	}
	b.program = b.compiler.finish()
}

// addPublish fixes the routes of a publish step (spec 1, Routing of one message).
func (b *builder) addPublish(step domain.Step) int32 {
	walk := b.router.Walk(step.ChannelID, step.RoutingKey)
	p := publish{
		channel: b.channels[step.ChannelID], out: b.outage(step.ChannelID), all: b.workIDs(walk.Subscriptions()),
		order: make([]int32, 0, len(walk.Channels)), taken: make([]bool, len(walk.Channels)),
	}
	for i, c := range walk.Channels {
		node := walkChannel{out: b.outage(c.ID), subscriptions: b.workIDs(c.Subscriptions)}
		for _, next := range c.Next {
			node.next = append(node.next, int32(next))
		}
		p.walk = append(p.walk, node)
		p.mayClose = p.mayClose || i > 0 && len(node.out.spans) > 0
	}
	b.publishes = append(b.publishes, p)
	return int32(len(b.publishes) - 1)
}

func (b *builder) workIDs(subscriptions []string) []int16 {
	ids := make([]int16, len(subscriptions))
	for i, id := range subscriptions {
		ids[i] = b.works[id]
	}
	return slices.Clip(ids)
}
