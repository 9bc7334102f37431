package engine

import (
	"cmp"
	"slices"
)

// series samples the run at fixed instants (E57 to E59).
type series struct {
	intervalMs int64
	interval   int64 // ns
	next       int64 // the next instant; never: there is no more
	limit      int   // points
	flow       FlowSeries
	resources  []ResourceSeries
}

// newSeries makes room for all points, so that a sample allocates nothing.
func newSeries(durationNs, points int64, resources int) series {
	intervalMs := (durationNs + 120_000_000 - 1) / 120_000_000 // E59
	s := series{intervalMs: intervalMs, interval: intervalMs * 1_000_000, limit: int(points)}
	s.next = s.interval
	if points <= 0 {
		s.next = never
	}
	room := func() []int64 { return make([]int64, 0, s.limit) }
	s.flow = FlowSeries{Started: room(), Completed: room(), Failed: room(), InFlight: room()}
	for range resources {
		s.resources = append(s.resources, ResourceSeries{Depth: room(), Busy: room(), Completed: room(), TurnedAway: room()})
	}
	return s
}

// sample takes the point that is due. Counters are sums from instant 0 until the series is done.
func (e *engine) sample() {
	s := &e.series
	flow := &s.flow
	flow.Started = append(flow.Started, sum(e.flows.started))
	flow.Completed = append(flow.Completed, sum(e.flows.completed))
	flow.Failed = append(flow.Failed, sum(e.flows.failed))
	flow.InFlight = append(flow.InFlight, e.open[flowFrame])
	for i := range e.resources {
		r, points := &e.resources[i], &s.resources[i]
		points.Depth = append(points.Depth, r.depth)
		points.Busy = append(points.Busy, r.busy)
		points.Completed = append(points.Completed, sum(r.completed))
		points.TurnedAway = append(points.TurnedAway, r.turnedAway)
	}
	s.next += s.interval
	if len(flow.Started) == s.limit {
		s.next = never
	}
}

// result gives the points up to the first one that is not before an instant.
func (s *series) result(endNs, arrivalsEndNs int64, ids []string) Series {
	last := max(endNs, arrivalsEndNs)
	n := min(int((last+s.interval-1)/s.interval), s.limit)
	out := Series{IntervalMs: s.intervalMs, Truncated: endNs > int64(s.limit)*s.interval}
	for k := range int64(n) {
		out.PointsMs = append(out.PointsMs, (k+1)*s.intervalMs)
	}
	out.Flow = FlowSeries{
		Started: differences(s.flow.Started[:n]), Completed: differences(s.flow.Completed[:n]),
		Failed: differences(s.flow.Failed[:n]), InFlight: s.flow.InFlight[:n],
	}
	for i, r := range s.resources {
		out.Resources = append(out.Resources, ResourceSeries{
			ID: ids[i], Depth: r.Depth[:n], Busy: r.Busy[:n],
			Completed: differences(r.Completed[:n]), TurnedAway: differences(r.TurnedAway[:n]),
		})
	}
	slices.SortFunc(out.Resources, func(a, b ResourceSeries) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// differences turns sums into counts per interval, in place.
func differences(sums []int64) []int64 {
	for i := len(sums) - 1; i > 0; i-- {
		sums[i] -= sums[i-1]
	}
	return sums
}
