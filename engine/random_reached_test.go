package engine

import "github.com/proofload/proofload/domain"

// reachable is what some bundle of a large number must reach, so that the comparison means something.
var reachable = []string{
	domain.CodeInvalidProfile, domain.CodeInvalidScenario, domain.CodeUnknownScenario, domain.CodeMissingConcurrency,
	domain.CodeMissingServiceTime, domain.CodeMissingConsumers, domain.CodeMissingBranchProbability, domain.CodeUnknownTarget,
	"over arrivals", "over events", "over queued", "over pending", "over targets", "over routes",
	"a result", "a listed backlog", "growth", "a bottleneck", "a truncated series", "a reservoir",
	"work left: flows", "work left: calls", "work left: writes", "work left: messages",
	"timed out", "rejected", "failed by outage", "failed inside", "retries", "exhausted", "wasted", "wasted without time",
	"overflowed", "redelivered", "dead-lettered", "dropped", "dropped copies", "publishes failed by outage",
	"above 1000 events",
}

// reachedBy says what an outcome reached.
func reachedBy(o outcome) []string {
	if o.Result == nil {
		if limit := o.Issues[0].Limit; limit != "" {
			return []string{"over " + limit}
		}
		return []string{o.Issues[0].Code}
	}
	r, names := o.Result, []string{"a result"}
	add := func(name string, yes bool) {
		if yes {
			names = append(names, name)
		}
	}
	add("above 1000 events", r.Events > 1000)
	add("a bottleneck", r.Bottleneck.ResourceID != nil)
	add("a truncated series", r.Series.Truncated)
	add("a reservoir", r.Flow.Latency.Reservoir)
	add("work left: flows", r.Drain.Left.Flows > 0)
	add("work left: calls", r.Drain.Left.Calls > 0)
	add("work left: writes", r.Drain.Left.Writes > 0)
	add("work left: messages", r.Drain.Left.Messages > 0)
	for _, op := range r.Operations {
		add("timed out", op.TimedOut > 0)
		add("rejected", op.Rejected > 0)
		add("failed by outage", op.FailedByOutage > 0)
		add("failed inside", op.FailedInside > 0)
		add("retries", op.Retries > 0)
		add("exhausted", op.Exhausted > 0)
	}
	for _, e := range r.Elements {
		add("wasted", e.Wasted > 0)
		add("wasted without time", e.Wasted > 0 && e.WastedWorkerMs == 0)
		addBacklogs(add, e.ResourceResult)
	}
	for _, s := range r.Subscriptions {
		add("overflowed", s.Overflowed > 0)
		add("redelivered", s.Redelivered > 0)
		add("dead-lettered", s.DeadLettered > 0)
		add("dropped", s.Dropped > 0)
		addBacklogs(add, s.ResourceResult)
	}
	for _, c := range r.Channels {
		add("dropped copies", c.Dropped > 0)
		add("publishes failed by outage", c.FailedByOutage > 0)
	}
	return names
}

func addBacklogs(add func(string, bool), r ResourceResult) {
	add("growth", r.Growth.Grows)
	add("a listed backlog", len(r.BacklogWindows) > 0)
}
