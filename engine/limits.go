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
		return domain.TooLarge(limitDuration)
	case meanArrivals(a) > float64(limits.Arrivals): // E16
		return domain.TooLarge(limitArrivals)
	case targets(flow) > limits.Targets:
		return domain.TooLarge(limitTargets)
	case int64(flow.MaxRoutes) > limits.Routes: // E64
		return domain.TooLarge(limitRoutes)
	}
	return nil
}

// targets counts the resources, service times and subscriptions of a flow (E69).
func targets(flow domain.Flow) int64 {
	return int64(len(flow.Elements) + len(flow.Operations) + len(flow.Stores) + 2*len(flow.Subscriptions))
}
