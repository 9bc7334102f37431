package engine

import (
	"maps"
	"slices"
)

// fill writes everything that the run counted into a result.
func (t *twin) fill(r *Result) {
	r.Flow = FlowResult{
		Started: t.flow.started, Completed: t.flow.completed, Failed: t.flow.failed,
		Open:                t.flow.started - t.flow.completed - t.flow.failed,
		ThroughputPerSecond: t.perSecond(t.flow.completedInWindow), Latency: t.flow.latency.result(),
	}
	r.Operations = twinCollect(t.operations, t.operationResult)
	r.Elements = twinCollect(t.elements, t.elementResult)
	r.Subscriptions = twinCollect(t.consumers, t.subscriptionResult)
	r.Channels = twinCollect(t.channels, func(id string, c *twinChannel) ChannelResult {
		return ChannelResult{ID: id, Published: c.published, FailedByOutage: c.failedByOutage, Dropped: c.dropped}
	})
	r.Bottleneck = twinBottleneck(r)
	r.Series = t.series.result(t)
	r.Drain = Drain{Drained: t.left == Left{}, Left: t.left}
	if r.Drain.Drained {
		r.Drain.TimeMs = twinMsPointer(max(0, t.end-t.duration))
	}
	r.EndMs, r.Events = twinMs(t.end), t.events
}

// twinCollect makes the list of things in ascending id order.
func twinCollect[T, R any](things map[string]T, result func(id string, thing T) R) []R {
	list := []R{}
	for _, id := range slices.Sorted(maps.Keys(things)) {
		list = append(list, result(id, things[id]))
	}
	return list
}

// perSecond is a count over the measured window (E37).
func (t *twin) perSecond(count int64) float64 {
	return float64(count) / (float64(t.duration-t.warmUp) / 1e9)
}

func (t *twin) operationResult(id string, op *twinOperation) OperationResult {
	return OperationResult{
		ID: id, Attempts: op.attempts, Succeeded: op.succeeded, TimedOut: op.timedOut, Rejected: op.rejected,
		FailedByOutage: op.failedByOutage, FailedInside: op.failedInside, Retries: op.retries,
		Exhausted: op.exhausted, Latency: op.latency.result(),
	}
}

func (t *twin) elementResult(id string, e *twinElement) ElementResult {
	r := t.resources[id]
	return ElementResult{
		ID: id, Kind: "element", Workers: int(r.workers), QueueCapacity: r.capacity,
		Completed: e.completed, Wasted: e.wasted, WastedWorkerMs: twinMs(e.wastedTime),
		FailedInside: e.failedInside, Rejected: e.rejected, FailedByOutage: e.failedByOutage,
		ThroughputPerSecond: t.perSecond(r.completedInWindow), ResourceResult: t.resourceResult(r, e.latency),
	}
}

func (t *twin) subscriptionResult(id string, s *twinSubscription) SubscriptionResult {
	r := t.resources[id]
	return SubscriptionResult{
		ID: id, Kind: "subscription", Workers: int(r.workers), QueueCapacity: r.capacity,
		Messages: s.messages, Deliveries: s.deliveries, Completed: s.completed, FailedDeliveries: s.failed,
		Redelivered: s.redelivered, Overflowed: s.overflowed, DeadLettered: s.deadLettered, Dropped: s.dropped,
		ThroughputPerSecond: t.perSecond(r.completedInWindow), ResourceResult: t.resourceResult(r, s.latency),
	}
}

func (t *twin) resourceResult(r *twinResource, latency *twinSummary) ResourceResult {
	r.integrateTo(t.drainLimit) // E22
	window := t.duration - t.warmUp
	utilisation := float64(r.busyTime) / (float64(r.workers) * float64(window))
	noise := twinNoise(r.requests, utilisation, r.gaps.cv2(), r.holds.cv2(), t.in.Limits.Queued)
	result := ResourceResult{
		Utilisation: utilisation, Depth: t.depth(r), Wait: r.wait.result(), Noise: noise,
		SaturatedBecause: []string{}, TurnedAway: r.turnedAway,
		BacklogWindows: r.backlogWindows(noise.Bound), Latency: latency.result(),
	}
	result.BacklogWindowsFull = len(result.BacklogWindows) == 4
	if r.turnedAway > 0 {
		result.SaturatedBecause = append(result.SaturatedBecause, TurnsWorkAway)
	}
	if r.depthMax >= noise.Bound {
		result.SaturatedBecause = append(result.SaturatedBecause, ReachesNoiseBound)
	}
	result.Saturated = len(result.SaturatedBecause) > 0
	if grown := r.depthAtFull - r.depthAtHalf; grown >= noise.Bound {
		perSecond := float64(grown) / (float64(window) / 1e9 / 2)
		result.Growth = Growth{Grows: true, PerSecond: &perSecond}
	}
	return result
}

// depth is time-weighted over the window and over each quarter of it (E23, E37).
func (t *twin) depth(r *twinResource) Depth {
	window, total := t.duration-t.warmUp, int64(0)
	depth := Depth{Max: r.depthMax}
	for q := range int64(4) {
		total += r.depthTime[q]
		depth.Quarters[q] = float64(r.depthTime[q]) / float64(window*(q+1)/4-window*q/4)
	}
	depth.Mean = float64(total) / float64(window)
	return depth
}

// twinBottleneck is the saturated resource with the highest utilisation; the lower id wins a tie.
func twinBottleneck(r *Result) Bottleneck {
	bottleneck, highest := Bottleneck{Rule: "none"}, -1.0
	consider := func(id string, resource *ResourceResult) {
		lower := bottleneck.ResourceID != nil && resource.Utilisation == highest && id < *bottleneck.ResourceID
		if resource.Saturated && (resource.Utilisation > highest || lower) {
			bottleneck, highest = Bottleneck{ResourceID: &id, Rule: "highest-utilisation"}, resource.Utilisation
		}
	}
	for i := range r.Elements {
		consider(r.Elements[i].ID, &r.Elements[i].ResourceResult)
	}
	for i := range r.Subscriptions {
		consider(r.Subscriptions[i].ID, &r.Subscriptions[i].ResourceResult)
	}
	return bottleneck
}
