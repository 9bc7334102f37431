package engine

import (
	"fmt"
	"strings"
)

// CheckError says that the numbers of a run contradict each other. It is an error of the program, never of an input.
type CheckError struct{ Violations []Violation }

// Violation is one law that does not hold: the two sides, of which each part is named.
type Violation struct {
	Law         string // in words: what should be equal, or at most the other
	Of          string // the id of a thing of the model; empty: the whole run
	Left, Right int64
}

func (e *CheckError) Error() string {
	texts := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		texts[i] = fmt.Sprintf("%s %s: %d, %d", v.Of, v.Law, v.Left, v.Right)
	}
	return "engine: the numbers of a run contradict each other: " + strings.Join(texts, "; ")
}

// checker looks at the counters of a whole run, of marked and other work together.
type checker struct {
	*engine
	census     census
	violations []Violation
}

// check tests that work is conserved, that Little's law holds exactly and that no worker did two things at once.
func (e *engine) check(p *plan) error {
	c := checker{engine: e, census: e.takeCensus()}
	c.flows()
	for i, o := range p.operations {
		c.operation(i, o.id)
	}
	for i, s := range p.elements {
		c.resource(int32(i), s.id)
		c.element(int32(i), s.id)
	}
	for i, s := range p.subscriptions {
		c.resource(int32(len(p.elements)+i), s.id)
		c.subscription(i, s.id)
	}
	c.messages()
	c.equal("", "pending = scheduled events in rings and queue", e.pending(), c.census.scheduled)
	if len(c.violations) > 0 {
		return &CheckError{Violations: c.violations}
	}
	return nil
}

func (c *checker) equal(of, law string, left, right int64) {
	if left != right {
		c.violations = append(c.violations, Violation{Law: law, Of: of, Left: left, Right: right})
	}
}

func (c *checker) atMost(of, law string, left, right int64) {
	if left > right {
		c.violations = append(c.violations, Violation{Law: law, Of: of, Left: left, Right: right})
	}
}

func (c *checker) flows() {
	f := &c.engine.flows
	c.equal("", "started flows = completed + failed + open",
		sum(f.started), sum(f.completed)+sum(f.failed)+c.open[flowFrame])
	c.equal("", "latency samples of flows = completed", f.latency.count(), f.completed[1])
}

func (c *checker) operation(i int, id string) {
	o := &c.operations[i]
	n := &o.counts
	c.equal(id, "attempts = succeeded + timed out + rejected + failed by outage + failed inside + open", sum(n.attempts),
		sum(n.succeeded)+sum(n.timedOut)+sum(n.rejected)+sum(n.failedByOutage)+sum(n.failedInside)+c.census.attempts[i])
	c.equal(id, "attempts - retries = succeeded + exhausted + open calls",
		sum(n.attempts)-sum(n.retries), sum(n.succeeded)+sum(n.exhausted)+c.census.calls[i])
	c.equal(id, "latency samples = succeeded", o.latency.count(), n.succeeded[1])
}

// resource tests what holds for every pool of workers with its queue.
func (c *checker) resource(i int32, id string) {
	r, seen := &c.resources[i], &c.census.resources[i]
	c.equal(id, "requests = served + failed at the worker + turned away + waiting",
		r.requests.n, sum(r.served)+sum(r.failedAtWorker)+r.turnedAway+r.depth)
	c.equal(id, "depth = waiting frames", r.depth, seen.waiting)
	c.equal(id, "busy = held frames", r.busy, seen.held)
	c.equal(id, "wait samples = served", r.wait.count(), r.served[1])
	var total integrals
	for part, length := range c.partLengths() {
		total.depth += r.area.parts[part].depth
		total.busy += r.area.parts[part].busy
		c.atMost(id, "busy time <= workers × time", r.area.parts[part].busy, r.workers*length)
	}
	c.equal(id, "Little's law: time integral of the depth = sum of the waits (ns)", total.depth, r.waited+seen.waitedNs)
	c.equal(id, "time integral of the busy workers = sum of the holds (ns)", total.busy, r.held+seen.heldNs)
}

// element follows the works of an element from their start to their end.
func (c *checker) element(i int32, id string) {
	r := &c.resources[i]
	started := sum(r.element.writes)
	for w := range c.operations {
		if c.works[w].resource == i {
			started += sum(c.operations[w].counts.attempts)
		}
	}
	n := &r.element
	c.equal(id, "started = completed + failed inside + wasted + failed by outage + rejected + waiting + held", started,
		sum(r.completed)+sum(n.failedInside)+sum(n.wasted)+sum(n.failedByOutage)+sum(n.rejected)+r.depth+r.busy)
	c.equal(id, "turned away = rejected", r.turnedAway, sum(n.rejected))
	c.equal(id, "latency samples = served - held", r.latency.count(), r.served[1]-c.census.resources[i].heldMarked)
}

func (c *checker) subscription(i int, id string) {
	w := c.firstSubscription + int16(i)
	n, r := &c.subscriptions[i].counts, &c.resources[c.works[w].resource]
	c.equal(id, "messages = completed + dead-lettered + dropped + open",
		sum(n.messages), sum(r.completed)+sum(n.deadLettered)+sum(n.dropped)+c.census.messages[i])
	c.equal(id, "deliveries = completed + failed + held",
		sum(r.served)+sum(r.failedAtWorker), sum(r.completed)+sum(n.failedDeliveries)+r.busy)
	c.equal(id, "turned away = overflowed", r.turnedAway, sum(n.overflowed))
	c.equal(id, "latency samples = completed", r.latency.count(), r.completed[1])
}

// messages tests that each copy of a published message asked for a consumer or was lost on its way.
func (c *checker) messages() {
	var routed, lost, asked int64
	for i := range c.subscriptions {
		n := &c.subscriptions[i].counts
		routed += sum(n.messages) + sum(n.redelivered)
		asked += c.resources[c.works[int(c.firstSubscription)+i].resource].requests.n
	}
	for i := range c.channels {
		lost += sum(c.channels[i].dropped)
	}
	c.equal("", "messages + redelivered = requests for a consumer + lost on closed routes", routed, asked+lost)
}

// partLengths are the lengths of the parts of the run in ns.
func (c *checker) partLengths() [parts]int64 {
	lengths, window := [parts]int64{}, c.duration-c.warmUp
	lengths[beforeWindow] = c.warmUp
	for k := range int64(4) {
		lengths[firstQuarter+k] = quarter(window, k+1) - quarter(window, k)
	}
	lengths[afterWindow] = c.summedTo - c.duration
	return lengths
}
