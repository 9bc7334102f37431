package domain

// maxTracedRoutes bounds the channel ids in the routes of one tree: 2 000 publish steps into 2 000 channels
// and subscriptions would have thousands of millions of them.
const maxTracedRoutes = 20_000

// TracedStep is a step of the tree that the web page draws.
type TracedStep struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Target is what the step calls, writes or publishes to; nil when the model does not have it.
	Target     *TracedPart `json:"target,omitempty"`
	Condition  string      `json:"condition,omitempty"`  // branch
	RoutingKey string      `json:"routingKey,omitempty"` // publish

	Steps    []TracedStep   `json:"steps,omitempty"`    // call
	OnError  []TracedStep   `json:"onError,omitempty"`  // call
	Branches [][]TracedStep `json:"branches,omitempty"` // parallel
	Then     []TracedStep   `json:"then,omitempty"`     // branch
	Else     []TracedStep   `json:"else,omitempty"`     // branch

	// Routes has the subscriptions that the message gets to, in the order of the walk.
	Routes []TracedRoute `json:"routes,omitempty"`
	// RoutesLeftOut counts the routes that a very large tree does not show.
	RoutesLeftOut int `json:"routesLeftOut,omitempty"`
}

// TracedPart is a thing of the model.
type TracedPart struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"` // operation, or the kind of the element or the channel
	// ElementID and ElementName are the element of an operation or the consumer of a subscription.
	ElementID   string `json:"elementId,omitempty"`
	ElementName string `json:"elementName,omitempty"`
}

// TracedRoute is the way of a message to one subscription. Its handler stands in Trace.Handlers.
type TracedRoute struct {
	SubscriptionID string   `json:"subscriptionId"`
	Channels       []string `json:"channels"` // from the published one on
}

// TracedHandler is what a subscription does with a message: nothing when the scenario has no handler for it.
type TracedHandler struct {
	Subscription TracedPart   `json:"subscription"`
	ChannelID    string       `json:"channelId"`
	InScenario   bool         `json:"inScenario"` // false: handled with no steps
	Reached      bool         `json:"reached"`    // by a message of the flow
	Steps        []TracedStep `json:"steps"`
}

// traceSequence is the tree of a sequence. What is nested too deep is refused and left out.
func (t *tracer) traceSequence(steps []Step, depth int) []TracedStep {
	traced := []TracedStep{}
	if depth > MaxNesting {
		return traced
	}
	for i := range steps {
		traced = append(traced, t.traceStep(&steps[i], depth))
	}
	return traced
}

func (t *tracer) traceStep(step *Step, depth int) TracedStep {
	traced := TracedStep{ID: step.ID, Kind: step.Kind}
	switch step.Kind {
	case StepCall:
		traced.Target = t.operationPart(step.OperationID)
		traced.Steps = t.traceSequence(step.Steps, depth+1)
		traced.OnError = t.traceSequence(step.OnError, depth+1)
	case StepWrite:
		traced.Target = t.storePart(step.ElementID)
	case StepPublish:
		traced.Target = t.channelPart(step.ChannelID)
		traced.RoutingKey = step.RoutingKey
		t.traceRoutes(&traced)
	case StepParallel:
		for _, branch := range step.Branches {
			traced.Branches = append(traced.Branches, t.traceSequence(branch, depth+1))
		}
	case StepBranch:
		traced.Condition = step.Condition
		traced.Then = t.traceSequence(step.Then, depth+1)
		traced.Else = t.traceSequence(step.Else, depth+1)
	}
	return traced
}

// traceRoutes shows the routes of a publish step as long as the tree has room.
func (t *tracer) traceRoutes(publish *TracedStep) {
	if publish.Target == nil {
		return
	}
	walk := t.router.Walk(publish.Target.ID, publish.RoutingKey)
	for i, c := range walk.Channels {
		if len(c.Subscriptions) == 0 {
			continue
		}
		path := walk.Path(i)
		for _, id := range c.Subscriptions {
			if t.routesLeft < len(path) {
				publish.RoutesLeftOut++
				continue
			}
			t.routesLeft -= len(path)
			publish.Routes = append(publish.Routes, TracedRoute{SubscriptionID: id, Channels: path})
		}
	}
}

// traceHandlers are those of the document in its order, then the reached subscriptions without one.
func (t *tracer) traceHandlers(flow Flow) []TracedHandler {
	traced := []TracedHandler{}
	add := func(id string, steps []Step) {
		s, ok := t.subscriptions[id]
		if !ok {
			return
		}
		_, handled := t.handlers[id]
		_, reached := flow.Handlers[id]
		traced = append(traced, TracedHandler{
			Subscription: t.part(s.ID, s.Name, KindSubscription, s.ElementID), ChannelID: s.ChannelID,
			InScenario: handled, Reached: reached, Steps: t.traceSequence(steps, 1),
		})
	}
	for _, h := range t.scenario.Handlers {
		add(h.SubscriptionID, h.Steps)
	}
	for _, id := range flow.Subscriptions {
		if _, handled := t.handlers[id]; !handled {
			add(id, nil)
		}
	}
	return traced
}

func (t *tracer) operationPart(id string) *TracedPart {
	o, ok := t.operations[id]
	if !ok {
		return nil
	}
	part := t.part(o.ID, o.Name, KindOperation, o.ElementID)
	return &part
}

func (t *tracer) storePart(id string) *TracedPart {
	e, ok := t.store(id)
	if !ok {
		return nil
	}
	return &TracedPart{ID: e.ID, Name: e.Name, Kind: e.Kind}
}

func (t *tracer) channelPart(id string) *TracedPart {
	c, ok := t.channels[id]
	if !ok {
		return nil
	}
	return &TracedPart{ID: c.ID, Name: c.Name, Kind: c.Kind}
}

func (t *tracer) part(id, name, kind, elementID string) TracedPart {
	return TracedPart{ID: id, Name: name, Kind: kind, ElementID: elementID, ElementName: t.elements[elementID].Name}
}
