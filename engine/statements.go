package engine

import (
	"cmp"
	"slices"

	"github.com/proofload/proofload/domain"
)

// state fills in what a result says of its input, and what no event changes.
func (p *plan) state(r *Result) {
	r.EngineVersion, r.Seed, r.Limits = p.version.number, p.seed, p.limits
	r.Window = Window{WarmUpMs: nsToMs(p.warmUp), EndOfArrivalsMs: nsToMs(p.duration)}
	r.Assumptions, r.Overrides = p.assumptions(), p.overrides()
	r.Confidence = p.version.confidence(p.times(), p.doubts)
	r.UnusedInputs = p.unusedInputs
	r.ScenarioHas = ScenarioHas{Faults: len(p.scenario.Faults) > 0, Assertions: len(p.scenario.Assertions) > 0}
	r.NotModelled = notModelled(r.ScenarioHas)
}

// times are the service times on the path of the flow.
func (p *plan) times() []domain.ServiceTime {
	var times []domain.ServiceTime
	for _, o := range p.operations {
		times = append(times, o.time)
	}
	for _, s := range p.stores {
		times = append(times, s.time)
	}
	for _, s := range p.subscriptions {
		times = append(times, s.time)
	}
	return times
}

// overrides are the values of the model that the profile replaced by others, by target and field (E60).
func (p *plan) overrides() []OverrideResult {
	list := []OverrideResult{}
	for _, o := range p.operations {
		list = append(list, o.policy.replaced(o.id)...)
	}
	for _, s := range p.subscriptions {
		list = append(list, s.policy.replaced(s.id)...)
	}
	slices.SortStableFunc(list, func(a, b OverrideResult) int { return cmp.Compare(a.Target, b.Target) })
	return list
}

// replaced are the fields of a policy that are not the model's, in the order of their names.
func (p *policy) replaced(id string) []OverrideResult {
	fields := []OverrideResult{
		{id, "backoffMs", p.model.Retry.BackoffMs, p.backoffMs},
		{id, "maxAttempts", float64(p.model.Retry.MaxAttempts), float64(p.maxAttempts)},
		{id, "timeoutMs", p.model.TimeoutMs, p.timeoutMs},
	}
	return slices.DeleteFunc(fields, func(f OverrideResult) bool { return f.Model == f.Profile })
}

// notModelled are the effects that the engine leaves out, as codes (E62).
func notModelled(has ScenarioHas) []string {
	codes := []string{
		"network", "runtime-pauses", "autoscaling", "database-locks", "pools", "caches", "payload-size", "back-pressure",
		"correlated-failures", "clock", "closed-loop", "shared-capacity", "retry-jitter", "dead-letter-consumers", "cancellation",
	}
	if has.Faults {
		codes = append(codes, "scenario-faults")
	}
	if has.Assertions {
		codes = append(codes, "scenario-assertions")
	}
	return codes
}
