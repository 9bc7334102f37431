package domain

import "slices"

// Flow is what a flow uses, by the trace and never by a probability or an outage (E55). Ids ascend.
type Flow struct {
	Elements      []string // that need workers: one of their operations is called, or they are written
	Operations    []string
	Stores        []string
	Subscriptions []string
	Channels      []string // that a publish step names
	Entered       []string // that a message can enter or be dead-lettered to (E56)
	Branches      []string // step ids

	// Handlers has the steps of each subscription of the flow; nil where the scenario has no handler.
	Handlers map[string][]Step
	// MaxRoutes is the greatest number of bindings that one message matches (E64).
	MaxRoutes int
}

// uses is what the steps of one sequence use, with what is nested in them, without what their messages start.
type uses struct {
	operations, stores, channels, entered, branches []string
	routes                                          int // see Flow.MaxRoutes
}

func (u *uses) add(more uses) {
	u.operations = union(u.operations, more.operations)
	u.stores = union(u.stores, more.stores)
	u.channels = union(u.channels, more.channels)
	u.entered = union(u.entered, more.entered)
	u.branches = union(u.branches, more.branches)
	u.routes = max(u.routes, more.routes)
}

// usesOf leaves out what does not resolve.
func (t *tracer) usesOf(steps []Step) uses {
	var u uses
	entered := map[string]bool{}
	eachStep(steps, func(step *Step, _ int) {
		switch step.Kind {
		case StepCall:
			if _, ok := t.operations[step.OperationID]; ok {
				u.operations = append(u.operations, step.OperationID)
			}
		case StepWrite:
			if _, ok := t.store(step.ElementID); ok {
				u.stores = append(u.stores, step.ElementID)
			}
		case StepPublish:
			if _, ok := t.channels[step.ChannelID]; ok {
				u.channels = append(u.channels, step.ChannelID)
				u.routes = max(u.routes, t.enter(entered, step))
			}
		case StepBranch:
			u.branches = append(u.branches, step.ID)
		}
	})
	for id := range entered {
		u.entered = append(u.entered, id)
	}
	var sorted uses
	sorted.add(u)
	return sorted
}

// enter notes the channels that a published message takes and returns the number of bindings that it matches.
func (t *tracer) enter(entered map[string]bool, publish *Step) int {
	walk := t.router.Walk(publish.ChannelID, publish.RoutingKey)
	for _, c := range walk.Channels {
		entered[c.ID] = true
	}
	return walk.Matched
}

// flow follows the messages of the flow from handler to handler.
func (t *tracer) flow() Flow {
	all := t.usesOf(t.scenario.Steps)
	handlers := map[string][]Step{}
	taken := map[string]bool{}
	open := slices.Clone(all.entered)
	for len(open) > 0 {
		channel := open[len(open)-1]
		open = open[:len(open)-1]
		if taken[channel] {
			continue
		}
		taken[channel] = true
		for _, id := range t.router.subscriptions(channel) {
			handlers[id] = t.handlers[id]
			all.add(t.handlerUses[id])
			open = append(open, t.handlerUses[id].entered...)
		}
	}
	return t.flowOf(all, handlers)
}

func (t *tracer) flowOf(all uses, handlers map[string][]Step) Flow {
	f := Flow{
		Operations: all.operations, Stores: all.stores, Channels: all.channels, Branches: all.branches,
		Handlers: handlers, MaxRoutes: all.routes,
	}
	var elements, deadLetters []string
	for _, id := range all.operations {
		elements = append(elements, t.operations[id].ElementID)
	}
	for id := range handlers {
		f.Subscriptions = append(f.Subscriptions, id)
		if channel := t.subscriptions[id].DeadLetterChannelID; channel != "" {
			deadLetters = append(deadLetters, channel)
		}
	}
	f.Elements = union(elements, all.stores)
	f.Entered = union(all.entered, deadLetters)
	slices.Sort(f.Subscriptions)
	return f
}

// union is a new list of all ids, ascending, each once.
func union(a, b []string) []string {
	ids := slices.Concat(a, b)
	slices.Sort(ids)
	return slices.Compact(ids)
}
