package engine

import "github.com/proofload/proofload/domain"

// Newest is the engine version that a run uses when none is named.
const Newest = 3

// Input is everything that a run reads.
type Input struct {
	Model    domain.Model
	Scenario *domain.Scenario // nil: the scenario does not exist
	Profile  domain.Profile
	// Doubts has an entry for each measurement that is known, by its id. A measurementRef without an entry
	// is in doubt and not stale (E61).
	Doubts  map[string]Doubt
	Version int    // 2 or 3; 0: Newest
	Limits  Limits // the zero value: DefaultLimits
	// Observer is told of progress and of finished flows; nil costs nothing. It never changes the result.
	Observer *Observer
	// Check turns on the conservation checks; a violation is a *CheckError, an error of the program.
	Check bool
}

// Doubt says what the server found about a measurement (the page, Confidence).
type Doubt struct {
	InDoubt bool
	Stale   bool
}

// Limits are the limits of one run (the page, Limits). They are in the result and in the hash.
type Limits struct {
	Duration     int64 `json:"duration"`     // arrival window, virtual seconds
	Arrivals     int64 `json:"arrivals"`     // mean number of arrivals
	Events       int64 `json:"events"`       // handled events
	Queued       int64 `json:"queued"`       // work that waits at one instant
	Pending      int64 `json:"pending"`      // scheduled events at one instant
	Targets      int64 `json:"targets"`      // E69
	Routes       int64 `json:"routes"`       // bindings matched for one message
	DrainSeconds int64 `json:"drainSeconds"` // virtual seconds after the arrivals
	KeptSamples  int64 `json:"keptSamples"`  // of one summary
	SeriesPoints int64 `json:"seriesPoints"` // of one series
}

// DefaultLimits are the values of the page.
var DefaultLimits = Limits{
	Duration: 3600, Arrivals: 200_000, Events: 5_000_000, Queued: 250_000, Pending: 250_000,
	Targets: 100, Routes: 200, DrainSeconds: 3600, KeptSamples: 50_000, SeriesPoints: 240,
}

// Observer is told what happens in a run. Both functions may be nil.
type Observer struct {
	// Progress is called every some thousand events.
	Progress func(Progress)
	// Flow is called at the end of every flow, in the order of the ends.
	Flow func(FinishedFlow)
}

// Progress is how far a run is.
type Progress struct {
	VirtualNs int64   // the instant of the event being handled, ns
	Events    int64   // handled events
	Done      float64 // an estimate of the finished share, 0 to 1
}

// FinishedFlow is one flow that has ended.
type FinishedFlow struct {
	StartNs    int64 // virtual ns
	DurationNs int64 // to the end of its last synchronous step
	Completed  bool  // false: failed
}
