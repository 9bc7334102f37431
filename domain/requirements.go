package domain

import (
	"cmp"
	"slices"
)

// Requirements are what a profile of a scenario must state, and the policies of the model that it can replace
// (spec 1, Requirements of a scenario). All lists are in ascending id order.
type Requirements struct {
	Elements      []Requirement `json:"elements"`      // need workers
	ServiceTimes  []Requirement `json:"serviceTimes"`  // operations, stores and handlers
	Subscriptions []Requirement `json:"subscriptions"` // need consumers
	Branches      []Requirement `json:"branches"`      // need a probability
	Policies      []Policy      `json:"policies"`
}

// Kinds of a requirement, beside those of an element.
const (
	KindOperation    = "operation"
	KindHandler      = "handler" // of a subscription; the id is the subscription's
	KindSubscription = "subscription"
)

// Requirement is one thing that needs an input. The name of a branch step is its condition.
type Requirement struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	StepIDs []string `json:"stepIds"` // the steps that need it: the flow's in document order, then the handlers'
}

// Policy is the timeout and the retry policy that the model gives an operation or a subscription.
type Policy struct {
	Target      string   `json:"target"`
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`
	TimeoutMs   *float64 `json:"timeoutMs"` // 0: none; nil: a subscription has no timeout
	MaxAttempts int      `json:"maxAttempts"`
	BackoffMs   float64  `json:"backoffMs"`
}

// RequirementsOf lists what the flow of a valid scenario needs; trace is that of the same model and scenario.
func RequirementsOf(m Model, s Scenario, trace Trace) Requirements {
	r := requirer{parts: partsOf(m), router: NewRouter(m), flow: trace.Flow, neededBy: map[string][]string{}}
	r.need(s.Steps)
	for _, id := range r.flow.Subscriptions {
		r.need(r.flow.Handlers[id])
	}
	return Requirements{
		Elements:      requirements(r.flow.Elements, r.element),
		ServiceTimes:  r.serviceTimes(),
		Subscriptions: requirements(r.flow.Subscriptions, r.subscription),
		Branches:      r.branches(s),
		Policies:      r.policies(),
	}
}

// requirer is the work of one RequirementsOf.
type requirer struct {
	parts
	router   *Router
	flow     Flow
	neededBy map[string][]string // id of the model -> step ids
}

// need notes what each step of a sequence, and each step inside it, needs of the model.
func (r *requirer) need(steps []Step) {
	eachStep(steps, func(step *Step, _ int) {
		for _, id := range r.needs(step) {
			r.neededBy[id] = append(r.neededBy[id], step.ID)
		}
	})
}

func (r *requirer) needs(step *Step) []string {
	switch step.Kind {
	case StepCall:
		return []string{step.OperationID, r.operations[step.OperationID].ElementID}
	case StepWrite:
		return []string{step.ElementID}
	case StepPublish:
		return r.router.Walk(step.ChannelID, step.RoutingKey).Subscriptions()
	}
	return nil
}

func requirements(ids []string, of func(id string) Requirement) []Requirement {
	found := make([]Requirement, len(ids))
	for i, id := range ids {
		found[i] = of(id)
	}
	return found
}

func (r *requirer) element(id string) Requirement {
	e := r.elements[id]
	return Requirement{ID: id, Name: e.Name, Kind: e.Kind, StepIDs: r.neededBy[id]}
}

func (r *requirer) operation(id string) Requirement {
	return Requirement{ID: id, Name: r.operations[id].Name, Kind: KindOperation, StepIDs: r.neededBy[id]}
}

func (r *requirer) handler(id string) Requirement {
	return Requirement{ID: id, Name: r.subscriptions[id].Name, Kind: KindHandler, StepIDs: r.neededBy[id]}
}

func (r *requirer) subscription(id string) Requirement {
	return Requirement{ID: id, Name: r.subscriptions[id].Name, Kind: KindSubscription, StepIDs: r.neededBy[id]}
}

func (r *requirer) serviceTimes() []Requirement {
	all := slices.Concat(
		requirements(r.flow.Operations, r.operation),
		requirements(r.flow.Stores, r.element),
		requirements(r.flow.Subscriptions, r.handler),
	)
	sortRequirements(all)
	return all
}

func (r *requirer) branches(s Scenario) []Requirement {
	found := []Requirement{}
	add := func(step *Step, _ int) {
		if step.Kind == StepBranch {
			branch := Requirement{ID: step.ID, Name: step.Condition, Kind: StepBranch, StepIDs: []string{step.ID}}
			found = append(found, branch)
		}
	}
	eachStep(s.Steps, add)
	for _, id := range r.flow.Subscriptions {
		eachStep(r.flow.Handlers[id], add)
	}
	sortRequirements(found)
	return found
}

func sortRequirements(all []Requirement) {
	slices.SortFunc(all, func(a, b Requirement) int { return cmp.Compare(a.ID, b.ID) })
}

func (r *requirer) policies() []Policy {
	found := []Policy{}
	for _, id := range r.flow.Operations {
		o := r.operations[id]
		p := policy(id, o.Name, KindOperation, o.Retry)
		p.TimeoutMs = &o.TimeoutMs
		found = append(found, p)
	}
	for _, id := range r.flow.Subscriptions {
		s := r.subscriptions[id]
		found = append(found, policy(id, s.Name, KindSubscription, s.Retry))
	}
	slices.SortFunc(found, func(a, b Policy) int { return cmp.Compare(a.Target, b.Target) })
	return found
}

func policy(target, name, kind string, retry Retry) Policy {
	return Policy{Target: target, Name: name, Kind: kind, MaxAttempts: retry.MaxAttempts, BackoffMs: retry.BackoffMs}
}
