package domain

import "strings"

// ParseScenario reads a scenario document strictly (spec 1, Scenario document): shape, ranges and ids, against
// no model. Whether it is valid at a model is said by the trace. The error is an *InvalidError with every issue.
func ParseScenario(data []byte) (Scenario, error) {
	return parse(data, scenarioDocument, readScenario, checkScenario)
}

func readScenario(v value) Scenario {
	o := v.object("name", "description", "steps", "handlers", "faults", "assertions")
	return Scenario{
		Name: o.text("name"), Description: o.optionalText("description"),
		Steps:      list(o, "steps", unlimited, readStep),
		Handlers:   optionalList(o, "handlers", unlimited, readHandler),
		Faults:     optionalList(o, "faults", unlimited, readKept),
		Assertions: optionalList(o, "assertions", unlimited, readKept),
	}
}

func readHandler(v value) Handler {
	o := v.object("subscriptionId", "steps")
	return Handler{SubscriptionID: o.text("subscriptionId"), Steps: list(o, "steps", unlimited, readStep)}
}

// readStep reads the members of the step's kind. Those of another kind are ignored (E70), but are what they are anywhere else.
func readStep(v value) Step {
	o := v.object("id", "kind", "operationId", "steps", "onError", "elementId", "channelId", "routingKey",
		"branches", "then", "else", "condition")
	s := Step{ID: o.text("id"), Kind: o.text("kind")}
	switch s.Kind {
	case StepCall:
		s.OperationID = o.text("operationId")
		s.Steps = optionalList(o, "steps", unlimited, readStep)
		s.OnError = optionalList(o, "onError", unlimited, readStep)
	case StepWrite:
		s.ElementID = o.text("elementId")
	case StepPublish:
		s.ChannelID = o.text("channelId")
		s.RoutingKey = o.optionalText("routingKey")
	case StepParallel:
		s.Branches = list(o, "branches", MaxBranches, readBranch)
	case StepBranch:
		s.Then = list(o, "then", unlimited, readStep)
		s.Else = optionalList(o, "else", unlimited, readStep)
		s.Condition = o.optionalText("condition")
	}
	_, known := stepMembers[s.Kind]
	for kind, names := range stepMembers {
		if known && kind != s.Kind {
			readIgnored(o, names)
		}
	}
	return s
}

// stepMembers are those that the steps of one kind have.
var stepMembers = map[string][]string{
	StepCall: {"operationId", "steps", "onError"}, StepWrite: {"elementId"}, StepPublish: {"channelId", "routingKey"},
	StepParallel: {"branches"}, StepBranch: {"then", "else", "condition"},
}

// readIgnored reports what is not of its type.
func readIgnored(o object, names []string) {
	for _, name := range names {
		switch name {
		case "steps", "onError", "then", "else":
			optionalList(o, name, unlimited, ignoreStep)
		case "branches":
			optionalList(o, name, unlimited, func(v value) []struct{} { return listOf(v, unlimited, ignoreStep) })
		default:
			o.optionalText(name)
		}
	}
}

func ignoreStep(v value) struct{} {
	readStep(v)
	return struct{}{}
}

func readBranch(v value) []Step { return listOf(v, unlimited, readStep) }

// checkScenario finds the ids and ranges of a scenario that are not valid.
func checkScenario(s Scenario) []Issue {
	r := &report{code: CodeInvalidScenario}
	r.steps("/steps", s.Steps)
	for i, h := range s.Handlers {
		at := entry("/handlers", i)
		r.id(at+"/subscriptionId", h.SubscriptionID)
		r.steps(at+"/steps", h.Steps)
	}
	return r.sorted()
}

func (r *report) steps(at string, steps []Step) {
	for i, s := range steps {
		r.step(entry(at, i), s)
	}
}

func (r *report) step(at string, s Step) {
	r.id(at+"/id", s.ID)
	switch s.Kind {
	case StepCall:
		r.id(at+"/operationId", s.OperationID)
		r.steps(at+"/steps", s.Steps)
		r.steps(at+"/onError", s.OnError)
	case StepWrite:
		r.id(at+"/elementId", s.ElementID)
	case StepPublish:
		r.id(at+"/channelId", s.ChannelID)
		r.routingKey(at+"/routingKey", s.RoutingKey)
	case StepParallel:
		r.branches(at+"/branches", s.Branches)
	case StepBranch:
		r.steps(at+"/then", s.Then)
		r.steps(at+"/else", s.Else)
	default:
		r.oneOf(at+"/kind", s.Kind, StepCall, StepWrite, StepPublish, StepParallel, StepBranch)
	}
}

func (r *report) branches(at string, branches [][]Step) {
	if len(branches) < MinBranches || len(branches) > MaxBranches {
		r.add(at, "must have %d to %d branches", MinBranches, MaxBranches)
		return
	}
	for i, steps := range branches {
		r.steps(entry(at, i), steps)
	}
}

// routingKey checks the key of a publish: words without a wildcard. Empty: it has no words (E64).
func (r *report) routingKey(at, key string) {
	if key == "" {
		return
	}
	for word := range strings.SplitSeq(key, ".") {
		if word == "" || strings.ContainsAny(word, "*#") {
			r.add(at, "must be words with a dot between them and no wildcard, not %q; the wildcards * and # stand in bindings", shortened(key))
			return
		}
	}
}
