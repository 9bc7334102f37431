package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proofload/proofload/domain"
)

// assumptions are the inputs that the flow uses, in ascending key order (spec 2, Assumption keys; E60).
func (p *plan) assumptions() []Assumption {
	list := assumptionList{plan: p}
	list.addArrivals()
	for _, e := range p.elements {
		list.add(e.id+".concurrency", float64(e.Concurrency), e.Origin)
		list.add(e.id+".queueCapacity", capacityValue(e.QueueCapacity), e.Origin)
	}
	for _, s := range p.stores {
		list.addTime(s.time)
	}
	for _, o := range p.operations {
		list.addTime(o.time)
		list.addPolicyField(o.id+".timeoutMs", o.policy.timeoutMs, o.policy.override, o.policy.override.TimeoutMs != nil)
		list.addRetry(o.id, o.policy)
	}
	for _, s := range p.subscriptions {
		list.add(s.id+".consumers", float64(s.consumers.Consumers), s.consumers.Origin)
		list.add(s.id+".queueCapacity", capacityValue(s.consumers.QueueCapacity), s.consumers.Origin)
		list.addTime(s.time)
		list.addRetry(s.id, s.policy)
	}
	for _, b := range p.branches {
		list.add("branch."+b.StepID, b.Probability, b.Origin)
	}
	list.addOutages()
	slices.SortStableFunc(list.all, func(a, b Assumption) int { return cmp.Compare(a.Key, b.Key) })
	return list.all
}

// assumptionList collects assumptions with their labels.
type assumptionList struct {
	plan *plan
	all  []Assumption
}

func (l *assumptionList) add(key string, value any, origin domain.Origin) {
	a := Assumption{Key: key, Value: value, Label: cmp.Or(origin.Label, domain.LabelDeclared)}
	if a.Label == domain.LabelMeasured {
		a.MeasurementRef = origin.MeasurementRef
		a = l.plan.version.measured(a, doubtOf(l.plan.doubts, origin.MeasurementRef))
	}
	l.all = append(l.all, a)
}

func (l *assumptionList) addArrivals() {
	a := l.plan.arrivals
	l.add("arrivals.kind", a.Kind, a.Origin)
	l.add("arrivals.ratePerSecond", a.RatePerSecond, a.Origin)
	l.add("arrivals.durationSeconds", a.DurationSeconds, a.Origin)
	l.add("arrivals.warmUpSeconds", a.WarmUpSeconds, a.Origin)
	if a.Kind == domain.ArrivalsRamp {
		l.add("arrivals.toRatePerSecond", a.ToRatePerSecond, a.Origin)
	}
	if a.Kind != domain.ArrivalsBurst {
		return
	}
	for i, b := range a.Bursts {
		key := fmt.Sprintf("arrivals.bursts[%d].", i)
		l.add(key+"fromSeconds", b.FromSeconds, a.Origin)
		l.add(key+"toSeconds", b.ToSeconds, a.Origin)
		l.add(key+"ratePerSecond", b.RatePerSecond, a.Origin)
	}
}

func (l *assumptionList) addTime(t domain.ServiceTime) {
	key := t.Target + ".time."
	l.add(key+"kind", t.Time.Kind, t.Origin)
	switch t.Time.Kind {
	case domain.TimeFixed:
		l.add(key+"ms", t.Time.Ms, t.Origin)
	case domain.TimeExponential:
		l.add(key+"meanMs", t.Time.MeanMs, t.Origin)
	case domain.TimeLognormal:
		l.add(key+"medianMs", t.Time.MedianMs, t.Origin)
		l.add(key+"p95Ms", t.Time.P95Ms, t.Origin)
	case domain.TimeUniform:
		l.add(key+"minMs", t.Time.MinMs, t.Origin)
		l.add(key+"maxMs", t.Time.MaxMs, t.Origin)
	}
}

func (l *assumptionList) addRetry(id string, p policy) {
	l.addPolicyField(id+".maxAttempts", float64(p.maxAttempts), p.override, p.override.MaxAttempts != nil)
	l.addPolicyField(id+".backoffMs", p.backoffMs, p.override, p.override.BackoffMs != nil)
}

// addPolicyField labels a value with the override that states it, also an equal one, and else with the model.
func (l *assumptionList) addPolicyField(key string, value float64, override domain.Override, stated bool) {
	if stated {
		l.add(key, value, override.Origin)
		return
	}
	l.add(key, value, domain.Origin{Label: domain.LabelModel})
}

func (l *assumptionList) addOutages() {
	for _, o := range l.plan.outages {
		for i, w := range o.windows {
			key := fmt.Sprintf("outage.%s[%d].", o.target, i)
			l.add(key+"fromSeconds", w.FromSeconds, domain.Origin{})
			l.add(key+"toSeconds", w.ToSeconds, domain.Origin{})
		}
	}
}

// capacityValue is null for a queue without a bound (E60).
func capacityValue(capacity *int) any {
	if capacity == nil {
		return nil
	}
	return float64(*capacity)
}
