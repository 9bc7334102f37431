package engine

import (
	"cmp"
	"slices"
)

// assembler turns the counters of a run into its result.
type assembler struct {
	*engine
	plan   *plan
	buffer []int64 // shared by the percentiles of all summaries
}

func (e *engine) result(p *plan) (*Result, error) {
	a := assembler{engine: e, plan: p}
	r := &Result{Events: e.events, EndMs: nsToMs(e.end), Drain: a.drain(), Flow: a.flow()}
	p.state(r)
	r.Operations, r.Elements = a.operationResults(), a.elements()
	r.Subscriptions, r.Channels = a.subscriptionResults(), a.channelResults()
	r.Bottleneck = bottleneck(r)
	r.Series = e.series.result(e.end, e.duration, a.resourceIDs())
	if err := r.sign(); err != nil {
		return nil, err
	}
	return r, nil
}

func (a *assembler) flow() FlowResult {
	f := &a.flows
	return FlowResult{
		Started: f.started[1], Completed: f.completed[1], Failed: f.failed[1],
		Open:                f.started[1] - f.completed[1] - f.failed[1],
		ThroughputPerSecond: a.perSecond(f.atClose - f.atOpen),
		Latency:             f.latency.result(&a.buffer),
	}
}

// perSecond is a count over the length of the window (E37).
func (a *assembler) perSecond(count int64) float64 {
	return float64(count) / (float64(a.duration-a.warmUp) / 1e9)
}

func (a *assembler) operationResults() []OperationResult {
	list := []OperationResult{}
	for i, p := range a.plan.operations {
		o := &a.operations[i]
		c := &o.counts
		list = append(list, OperationResult{
			ID: p.id, Attempts: c.attempts[1], Succeeded: c.succeeded[1], TimedOut: c.timedOut[1], Rejected: c.rejected[1],
			FailedByOutage: c.failedByOutage[1], FailedInside: c.failedInside[1], Retries: c.retries[1],
			Exhausted: c.exhausted[1], Latency: o.latency.result(&a.buffer),
		})
	}
	return list
}

func (a *assembler) elements() []ElementResult {
	list := []ElementResult{}
	for i, p := range a.plan.elements {
		r := &a.resources[i]
		c := &r.element
		list = append(list, ElementResult{
			ID: p.id, Kind: "element", Workers: p.Concurrency, QueueCapacity: p.QueueCapacity,
			Completed: r.completed[1], Wasted: c.wasted[1], WastedWorkerMs: nsToMs(c.wastedNs[1]),
			FailedInside: c.failedInside[1], Rejected: c.rejected[1], FailedByOutage: c.failedByOutage[1],
			ThroughputPerSecond: a.perSecond(r.window.closes.completed - r.window.opens.completed),
			ResourceResult:      a.resource(r),
		})
	}
	return list
}

func (a *assembler) subscriptionResults() []SubscriptionResult {
	list := []SubscriptionResult{}
	for i, p := range a.plan.subscriptions {
		r, c := &a.resources[len(a.plan.elements)+i], &a.subscriptions[i].counts
		list = append(list, SubscriptionResult{
			ID: p.id, Kind: "subscription", Workers: p.consumers.Consumers, QueueCapacity: p.consumers.QueueCapacity,
			Messages: c.messages[1], Deliveries: r.served[1] + r.failedAtWorker[1], Completed: r.completed[1],
			FailedDeliveries: c.failedDeliveries[1], Redelivered: c.redelivered[1], Overflowed: c.overflowed[1],
			DeadLettered: c.deadLettered[1], Dropped: c.dropped[1],
			ThroughputPerSecond: a.perSecond(r.window.closes.completed - r.window.opens.completed),
			ResourceResult:      a.resource(r),
		})
	}
	return list
}

func (a *assembler) channelResults() []ChannelResult {
	list := []ChannelResult{}
	for i, id := range a.plan.trace.Flow.Channels {
		c := &a.channels[i]
		list = append(list, ChannelResult{
			ID: id, Published: c.published[1], FailedByOutage: c.failedByOutage[1], Dropped: c.dropped[1],
		})
	}
	return list
}

// resource states what an element and a subscription have in common.
func (a *assembler) resource(r *resource) ResourceResult {
	window := a.duration - a.warmUp
	noise := a.noise(r)
	turnedAway := r.turnedAway - r.window.opens.turnedAway
	saturated, because := saturation(turnedAway, r.backlog.max, noise.Bound)
	windows := r.backlog.windows(noise.Bound, r.depth > 0)
	return ResourceResult{
		Utilisation: noise.Utilisation, Depth: r.depthResult(window), Noise: noise,
		Saturated: saturated, SaturatedBecause: because, TurnedAway: turnedAway,
		BacklogWindows: windows, BacklogWindowsFull: len(windows) == maxBacklogWindows,
		Growth: growth(r.window.middle, r.window.end, noise.Bound, window),
		Wait:   r.wait.result(&a.buffer), Latency: r.latency.result(&a.buffer),
	}
}

// noise computes the noise bound of a resource (the page, The noise bound).
func (a *assembler) noise(r *resource) Noise {
	n := Noise{
		N:           r.window.closes.requests - r.window.opens.requests,
		Utilisation: float64(r.inWindow().busy) / (float64(r.workers) * float64(a.duration-a.warmUp)),
		ArrivalCv2:  r.requests.gaps.cv2(),
		ServiceCv2:  r.holds.cv2(),
	}
	n.Variability = (n.ArrivalCv2 + n.ServiceCv2) / 2
	n.UpperUtilisation, n.Bound = noiseBound(n.N, n.Utilisation, n.Variability, a.limits.Queued+1)
	return n
}

// inWindow are the integrals over the measured window.
func (r *resource) inWindow() integrals {
	var all integrals
	for _, quarter := range r.area.parts[firstQuarter:afterWindow] {
		all.depth += quarter.depth
		all.busy += quarter.busy
	}
	return all
}

// depthResult is the time-weighted depth, each quarter over its own length (E37).
func (r *resource) depthResult(window int64) Depth {
	d := Depth{Mean: float64(r.inWindow().depth) / float64(window), Max: r.backlog.max}
	for k := range int64(4) {
		length := quarter(window, k+1) - quarter(window, k)
		d.Quarters[k] = float64(r.area.parts[firstQuarter+k].depth) / float64(length)
	}
	return d
}

// drain says what became of the work that was open when the arrivals stopped (E34, E46, E54).
func (a *assembler) drain() Drain {
	d := Drain{Drained: !a.anyOpen(), Left: Left{
		Flows: a.open[flowFrame], Calls: a.open[callFrame], Writes: a.open[writeFrame], Messages: a.open[messageFrame],
	}}
	if d.Drained {
		d.TimeMs = msOf(max(0, a.end-a.duration))
	}
	return d
}

// resourceIDs are in the order of the resources.
func (a *assembler) resourceIDs() []string {
	var ids []string
	for _, p := range a.plan.elements {
		ids = append(ids, p.id)
	}
	for _, p := range a.plan.subscriptions {
		ids = append(ids, p.id)
	}
	return ids
}

// bottleneck names the saturated resource with the highest utilisation; the lower id wins a tie.
func bottleneck(r *Result) Bottleneck {
	type candidate struct {
		id          string
		utilisation float64
	}
	var saturated []candidate
	for _, e := range r.Elements {
		if e.Saturated {
			saturated = append(saturated, candidate{e.ID, e.Utilisation})
		}
	}
	for _, s := range r.Subscriptions {
		if s.Saturated {
			saturated = append(saturated, candidate{s.ID, s.Utilisation})
		}
	}
	if len(saturated) == 0 {
		return Bottleneck{Rule: "none"}
	}
	first := slices.MinFunc(saturated, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.utilisation, a.utilisation), cmp.Compare(a.id, b.id))
	})
	return Bottleneck{ResourceID: &first.id, Rule: "highest-utilisation"}
}
