package domain

// Kinds of an element and of a channel.
const (
	KindService  = "service"
	KindStore    = "store"
	KindExternal = "external"
	KindTopic    = "topic"
	KindQueue    = "queue"
)

// Model is a branch's description of a system at one version (spec 1, Model document).
type Model struct {
	Elements      []Element      `json:"elements"`
	Operations    []Operation    `json:"operations"`
	Channels      []Channel      `json:"channels"`
	Bindings      []Binding      `json:"bindings"`
	Subscriptions []Subscription `json:"subscriptions"`
}

// Element is a part of the system that has workers: a service, a store or an external system.
type Element struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Description string `json:"description,omitempty"`
}

// Operation is what a caller can call at an element that is not a store.
type Operation struct {
	ID        string  `json:"id"`
	ElementID string  `json:"elementId"`
	Name      string  `json:"name"`
	TimeoutMs float64 `json:"timeoutMs"` // 0: none
	Retry     Retry   `json:"retry"`
}

// Retry is the policy of an operation or a subscription.
type Retry struct {
	MaxAttempts int     `json:"maxAttempts"` // 1 to 10
	BackoffMs   float64 `json:"backoffMs"`   // fixed, 0 to 3 600 000 ms
}

// Channel carries messages.
type Channel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Binding carries messages on to another channel when the routing key matches its pattern.
type Binding struct {
	ID            string `json:"id"`
	FromChannelID string `json:"fromChannelId"`
	ToChannelID   string `json:"toChannelId"`
	RoutingKey    string `json:"routingKey,omitempty"` // an AMQP topic pattern; absent: #
}

// Subscription delivers the messages of a channel to a consumer element.
type Subscription struct {
	ID                  string `json:"id"`
	ChannelID           string `json:"channelId"`
	ElementID           string `json:"elementId"`
	Name                string `json:"name"`
	Retry               Retry  `json:"retry"`
	DeadLetterChannelID string `json:"deadLetterChannelId,omitempty"`
}
