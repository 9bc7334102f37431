package engine

import "github.com/proofload/proofload/domain"

// Names of the limits that stop a run or refuse it (the page, Limits; E66).
const (
	limitDuration = "duration"
	limitArrivals = "arrivals"
	limitTargets  = "targets"
	limitRoutes   = "routes"
	limitEvents   = "events"
	limitQueued   = "queued"
	limitPending  = "pending"
)

// checkLimits is stage 4: the first limit that the run is over before it starts (E65).
func checkLimits(a domain.Arrivals, flow domain.Flow, limits Limits) error {
	switch {
	case secondsToNs(a.DurationSeconds) > secondsToNs(float64(limits.Duration)): // E67
		return limits.over(limitDuration)
	case meanArrivals(a) > float64(limits.Arrivals): // E16
		return limits.over(limitArrivals)
	case targets(flow) > limits.Targets:
		return limits.over(limitTargets)
	case int64(flow.MaxRoutes) > limits.Routes: // E64
		return limits.over(limitRoutes)
	}
	return nil
}

// over is the refusal of a run that is over the limit of this name.
func (l Limits) over(limit string) error {
	most, unit := map[string]int64{
		limitDuration: l.Duration, limitArrivals: l.Arrivals, limitTargets: l.Targets, limitRoutes: l.Routes,
		limitEvents: l.Events, limitQueued: l.Queued, limitPending: l.Pending,
	}[limit], ""
	if limit == limitDuration {
		unit = " s"
	}
	return domain.TooLarge(limit, float64(most), unit)
}

// targets counts the resources, service times and subscriptions of a flow (E69).
func targets(flow domain.Flow) int64 {
	return int64(len(flow.Elements) + len(flow.Operations) + len(flow.Stores) + 2*len(flow.Subscriptions))
}
