package engine

import (
	"fmt"

	"github.com/proofload/proofload/domain"
)

// version is what differs between the versions of the engine. It is used outside the event loop only. A change to any
// rule is a new row of versions, with the rows before it untouched.
type version struct {
	number int
	// confidence says how well the service times of the flow are founded (the page, Confidence).
	confidence func(times []domain.ServiceTime, doubts map[string]Doubt) Confidence
	// measured adds to an assumption what is known of its measurement.
	measured func(a Assumption, d Doubt) Assumption
}

// versions are those that can run, the newest last.
var versions = [...]version{
	{number: 2, confidence: confidenceByLabel, measured: withoutStaleness},
	{number: 3, confidence: confidenceByDoubt, measured: withStaleness},
}

// Versions are the numbers of the versions that can run, the newest last.
func Versions() []int {
	numbers := make([]int, len(versions))
	for i, v := range versions {
		numbers[i] = v.number
	}
	return numbers
}

// versionOf finds a version by its number; 0 is the newest.
func versionOf(number int) (version, error) {
	if number == 0 {
		number = Newest
	}
	for _, v := range versions {
		if v.number == number {
			return v, nil
		}
	}
	return version{}, fmt.Errorf("engine version %d: %w", number, domain.ErrNotFound)
}

// The words of a Confidence.
const (
	levelLow, levelMedium                   = "low", "medium"
	ruleDeclared, ruleInDoubt, ruleMeasured = "declared", "in-doubt", "measured"
)

// confidenceByLabel is the rule of version 2: a declared service time is enough for low.
func confidenceByLabel(times []domain.ServiceTime, _ map[string]Doubt) Confidence {
	for _, t := range times {
		if t.Label != domain.LabelMeasured {
			return Confidence{Level: levelLow, Rule: ruleDeclared}
		}
	}
	return Confidence{Level: levelMedium, Rule: ruleMeasured}
}

// confidenceByDoubt is the rule of version 3: a measured service time counts only when it is not in doubt.
func confidenceByDoubt(times []domain.ServiceTime, doubts map[string]Doubt) Confidence {
	if c := confidenceByLabel(times, doubts); c.Level == levelLow {
		return c
	}
	for _, t := range times {
		if doubtOf(doubts, t.MeasurementRef).InDoubt {
			return Confidence{Level: levelLow, Rule: ruleInDoubt}
		}
	}
	return Confidence{Level: levelMedium, Rule: ruleMeasured}
}

// doubtOf is in doubt and not stale for a measurement that nobody knows (E61).
func doubtOf(doubts map[string]Doubt, measurementRef string) Doubt {
	if d, known := doubts[measurementRef]; known {
		return d
	}
	return Doubt{InDoubt: true}
}

// withoutStaleness is version 2.
func withoutStaleness(a Assumption, _ Doubt) Assumption { return a }

// withStaleness is version 3: each measured assumption says whether its measurement is stale.
func withStaleness(a Assumption, d Doubt) Assumption {
	a.MeasurementStale = &d.Stale
	return a
}
