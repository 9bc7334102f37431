package engine

// Result is the document of one run (spec 2, Result document). Lists of things are in ascending id order.
// Milliseconds are virtual time. A nil number is null: the run has no such value.
type Result struct {
	EngineVersion int                  `json:"engineVersion"`
	Seed          string               `json:"seed"`
	Hash          string               `json:"hash"` // SHA-256 of the RFC 8785 form with an empty hash, lower-case hex
	Flow          FlowResult           `json:"flow"`
	Operations    []OperationResult    `json:"operations"`
	Elements      []ElementResult      `json:"elements"`
	Subscriptions []SubscriptionResult `json:"subscriptions"`
	Channels      []ChannelResult      `json:"channels"`
	Bottleneck    Bottleneck           `json:"bottleneck"`
	Series        Series               `json:"series"`
	Drain         Drain                `json:"drain"`
	EndMs         float64              `json:"endMs"`
	Events        int64                `json:"events"`
	Window        Window               `json:"window"`
	Assumptions   []Assumption         `json:"assumptions"`
	Overrides     []OverrideResult     `json:"overrides"`
	Limits        Limits               `json:"limits"`
	Confidence    Confidence           `json:"confidence"`
	NotModelled   []string             `json:"notModelled"`
	UnusedInputs  int                  `json:"unusedInputs"`
	ScenarioHas   ScenarioHas          `json:"scenarioHas"`
}

// Summary is the distribution of a latency or a wait (E25). All values are null when Count is 0.
type Summary struct {
	Count     int64    `json:"count"`
	MinMs     *float64 `json:"minMs"`
	MeanMs    *float64 `json:"meanMs"`
	P50Ms     *float64 `json:"p50Ms"`
	P90Ms     *float64 `json:"p90Ms"`
	P95Ms     *float64 `json:"p95Ms"`
	P99Ms     *float64 `json:"p99Ms"`
	P999Ms    *float64 `json:"p999Ms"`
	MaxMs     *float64 `json:"maxMs"`
	Reservoir bool     `json:"reservoir"`
}

// FlowResult counts the flows that started at or after the warm-up; throughput covers the measured window.
type FlowResult struct {
	Started             int64   `json:"started"`
	Completed           int64   `json:"completed"`
	Failed              int64   `json:"failed"`
	Open                int64   `json:"open"`
	ThroughputPerSecond float64 `json:"throughputPerSecond"`
	Latency             Summary `json:"latency"`
}

// OperationResult counts the attempts of an operation as its callers saw them (E18, E47).
type OperationResult struct {
	ID             string  `json:"id"`
	Attempts       int64   `json:"attempts"`
	Succeeded      int64   `json:"succeeded"`
	TimedOut       int64   `json:"timedOut"`
	Rejected       int64   `json:"rejected"`
	FailedByOutage int64   `json:"failedByOutage"`
	FailedInside   int64   `json:"failedInside"`
	Retries        int64   `json:"retries"`
	Exhausted      int64   `json:"exhausted"`
	Latency        Summary `json:"latency"`
}

// ResourceResult is what an element with its workers and a subscription with its consumers have in common.
type ResourceResult struct {
	Utilisation        float64         `json:"utilisation"`
	Depth              Depth           `json:"depth"`
	Wait               Summary         `json:"wait"`
	Noise              Noise           `json:"noise"`
	Saturated          bool            `json:"saturated"`
	SaturatedBecause   []string        `json:"saturatedBecause"`
	TurnedAway         int64           `json:"turnedAway"`
	BacklogWindows     []BacklogWindow `json:"backlogWindows"`
	BacklogWindowsFull bool            `json:"backlogWindowsFull"`
	Growth             Growth          `json:"growth"`
	Latency            Summary         `json:"latency"`
}

// ElementResult is one element that does work in the flow.
type ElementResult struct {
	ID                  string  `json:"id"`
	Kind                string  `json:"kind"` // "element"
	Workers             int     `json:"workers"`
	QueueCapacity       *int    `json:"queueCapacity"` // null: unbounded
	Completed           int64   `json:"completed"`
	Wasted              int64   `json:"wasted"`
	WastedWorkerMs      float64 `json:"wastedWorkerMs"`
	FailedInside        int64   `json:"failedInside"`
	Rejected            int64   `json:"rejected"`
	FailedByOutage      int64   `json:"failedByOutage"`
	ThroughputPerSecond float64 `json:"throughputPerSecond"`
	ResourceResult
}

// SubscriptionResult is one subscription that the flow reaches (E50).
type SubscriptionResult struct {
	ID                  string  `json:"id"`
	Kind                string  `json:"kind"` // "subscription"
	Workers             int     `json:"workers"`
	QueueCapacity       *int    `json:"queueCapacity"` // null: unbounded
	Messages            int64   `json:"messages"`
	Deliveries          int64   `json:"deliveries"`
	Completed           int64   `json:"completed"`
	FailedDeliveries    int64   `json:"failedDeliveries"`
	Redelivered         int64   `json:"redelivered"`
	Overflowed          int64   `json:"overflowed"`
	DeadLettered        int64   `json:"deadLettered"`
	Dropped             int64   `json:"dropped"`
	ThroughputPerSecond float64 `json:"throughputPerSecond"`
	ResourceResult
}

// Depth is the number of waiting works over the measured window, time-weighted (E20, E23, E42).
type Depth struct {
	Mean     float64    `json:"mean"`
	Max      int64      `json:"max"`
	Quarters [4]float64 `json:"quarters"`
}

// Noise is the noise bound of a resource with what it was computed from (the page, The noise bound).
type Noise struct {
	N                int64   `json:"n"`
	Utilisation      float64 `json:"utilisation"`
	ArrivalCv2       float64 `json:"arrivalCv2"`
	ServiceCv2       float64 `json:"serviceCv2"`
	Variability      float64 `json:"variability"`
	UpperUtilisation float64 `json:"upperUtilisation"`
	Bound            int64   `json:"bound"`
}

// Reasons of SaturatedBecause.
const (
	TurnsWorkAway     = "turns-work-away"
	ReachesNoiseBound = "noise-bound"
)

// BacklogWindow is a time in which work waited without a break (E43).
type BacklogWindow struct {
	StartMs  float64  `json:"startMs"`
	EndMs    *float64 `json:"endMs"` // null: work still waits at the end of the run
	MaxDepth int64    `json:"maxDepth"`
	MaxAtMs  float64  `json:"maxAtMs"`
}

// Growth says whether the queue grew over the second half of the measured window (E44).
type Growth struct {
	Grows     bool     `json:"grows"`
	PerSecond *float64 `json:"perSecond"`
}

// ChannelResult is one channel that a publish step of the flow names (E51).
type ChannelResult struct {
	ID             string `json:"id"`
	Published      int64  `json:"published"`
	FailedByOutage int64  `json:"failedByOutage"`
	Dropped        int64  `json:"dropped"`
}

// Bottleneck is the saturated resource with the highest utilisation, if one is saturated.
type Bottleneck struct {
	ResourceID *string `json:"resourceId"`
	Rule       string  `json:"rule"` // highest-utilisation | none
}

// Series are sampled at k * IntervalMs, k = 1, 2, … (E57 to E59). Counts are per interval, the rest are
// values at the instant; all over all flows.
type Series struct {
	IntervalMs int64            `json:"intervalMs"`
	Truncated  bool             `json:"truncated"`
	PointsMs   []int64          `json:"pointsMs"`
	Flow       FlowSeries       `json:"flow"`
	Resources  []ResourceSeries `json:"resources"`
}

// FlowSeries has one value a point in each list.
type FlowSeries struct {
	Started   []int64 `json:"started"`
	Completed []int64 `json:"completed"`
	Failed    []int64 `json:"failed"`
	InFlight  []int64 `json:"inFlight"`
}

// ResourceSeries has one value a point in each list.
type ResourceSeries struct {
	ID         string  `json:"id"`
	Depth      []int64 `json:"depth"`
	Busy       []int64 `json:"busy"`
	Completed  []int64 `json:"completed"`
	TurnedAway []int64 `json:"turnedAway"`
}

// Drain is what happened after the arrivals stopped.
type Drain struct {
	Drained bool     `json:"drained"`
	TimeMs  *float64 `json:"timeMs"`
	Left    Left     `json:"left"`
}

// Left is the work that is open at the drain limit, of all flows (E46).
type Left struct {
	Flows    int64 `json:"flows"`
	Calls    int64 `json:"calls"`
	Writes   int64 `json:"writes"`
	Messages int64 `json:"messages"`
}

// Window is the measured window.
type Window struct {
	WarmUpMs        float64 `json:"warmUpMs"`
	EndOfArrivalsMs float64 `json:"endOfArrivalsMs"`
}

// Assumption is one input that the flow uses. Value is a string, a float64 or nil (E60).
type Assumption struct {
	Key              string `json:"key"`
	Value            any    `json:"value"`
	Label            string `json:"label"`
	MeasurementRef   string `json:"measurementRef,omitempty"`
	MeasurementStale *bool  `json:"measurementStale,omitempty"`
}

// OverrideResult is a value of the model that the profile replaced by another one.
type OverrideResult struct {
	Target  string  `json:"target"`
	Field   string  `json:"field"`
	Model   float64 `json:"model"`
	Profile float64 `json:"profile"`
}

// Confidence is the level and the rule that set it. The level is not a probability.
type Confidence struct {
	Level string `json:"level"` // low | medium
	Rule  string `json:"rule"`  // declared | in-doubt | measured
}

// ScenarioHas says which members of the scenario the engine did not apply.
type ScenarioHas struct {
	Faults     bool `json:"faults"`
	Assertions bool `json:"assertions"`
}
