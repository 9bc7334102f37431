package engine

import (
	"slices"

	"github.com/proofload/proofload/domain"
	"pgregory.net/rapid"
)

// randomInput draws a whole input of a run.
func randomInput(t *rapid.T, quiet bool) Input {
	m := &bundleMaker{t: t, quiet: quiet}
	m.faulty, m.busy, m.chatty = m.chance("faulty", 10), m.chance("busy", 3), m.chance("chatty", 3)
	m.makeModel()
	in := Input{Model: m.model, Scenario: m.makeScenario(), Version: Newest, Limits: m.limits()}
	m.uses = domain.TraceScenario(in.Model, *in.Scenario).Flow
	in.Profile = m.profile()
	if m.chance("version 2", 8) {
		in.Version = 2
	}
	in.Doubts = map[string]Doubt{
		"sure": {}, "doubtful": {InDoubt: true}, "stale": {InDoubt: true, Stale: true},
	}
	if m.faulty && m.chance("no scenario", 20) {
		in.Scenario = nil
	}
	return in
}

// limits are those of the page in half of the bundles, else some of them are small enough to be hit.
func (m *bundleMaker) limits() Limits {
	limits := DefaultLimits
	limits.Events = 20_000 // no bundle takes long
	if m.quiet || m.chance("usual limits", 2) {
		return limits
	}
	limits.KeptSamples = pick[int64](m, "kept samples", 50_000, 1, 2, 5, 20)
	limits.SeriesPoints = pick[int64](m, "series points", 240, 1, 7, 130)
	limits.DrainSeconds = pick[int64](m, "drain seconds", 3600, 1, 2)
	switch m.upTo("small limit", 9) {
	case 1:
		limits.Events = int64(1 + m.upTo("events", 400))
	case 2:
		limits.Queued = int64(1 + m.upTo("queued", 20))
	case 3:
		limits.Pending = int64(1 + m.upTo("pending", 20))
	case 4:
		limits.Targets = int64(m.upTo("targets", 12))
	case 5:
		limits.Routes = int64(m.upTo("routes", 3))
	case 6:
		limits.Arrivals = int64(m.upTo("arrivals", 60))
	}
	return limits
}

func (m *bundleMaker) profile() domain.Profile {
	p := domain.Profile{
		Name: "profile", ScenarioID: "scenario", Seed: pick(m, "seed", "1", "0", "007", "18446744073709551615", "42"),
		Arrivals:  m.arrivals(),
		Resources: []domain.Resource{}, ServiceTimes: []domain.ServiceTime{}, Subscriptions: []domain.SubscriptionInput{},
		Branches: []domain.BranchInput{}, Overrides: []domain.Override{}, Outages: []domain.Outage{},
	}
	for _, element := range m.model.Elements {
		if !m.leftOut() {
			p.Resources = append(p.Resources, domain.Resource{
				ElementID: element.ID, Concurrency: 1 + m.either(m.busy, "workers", 0, 0, 1, 2), QueueCapacity: m.capacity(), Origin: m.origin(),
			})
		}
	}
	for _, target := range m.served() {
		if !m.leftOut() {
			p.ServiceTimes = append(p.ServiceTimes, domain.ServiceTime{Target: target, Time: m.time(), Origin: m.origin()})
		}
	}
	for _, sub := range m.model.Subscriptions {
		if !m.leftOut() {
			p.Subscriptions = append(p.Subscriptions, domain.SubscriptionInput{
				SubscriptionID: sub.ID, Consumers: 1 + m.either(m.busy, "consumers", 0, 0, 1, 2), QueueCapacity: m.capacity(), Origin: m.origin(),
			})
		}
	}
	m.addBranches(&p)
	m.addOverrides(&p)
	m.addOutages(&p)
	return p
}

// leftOut is true now and then in a faulty bundle: the input is missing.
func (m *bundleMaker) leftOut() bool { return m.faulty && m.chance("left out", 8) }

func (m *bundleMaker) capacity() *int {
	if m.chance("bounded", 2) {
		capacity := pick(m, "capacity", 0, 1, 2, 5, 20)
		return &capacity
	}
	return nil
}

func (m *bundleMaker) origin() domain.Origin {
	if m.chance("declared", 2) {
		return domain.Origin{}
	}
	return domain.Origin{Label: domain.LabelMeasured, MeasurementRef: pick(m, "measurement", "sure", "sure", "stale", "doubtful", "unknown")}
}

// served is everything that can have a service time, ids of nothing too.
func (m *bundleMaker) served() []string {
	ids := append([]string{"nothing"}, m.stores...)
	for _, op := range m.model.Operations {
		ids = append(ids, op.ID)
	}
	for _, sub := range m.model.Subscriptions {
		ids = append(ids, sub.ID)
	}
	return ids
}

func (m *bundleMaker) time() domain.Time {
	kind := domain.TimeFixed
	if !m.quiet {
		kind = pick(m, "time", domain.TimeFixed, domain.TimeFixed, domain.TimeExponential, domain.TimeLognormal, domain.TimeUniform)
	}
	positive := pick(m, "positive ms", 1, 5, 10, 50, 0.000001, 2.5, 300)
	if m.busy && m.chance("a long time", 2) {
		return domain.Time{Kind: domain.TimeFixed, Ms: pick(m, "long ms", 20.0, 50, 100)}
	}
	switch kind {
	case domain.TimeExponential:
		return domain.Time{Kind: kind, MeanMs: positive}
	case domain.TimeLognormal:
		return domain.Time{Kind: kind, MedianMs: positive, P95Ms: positive * pick(m, "spread", 1, 1.5, 4, 1000)}
	case domain.TimeUniform:
		least := m.ms("least")
		return domain.Time{Kind: kind, MinMs: least, MaxMs: least + m.ms("width")}
	default:
		return domain.Time{Kind: kind, Ms: m.ms("fixed")}
	}
}

// arrivals are at most some dozens of flows, in windows down to a millisecond and with odd nanoseconds.
func (m *bundleMaker) arrivals() domain.Arrivals {
	a := domain.Arrivals{
		Kind: domain.ArrivalsConstant, Origin: m.origin(),
		DurationSeconds: pick(m, "duration", 1, 0.1, 0.5, 0.001, 0.002000003, 0.333333333, 4, 120, 0.0500000005),
	}
	if !m.quiet {
		a.Kind = pick(m, "arrivals", domain.ArrivalsConstant, domain.ArrivalsPoisson, domain.ArrivalsRamp, domain.ArrivalsBurst)
	}
	a.WarmUpSeconds = pick(m, "warm-up", 0, 0.1, 0.25, 0.5, 0.777777777) * (a.DurationSeconds - 0.001)
	if m.faulty && m.chance("long warm-up", 10) {
		a.WarmUpSeconds = a.DurationSeconds
	}
	a.RatePerSecond = m.rate(a.DurationSeconds, 1)
	switch a.Kind {
	case domain.ArrivalsRamp:
		a.RatePerSecond, a.ToRatePerSecond = m.rate(a.DurationSeconds, 0), m.rate(a.DurationSeconds, 1)
	case domain.ArrivalsBurst:
		a.RatePerSecond = m.rate(a.DurationSeconds, 0) / 2
		from := 0.0
		for range 1 + m.upTo("bursts", 2) {
			to := from + pick(m, "burst length", 0.125, 0.25, 0.1)*a.DurationSeconds
			a.Bursts = append(a.Bursts, domain.Burst{FromSeconds: from, ToSeconds: to, RatePerSecond: m.rate(a.DurationSeconds, 0)})
			from = to + pick(m, "burst gap", 0, 0.01)*a.DurationSeconds
		}
	}
	return a
}

// rate gives at least the given number of flows.
func (m *bundleMaker) rate(seconds float64, least int) float64 {
	flows := pick(m, "flows", 10, 0, 1, 3, 20, 50, 100)
	if m.busy && m.chance("many flows", 2) {
		flows = 400
	}
	return min(100_000, float64(max(least, flows))/seconds)
}

func (m *bundleMaker) addBranches(p *domain.Profile) {
	for _, id := range m.branches {
		if m.leftOut() {
			continue
		}
		probability := pick(m, "sure", 0.0, 1)
		if !m.quiet {
			probability = pick(m, "probability", 0.5, 0, 1, 0.9, 0.01)
		}
		p.Branches = append(p.Branches, domain.BranchInput{StepID: id, Probability: probability, Origin: m.origin()})
	}
}

// addOverrides replaces policies of what the flow uses, and of other things in a faulty bundle.
func (m *bundleMaker) addOverrides(p *domain.Profile) {
	for _, op := range m.model.Operations {
		if m.chance("override of an operation", 4) && (m.faulty || slices.Contains(m.uses.Operations, op.ID)) {
			p.Overrides = append(p.Overrides, m.override(op))
		}
	}
	for _, sub := range m.model.Subscriptions {
		if m.chance("override of a subscription", 4) && (m.faulty || slices.Contains(m.uses.Subscriptions, sub.ID)) {
			o := m.override(domain.Operation{ID: sub.ID, Retry: sub.Retry})
			if !m.faulty {
				o.TimeoutMs = nil
			}
			if o.MaxAttempts == nil && o.BackoffMs == nil {
				o.MaxAttempts = &sub.Retry.MaxAttempts
			}
			p.Overrides = append(p.Overrides, o)
		}
	}
}

// override replaces some of the fields, now and then by the value that the model has.
func (m *bundleMaker) override(op domain.Operation) domain.Override {
	timeout, attempts, backoff := m.ms("timeout"), 1+m.upTo("attempts", 4), m.ms("backoff")
	o := domain.Override{Target: op.ID, Origin: m.origin()}
	switch m.upTo("fields", 3) {
	case 0:
		o.TimeoutMs = &timeout
	case 1:
		o.MaxAttempts = &attempts
	case 2:
		o.BackoffMs = &backoff
	default:
		o.TimeoutMs, o.MaxAttempts, o.BackoffMs = &op.TimeoutMs, &attempts, &backoff
	}
	return o
}

// addOutages draws windows whose edges lie where events lie.
func (m *bundleMaker) addOutages(p *domain.Profile) {
	seconds := p.Arrivals.DurationSeconds
	for range m.either(m.busy, "outages", 5, 0, 1, 2, 3) {
		from := pick(m, "outage from", 0, 0.1, 0.25, 0.5, 0.9) * seconds
		length := pick(m, "outage length", 0.1, 0.2, 0.5, 1, 3) * seconds
		p.Outages = append(p.Outages, domain.Outage{Target: m.outageTarget(), FromSeconds: from, ToSeconds: from + length})
	}
	if m.chance("a train of outages", 6) { // each may empty a queue
		target := m.outageTarget()
		for _, from := range []float64{0.15, 0.3, 0.45, 0.6, 0.75} {
			p.Outages = append(p.Outages, domain.Outage{Target: target, FromSeconds: from * seconds, ToSeconds: (from + 0.03) * seconds})
		}
	}
}

// outageTarget is a thing of the model, or nothing now and then in a faulty bundle.
func (m *bundleMaker) outageTarget() string {
	if m.faulty && m.chance("out of nothing", 8) {
		return "nothing"
	}
	if len(m.model.Channels) > 0 && m.chance("a channel is out", 4) {
		return m.anyChannel()
	}
	targets := m.served()[1:]
	for _, element := range m.model.Elements {
		targets = append(targets, element.ID)
	}
	return pick(m, "out", targets...)
}
