package domain

import (
	"fmt"
	"maps"
	"slices"
)

// check finds why a scenario is refused: one issue for each target, in their order (E65).
func (t *tracer) check() []Issue {
	c := checker{tracer: t, issues: map[string]Issue{}, seen: map[string]bool{}}
	c.checkSteps(t.scenario.Steps)
	c.checkHandlers()
	if c.steps > MaxSteps {
		c.add("", "The scenario has %d steps, more than %d.", c.steps, MaxSteps)
	}
	for _, id := range t.cycles() {
		c.add(id, "The handler of %s publishes a message that reaches %s again: a message cycle.", id, id)
	}
	found := make([]Issue, 0, len(c.issues))
	for _, target := range slices.Sorted(maps.Keys(c.issues)) {
		found = append(found, c.issues[target])
	}
	return found
}

type checker struct {
	*tracer
	issues map[string]Issue // by target
	seen   map[string]bool  // step ids
	steps  int
}

// add keeps the first issue of a target.
func (c *checker) add(target, format string, args ...any) {
	if _, known := c.issues[target]; !known {
		c.issues[target] = Issue{Code: CodeInvalidScenario, Target: target, Message: fmt.Sprintf(format, args...)}
	}
}

func (c *checker) checkSteps(steps []Step) {
	eachStep(steps, func(step *Step, depth int) {
		c.steps++
		if c.seen[step.ID] {
			c.add(step.ID, "The step id %s is used twice.", step.ID)
		}
		c.seen[step.ID] = true
		if depth > MaxNesting {
			c.add(step.ID, "The step is nested %d deep, deeper than %d.", depth, MaxNesting)
		}
		c.checkTarget(step)
	})
}

// checkTarget refuses a step that names nothing of the model.
func (c *checker) checkTarget(step *Step) {
	switch step.Kind {
	case StepCall:
		if _, ok := c.operations[step.OperationID]; !ok {
			c.add(step.ID, "The model has no operation %q.", step.OperationID)
		}
	case StepWrite:
		if _, ok := c.store(step.ElementID); !ok {
			c.add(step.ID, "The model has no store %q.", step.ElementID)
		}
	case StepPublish:
		if _, ok := c.channels[step.ChannelID]; !ok {
			c.add(step.ID, "The model has no channel %q.", step.ChannelID)
		}
	}
}

func (c *checker) checkHandlers() {
	handled := map[string]bool{}
	for _, h := range c.scenario.Handlers {
		if _, ok := c.subscriptions[h.SubscriptionID]; !ok {
			c.add(h.SubscriptionID, "The model has no subscription %q.", h.SubscriptionID)
		}
		if handled[h.SubscriptionID] {
			c.add(h.SubscriptionID, "The subscription %s has more than one handler.", h.SubscriptionID)
		}
		handled[h.SubscriptionID] = true
		c.checkSteps(h.Steps)
	}
}
