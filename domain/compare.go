package domain

import (
	"fmt"
	"maps"
	"slices"
)

// StoredResult is one side of a comparison.
type StoredResult struct {
	Document []byte // the result of engine version 1, 2 or 3, as JSON
	Pins     *Pins  // nil: a file, not a stored run
}

// Pins are the versions that a stored run was made from. The seed and the engine version stand in the result.
type Pins struct {
	Profile  Pin
	Model    Pin // the id is the branch's
	Scenario Pin
}

// Pin is one document at one version.
type Pin struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

// Comparison is what two runs differ in, without a verdict (the page, Comparison).
type Comparison struct {
	SameResult bool              `json:"sameResult"` // the hashes are equal
	Inputs     []InputDifference `json:"inputs"`     // the pins first, the others by key; see inputKey
	Metrics    []MetricRow       `json:"metrics"`
}

// InputDifference is an input that differs in its value or in where the value comes from.
type InputDifference struct {
	Key         string  `json:"key"`
	Left        any     `json:"left"` // a string, a number, a Pin or nil
	Right       any     `json:"right"`
	LeftSource  *Source `json:"leftSource,omitempty"` // nil: a pin, a limit, or the run has no such input
	RightSource *Source `json:"rightSource,omitempty"`
}

// MetricRow is one number of the results. A nil value: null, or the side has no such thing.
type MetricRow struct {
	Key   string   `json:"key"` // a path of the result: elements[pay].utilisation
	Left  *float64 `json:"left"`
	Right *float64 `json:"right"`
	Delta *float64 `json:"delta"` // right minus left; nil when a side has no value
}

// CompareResults compares two results. An error says which side is no result.
func CompareResults(left, right StoredResult) (Comparison, error) {
	l, err := readResult(left.Document)
	if err != nil {
		return Comparison{}, fmt.Errorf("left result: %w", err)
	}
	r, err := readResult(right.Document)
	if err != nil {
		return Comparison{}, fmt.Errorf("right result: %w", err)
	}
	return Comparison{
		SameResult: l.Hash == r.Hash,
		Inputs:     append(comparePins(left.Pins, right.Pins, l, r), compareInputs(l.inputs(r), r.inputs(l))...),
		Metrics:    compareMetrics(l.metrics(), r.metrics()),
	}, nil
}

// comparePins lists what pins the runs and differs. Pins that one side does not have are not compared.
func comparePins(left, right *Pins, l, r resultDocument) []InputDifference {
	differences := []InputDifference{}
	add := func(key string, a, b any) {
		if a != b {
			differences = append(differences, InputDifference{Key: key, Left: a, Right: b})
		}
	}
	if left != nil && right != nil {
		add("profile", left.Profile, right.Profile)
		add("model", left.Model, right.Model)
		add("scenario", left.Scenario, right.Scenario)
	}
	add("seed", l.Seed, r.Seed)
	add("engineVersion", l.EngineVersion, r.EngineVersion)
	return differences
}

func compareInputs(left, right map[inputKey]input) []InputDifference {
	var differences []InputDifference
	for _, key := range allKeys(left, right, inputKey.compare) {
		l, r := left[key], right[key]
		if !l.equal(r) {
			differences = append(differences, InputDifference{
				Key: key.text, Left: l.value, Right: r.value, LeftSource: l.source, RightSource: r.source,
			})
		}
	}
	return differences
}

func compareMetrics(left, right map[metricKey]*float64) []MetricRow {
	rows := []MetricRow{}
	for _, key := range allKeys(left, right, metricKey.compare) {
		row := MetricRow{Key: key.String(), Left: left[key], Right: right[key]}
		if row.Left != nil && row.Right != nil {
			delta := *row.Right - *row.Left
			row.Delta = &delta
		}
		rows = append(rows, row)
	}
	return rows
}

// allKeys are the keys of both maps in order, each once.
func allKeys[K comparable, V any](left, right map[K]V, compare func(a, b K) int) []K {
	keys := slices.SortedFunc(maps.Keys(left), compare)
	for key := range right {
		if _, both := left[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, compare)
	return keys
}
