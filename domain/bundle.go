package domain

import "github.com/go-json-experiment/json"

// Bundle is one file with everything that a run reads (spec 1, The bundle).
type Bundle struct {
	Model    Model     `json:"model"`
	Scenario *Scenario `json:"scenario"` // nil: the scenario does not exist, and a run is refused as unknown-scenario
	Profile  Profile   `json:"profile"`
	// ProfileIssues are the issues of the profile with pointers into it. A run with one is refused (E65).
	// The profile is the zero value when they say that it could not be read.
	ProfileIssues []Issue             `json:"-"`
	Measurements  []BundleMeasurement `json:"measurements,omitempty"`
	Objectives    []Objective         `json:"objectives,omitempty"`
}

// BundleMeasurement is what a bundle says of a measurement: the doubts, or all of it.
type BundleMeasurement struct {
	ID      string
	InDoubt bool
	Stale   bool
	Whole   *Measurement // nil: only the doubts are stated
}

// doubtsOnly is the short form of an entry.
type doubtsOnly struct {
	ID      string `json:"id"`
	InDoubt bool   `json:"inDoubt"`
	Stale   bool   `json:"stale"`
}

// MarshalJSON writes the entry in the form in which it was read.
func (m BundleMeasurement) MarshalJSON() ([]byte, error) {
	if m.Whole != nil {
		return json.Marshal(*m.Whole)
	}
	return json.Marshal(doubtsOnly{m.ID, m.InDoubt, m.Stale})
}

// DoubtFor says whether the measurement is in doubt for the service times of a profile, and whether it is of
// another version. A whole measurement is in doubt only when its numbers differ from those of the profile.
func (m BundleMeasurement) DoubtFor(p Profile) (inDoubt, stale bool) {
	if m.Whole != nil {
		return m.Whole.NumbersDiffer(p.ServiceTimes), false
	}
	return m.InDoubt, m.Stale
}

// Objective is an expectation of a scenario (spec 3: PATH OP NUMBER[unit]); the engine never sees one.
type Objective struct {
	Name   string `json:"name"`
	Expect string `json:"expect"`
}
