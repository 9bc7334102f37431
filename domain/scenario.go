package domain

import "github.com/go-json-experiment/json/jsontext"

// Kinds of a step.
const (
	StepCall     = "call"
	StepWrite    = "write"
	StepPublish  = "publish"
	StepParallel = "parallel"
	StepBranch   = "branch"
)

// Scenario is one flow through the model (spec 1, Scenario document).
type Scenario struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Steps       []Step           `json:"steps"`
	Handlers    []Handler        `json:"handlers,omitempty"`
	Faults      []jsontext.Value `json:"faults,omitempty"`     // objects, kept unread
	Assertions  []jsontext.Value `json:"assertions,omitempty"` // objects, kept unread
}

// Handler is what a subscription's consumer does with a message.
type Handler struct {
	SubscriptionID string `json:"subscriptionId"`
	Steps          []Step `json:"steps"`
}

// Step is one step of a sequence. Kind says which of the members it has.
type Step struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`

	OperationID string `json:"operationId,omitempty"` // call
	Steps       []Step `json:"steps,omitempty"`       // call: run inside the call, by its callee
	OnError     []Step `json:"onError,omitempty"`     // call: run in its place after the last failed attempt

	ElementID string `json:"elementId,omitempty"` // write: a store

	ChannelID  string `json:"channelId,omitempty"`  // publish
	RoutingKey string `json:"routingKey,omitempty"` // publish: words, no wildcard

	Branches [][]Step `json:"branches,omitempty"` // parallel: 2 to 16

	Then      []Step `json:"then,omitempty"`      // branch
	Else      []Step `json:"else,omitempty"`      // branch
	Condition string `json:"condition,omitempty"` // branch: text for people
}
