package domain

import (
	"strconv"
	"strings"
)

// CheckProfile finds every value of a profile that is outside its range (the page, Profile ranges; E70, E75),
// in order of target. The targets are JSON Pointers into the profile. It is stage 1 of E65.
func CheckProfile(p Profile) []Issue {
	r := &report{code: CodeInvalidProfile}
	r.oneLine("/name", p.Name)
	r.id("/scenarioId", p.ScenarioID)
	r.seed("/seed", p.Seed)
	r.arrivals(p.Arrivals)
	r.resources(p.Resources)
	r.serviceTimes(p.ServiceTimes)
	r.subscriptions(p.Subscriptions)
	r.branchInputs(p.Branches)
	r.overrides(p.Overrides)
	r.outages(p.Outages)
	return r.sorted()
}

// seed checks an unsigned 64-bit number in decimal digits; leading zeros are valid (E63).
func (r *report) seed(at, seed string) {
	digits := strings.TrimLeft(seed, "0")
	_, err := strconv.ParseUint(digits, 10, 64)
	if seed == "" || digits != "" && err != nil {
		r.add(at, "must be a whole number from 0 to 18446744073709551615 as text in decimal digits, not %q", shortened(seed))
	}
}

func (r *report) resources(resources []Resource) {
	const at = "/resources"
	if !r.atMost(at, len(resources), MaxProfileList) {
		return
	}
	r.targets(at, "elementId", len(resources), func(i int) string { return resources[i].ElementID })
	for i, resource := range resources {
		at := entry(at, i)
		r.workers(at+"/concurrency", resource.Concurrency)
		r.queueCapacity(at+"/queueCapacity", resource.QueueCapacity)
		r.origin(at, resource.Origin)
	}
}

// targets checks the ids that the entries of a list are about: one entry for each (E70).
func (r *report) targets(list, member string, n int, target func(i int) string) {
	place := func(i int) string { return entry(list, i) + "/" + member }
	ids := make([]string, n)
	for i := range ids {
		ids[i] = target(i)
		r.id(place(i), ids[i])
	}
	r.unique(ids, place, func(i int) string { return "entry " + strconv.Itoa(i) + " of the list" })
}

func (r *report) workers(at string, n int) { r.between(at, float64(n), 1, MaxWorkers, "") }

func (r *report) queueCapacity(at string, n *int) {
	if n != nil && (*n < 0 || *n > MaxQueueCapacity) {
		r.add(at, "must be a whole number from 0 to %s, not %d; leave it out for a queue without bound", spaced(MaxQueueCapacity), *n)
	}
}

// origin checks a label and its measurement: a measured value names one, a declared value none.
func (r *report) origin(at string, o Origin) {
	known := o.Label == "" || r.oneOf(at+"/label", o.Label, LabelDeclared, LabelMeasured)
	switch {
	case o.MeasurementRef != "":
		r.id(at+"/measurementRef", o.MeasurementRef)
		if known && o.Label != LabelMeasured {
			r.add(at+"/measurementRef", "must not stand at a declared value; leave it out or set the label to measured")
		}
	case o.Label == LabelMeasured:
		r.add(at+"/measurementRef", "is missing: a measured value names its measurement; add its id or set the label to declared")
	}
}

func (r *report) serviceTimes(times []ServiceTime) {
	const at = "/serviceTimes"
	if !r.atMost(at, len(times), MaxProfileList) {
		return
	}
	r.targets(at, "target", len(times), func(i int) string { return times[i].Target })
	for i, t := range times {
		at := entry(at, i)
		r.time(at+"/time", t.Time)
		r.origin(at, t.Origin)
	}
}

func (r *report) time(at string, t Time) {
	switch t.Kind {
	case TimeFixed:
		r.milliseconds(at+"/ms", t.Ms)
	case TimeExponential:
		r.above0(at+"/meanMs", t.MeanMs, MaxMs, " ms")
	case TimeLognormal:
		r.above0(at+"/medianMs", t.MedianMs, MaxMs, " ms")
		r.milliseconds(at+"/p95Ms", t.P95Ms)
		r.notBelow(at+"/p95Ms", t.P95Ms, "medianMs", t.MedianMs)
	case TimeUniform:
		r.milliseconds(at+"/minMs", t.MinMs)
		r.milliseconds(at+"/maxMs", t.MaxMs)
		r.notBelow(at+"/maxMs", t.MaxMs, "minMs", t.MinMs)
	default:
		r.oneOf(at+"/kind", t.Kind, TimeFixed, TimeExponential, TimeLognormal, TimeUniform)
	}
}

func (r *report) notBelow(at string, x float64, member string, least float64) {
	if x < least {
		r.add(at, "must be at least %s (%s ms), not %s", member, spaced(least), spaced(x))
	}
}

func (r *report) subscriptions(subscriptions []SubscriptionInput) {
	const at = "/subscriptions"
	if !r.atMost(at, len(subscriptions), MaxProfileList) {
		return
	}
	r.targets(at, "subscriptionId", len(subscriptions), func(i int) string { return subscriptions[i].SubscriptionID })
	for i, s := range subscriptions {
		at := entry(at, i)
		r.workers(at+"/consumers", s.Consumers)
		r.queueCapacity(at+"/queueCapacity", s.QueueCapacity)
		r.origin(at, s.Origin)
	}
}

func (r *report) branchInputs(branches []BranchInput) {
	const at = "/branches"
	if !r.atMost(at, len(branches), MaxProfileList) {
		return
	}
	r.targets(at, "stepId", len(branches), func(i int) string { return branches[i].StepID })
	for i, b := range branches {
		at := entry(at, i)
		r.between(at+"/probability", b.Probability, 0, 1, "")
		r.origin(at, b.Origin)
	}
}

func (r *report) overrides(overrides []Override) {
	const at = "/overrides"
	if !r.atMost(at, len(overrides), MaxProfileList) {
		return
	}
	r.targets(at, "target", len(overrides), func(i int) string { return overrides[i].Target })
	for i, o := range overrides {
		r.override(entry(at, i), o)
	}
}

func (r *report) override(at string, o Override) {
	if o.TimeoutMs == nil && o.MaxAttempts == nil && o.BackoffMs == nil {
		r.add(at, "replaces nothing; add timeoutMs, maxAttempts or backoffMs, or take the entry away")
	}
	if o.TimeoutMs != nil {
		r.milliseconds(at+"/timeoutMs", *o.TimeoutMs)
	}
	if o.MaxAttempts != nil {
		r.attempts(at+"/maxAttempts", *o.MaxAttempts)
	}
	if o.BackoffMs != nil {
		r.milliseconds(at+"/backoffMs", *o.BackoffMs)
	}
	r.origin(at, o.Origin)
}

func (r *report) outages(outages []Outage) {
	const at = "/outages"
	if !r.atMost(at, len(outages), MaxOutages) {
		return
	}
	for i, o := range outages {
		at := entry(at, i)
		r.id(at+"/target", o.Target)
		r.notNegative(at+"/fromSeconds", o.FromSeconds)
		if !within(o.ToSeconds, 0, MaxOutageEndSeconds) || o.ToSeconds <= o.FromSeconds {
			r.add(at+"/toSeconds", "must be after fromSeconds and at most %s s, not %s", spaced(MaxOutageEndSeconds), spaced(o.ToSeconds))
		}
	}
}
