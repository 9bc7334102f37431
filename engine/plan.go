package engine

import (
	"cmp"
	"slices"

	"github.com/proofload/proofload/domain"
)

// plan is a checked input: what the flow uses (E55) with the values in force. Lists are in ascending id order.
type plan struct {
	version  version
	seed     string // without leading zeros (E63)
	limits   Limits
	model    domain.Model
	scenario domain.Scenario
	trace    domain.Trace
	arrivals domain.Arrivals
	duration int64 // ns
	warmUp   int64 // ns
	doubts   map[string]Doubt

	elements      []elementPlan
	operations    []operationPlan
	stores        []storePlan
	subscriptions []subscriptionPlan
	branches      []domain.BranchInput
	outages       []outagePlan // those that the flow uses (E56)

	unusedInputs int // E56
}

// elementPlan is an element that does work in the flow, a store or one whose operations are called.
type elementPlan struct {
	id string
	domain.Resource
}

// operationPlan is an operation that the flow calls.
type operationPlan struct {
	id        string
	elementID string
	time      domain.ServiceTime
	policy    policy
}

// storePlan is a store that the flow writes.
type storePlan struct {
	id   string
	time domain.ServiceTime
}

// subscriptionPlan is a subscription that the flow reaches.
type subscriptionPlan struct {
	id                  string
	elementID           string // the consumer
	deadLetterChannelID string // empty: none
	consumers           domain.SubscriptionInput
	time                domain.ServiceTime
	policy              policy
	steps               []domain.Step // of its handler; none: it is handled with no steps
}

// policy is the timeout and the retry policy in force: the model's, with the override's fields in their place.
type policy struct {
	timeoutMs   float64 // 0: none; subscriptions have none
	maxAttempts int
	backoffMs   float64
	model       domain.Operation // the values that an override may have replaced
	override    domain.Override  // its nil fields replaced nothing
}

// timeoutNs is the timeout in ns; 0: none.
func (p *policy) timeoutNs() int64 { return msToNs(p.timeoutMs) }

// backoffNs is the backoff in ns.
func (p *policy) backoffNs() int64 { return msToNs(p.backoffMs) }

// outagePlan has the outage windows of one target of the model, in order of time. They may overlap (E70).
type outagePlan struct {
	target  string
	windows []domain.Outage
}

// outagesOf are the outage windows of a target, in order of time.
func (p *plan) outagesOf(target string) []domain.Outage {
	i, found := slices.BinarySearchFunc(p.outages, target, func(o outagePlan, id string) int { return cmp.Compare(o.target, id) })
	if !found {
		return nil
	}
	return p.outages[i].windows
}

// newPlan puts the values of a checked profile beside what the flow uses.
func newPlan(in Input, v version, trace domain.Trace) plan {
	given, flow := inputsOf(in.Profile), trace.Flow
	p := plan{
		version: v, seed: trimSeed(in.Profile.Seed), limits: in.Limits, model: in.Model, scenario: *in.Scenario, trace: trace,
		arrivals: in.Profile.Arrivals, duration: secondsToNs(in.Profile.Arrivals.DurationSeconds),
		warmUp: secondsToNs(in.Profile.Arrivals.WarmUpSeconds), doubts: in.Doubts,
	}
	for _, id := range flow.Elements {
		p.elements = append(p.elements, elementPlan{id: id, Resource: given.resources[id]})
	}
	for _, id := range flow.Stores {
		p.stores = append(p.stores, storePlan{id: id, time: given.times[id]})
	}
	for _, id := range flow.Branches {
		p.branches = append(p.branches, given.branches[id])
	}
	p.operations = operationPlans(in.Model, flow, given)
	p.subscriptions = subscriptionPlans(in.Model, flow, given)
	p.outages = outagePlans(in.Profile.Outages, usedOutages(in.Model, flow))
	p.unusedInputs = unusedInputs(in.Profile, in.Model, flow)
	return p
}

func operationPlans(m domain.Model, flow domain.Flow, given inputs) []operationPlan {
	operations := byID(m.Operations, func(o domain.Operation) string { return o.ID })
	var plans []operationPlan
	for _, id := range flow.Operations {
		o := operations[id]
		plans = append(plans, operationPlan{
			id: id, elementID: o.ElementID, time: given.times[id], policy: policyOf(o, given.overrides[id]),
		})
	}
	return plans
}

func subscriptionPlans(m domain.Model, flow domain.Flow, given inputs) []subscriptionPlan {
	subscriptions := byID(m.Subscriptions, func(s domain.Subscription) string { return s.ID })
	var plans []subscriptionPlan
	for _, id := range flow.Subscriptions {
		s := subscriptions[id]
		plans = append(plans, subscriptionPlan{
			id: id, elementID: s.ElementID, deadLetterChannelID: s.DeadLetterChannelID,
			consumers: given.consumers[id], time: given.times[id],
			policy: policyOf(domain.Operation{ID: id, Retry: s.Retry}, given.overrides[id]),
			steps:  flow.Handlers[id],
		})
	}
	return plans
}

func policyOf(model domain.Operation, o domain.Override) policy {
	p := policy{
		timeoutMs: model.TimeoutMs, maxAttempts: model.Retry.MaxAttempts, backoffMs: model.Retry.BackoffMs,
		model: model, override: o,
	}
	if o.TimeoutMs != nil {
		p.timeoutMs = *o.TimeoutMs
	}
	if o.MaxAttempts != nil {
		p.maxAttempts = *o.MaxAttempts
	}
	if o.BackoffMs != nil {
		p.backoffMs = *o.BackoffMs
	}
	return p
}

// outagePlans groups the used outages by target and sorts each group by time.
func outagePlans(outages []domain.Outage, used map[string]bool) []outagePlan {
	sorted := slices.DeleteFunc(slices.Clone(outages), func(o domain.Outage) bool { return !used[o.Target] })
	slices.SortStableFunc(sorted, func(a, b domain.Outage) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.FromSeconds, b.FromSeconds), cmp.Compare(a.ToSeconds, b.ToSeconds))
	})
	var plans []outagePlan
	for i, o := range sorted {
		if i == 0 || o.Target != sorted[i-1].Target {
			plans = append(plans, outagePlan{target: o.Target})
		}
		last := &plans[len(plans)-1]
		last.windows = append(last.windows, o)
	}
	return plans
}
