package domain

// Kinds of arrivals and of a service time.
const (
	ArrivalsConstant = "constant"
	ArrivalsPoisson  = "poisson"
	ArrivalsRamp     = "ramp"
	ArrivalsBurst    = "burst"

	TimeFixed       = "fixed"
	TimeExponential = "exponential"
	TimeLognormal   = "lognormal"
	TimeUniform     = "uniform"
)

// Labels of an input. LabelModel stands only in the assumptions of a result.
const (
	LabelDeclared = "declared"
	LabelMeasured = "measured"
	LabelModel    = "model"
)

// Profile is a stress profile at one version (the page, Profile document; spec 1 has the spelling).
type Profile struct {
	Name          string              `json:"name"`
	ScenarioID    string              `json:"scenarioId"`
	Seed          string              `json:"seed"` // uint64 in decimal digits
	Arrivals      Arrivals            `json:"arrivals"`
	Resources     []Resource          `json:"resources"`
	ServiceTimes  []ServiceTime       `json:"serviceTimes"`
	Subscriptions []SubscriptionInput `json:"subscriptions"`
	Branches      []BranchInput       `json:"branches"`
	Overrides     []Override          `json:"overrides"`
	Outages       []Outage            `json:"outages"`
}

// Origin says where a value of a profile comes from. An empty label is declared.
type Origin struct {
	Label          string `json:"label,omitempty"`
	MeasurementRef string `json:"measurementRef,omitempty"`
}

// Arrivals is the load that is offered: flows per second over virtual time.
type Arrivals struct {
	Kind            string  `json:"kind"`
	RatePerSecond   float64 `json:"ratePerSecond"`
	ToRatePerSecond float64 `json:"toRatePerSecond,omitzero"` // ramp only
	Bursts          []Burst `json:"bursts,omitempty"`         // burst only
	DurationSeconds float64 `json:"durationSeconds"`
	WarmUpSeconds   float64 `json:"warmUpSeconds"`
	Origin
}

// Burst is a window [from, to) with a rate of its own.
type Burst struct {
	FromSeconds   float64 `json:"fromSeconds"`
	ToSeconds     float64 `json:"toSeconds"`
	RatePerSecond float64 `json:"ratePerSecond"`
}

// Resource gives an element its workers.
type Resource struct {
	ElementID     string `json:"elementId"`
	Concurrency   int    `json:"concurrency"`             // workers, 1 to 10 000
	QueueCapacity *int   `json:"queueCapacity,omitempty"` // waiting work; nil: unbounded
	Origin
}

// ServiceTime gives an operation, a subscription's handler or a store its service time.
type ServiceTime struct {
	Target string `json:"target"`
	Time   Time   `json:"time"`
	Origin
}

// Time is a distribution of a service time; its kind says which members count (milliseconds).
type Time struct {
	Kind     string  `json:"kind"`
	Ms       float64 `json:"ms,omitzero"`       // fixed
	MeanMs   float64 `json:"meanMs,omitzero"`   // exponential
	MedianMs float64 `json:"medianMs,omitzero"` // lognormal
	P95Ms    float64 `json:"p95Ms,omitzero"`    // lognormal
	MinMs    float64 `json:"minMs,omitzero"`    // uniform
	MaxMs    float64 `json:"maxMs,omitzero"`    // uniform
}

// SubscriptionInput gives a subscription its consumers.
type SubscriptionInput struct {
	SubscriptionID string `json:"subscriptionId"`
	Consumers      int    `json:"consumers"`               // 1 to 10 000
	QueueCapacity  *int   `json:"queueCapacity,omitempty"` // waiting messages; nil: unbounded
	Origin
}

// BranchInput gives a branch step the probability of its then path.
type BranchInput struct {
	StepID      string  `json:"stepId"`
	Probability float64 `json:"probability"`
	Origin
}

// Override replaces a timeout or a retry policy of the model. A nil field is not replaced.
type Override struct {
	Target      string   `json:"target"`
	TimeoutMs   *float64 `json:"timeoutMs,omitempty"`
	MaxAttempts *int     `json:"maxAttempts,omitempty"`
	BackoffMs   *float64 `json:"backoffMs,omitempty"`
	Origin
}

// Outage is a window [from, to) in which a target of the model is out.
type Outage struct {
	Target      string  `json:"target"`
	FromSeconds float64 `json:"fromSeconds"`
	ToSeconds   float64 `json:"toSeconds"`
}
