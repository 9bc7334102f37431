package engine

import "github.com/proofload/proofload/domain"

// inputs are the entries of a profile by their target. A checked profile has one for each (E70).
type inputs struct {
	resources map[string]domain.Resource
	times     map[string]domain.ServiceTime
	consumers map[string]domain.SubscriptionInput
	branches  map[string]domain.BranchInput
	overrides map[string]domain.Override
}

func inputsOf(p domain.Profile) inputs {
	return inputs{
		resources: byID(p.Resources, func(r domain.Resource) string { return r.ElementID }),
		times:     byID(p.ServiceTimes, func(t domain.ServiceTime) string { return t.Target }),
		consumers: byID(p.Subscriptions, func(s domain.SubscriptionInput) string { return s.SubscriptionID }),
		branches:  byID(p.Branches, func(b domain.BranchInput) string { return b.StepID }),
		overrides: byID(p.Overrides, func(o domain.Override) string { return o.Target }),
	}
}

func byID[T any](things []T, id func(T) string) map[string]T {
	found := make(map[string]T, len(things))
	for _, thing := range things {
		found[id(thing)] = thing
	}
	return found
}

// setOf is the set of the ids in all lists.
func setOf(lists ...[]string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, id := range list {
			set[id] = true
		}
	}
	return set
}

// timed are the targets of the flow that need a service time: operations, stores and handlers.
func timed(flow domain.Flow) map[string]bool {
	return setOf(flow.Operations, flow.Stores, flow.Subscriptions)
}

// usedOutages are the targets whose outage the flow can notice (E56).
func usedOutages(m domain.Model, flow domain.Flow) map[string]bool {
	used := setOf(flow.Elements, flow.Operations, flow.Stores, flow.Subscriptions, flow.Entered)
	for _, s := range m.Subscriptions {
		if used[s.ID] {
			used[s.ElementID] = true
		}
	}
	return used
}

// unusedInputs counts the entries of a profile whose target the flow does not use (E56).
func unusedInputs(p domain.Profile, m domain.Model, flow domain.Flow) int {
	return unused(p.Resources, setOf(flow.Elements), func(r domain.Resource) string { return r.ElementID }) +
		unused(p.ServiceTimes, timed(flow), func(t domain.ServiceTime) string { return t.Target }) +
		unused(p.Subscriptions, setOf(flow.Subscriptions), func(s domain.SubscriptionInput) string { return s.SubscriptionID }) +
		unused(p.Branches, setOf(flow.Branches), func(b domain.BranchInput) string { return b.StepID }) +
		unused(p.Outages, usedOutages(m, flow), func(o domain.Outage) string { return o.Target })
}

func unused[T any](entries []T, used map[string]bool, target func(T) string) int {
	n := 0
	for _, entry := range entries {
		if !used[target(entry)] {
			n++
		}
	}
	return n
}
