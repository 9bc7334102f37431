package domain

import (
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
)

// notRecorded stands for a limit in a run of engine version 1, whose result has no limits.
const notRecorded = "not recorded"

// resultDocument is what a comparison reads of a result of any engine version.
type resultDocument struct {
	EngineVersion int                `json:"engineVersion"`
	Seed          string             `json:"seed"`
	Hash          string             `json:"hash"`
	Assumptions   []assumption       `json:"assumptions"`
	Overrides     []replaced         `json:"overrides"`
	Limits        map[string]float64 `json:"limits"`
	Sections      map[string]any     `json:",embed"` // the rest
}

type assumption struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	Source
}

// Source says where the value of an input comes from.
type Source struct {
	Label            string `json:"label"` // declared, measured or model
	MeasurementRef   string `json:"measurementRef,omitempty"`
	MeasurementStale *bool  `json:"measurementStale,omitempty"` // stated by engine version 3 for measured values
	// ModelValue is the value of the model that an override replaced.
	ModelValue *float64 `json:"modelValue,omitempty"`
}

type replaced struct {
	Target string  `json:"target"`
	Field  string  `json:"field"`
	Model  float64 `json:"model"`
}

func readResult(data []byte) (resultDocument, error) {
	var doc resultDocument
	if err := json.Unmarshal(data, &doc); err != nil {
		return doc, err
	}
	if doc.EngineVersion < 1 || doc.Hash == "" {
		return doc, errors.New("the document has no engine version and hash: it is no result")
	}
	return doc, nil
}

// input is one input of a run, by the key of the page: an assumption or a limit.
type input struct {
	value  any
	source *Source // nil: a limit
}

// equal takes a staleness that is not stated (engine version 2) for one that is not.
func (i input) equal(other input) bool {
	return reflect.DeepEqual(i.value, other.value) && i.source.equal(other.source)
}

func (s *Source) equal(other *Source) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.Label == other.Label && s.MeasurementRef == other.MeasurementRef && s.stale() == other.stale() &&
		reflect.DeepEqual(s.ModelValue, other.ModelValue)
}

func (s *Source) stale() bool { return s.MeasurementStale != nil && *s.MeasurementStale }

// inputs has a place for each limit of the other result when this one recorded none.
func (d resultDocument) inputs(other resultDocument) map[inputKey]input {
	found := map[inputKey]input{}
	fields := d.fieldsOfBranch()
	for _, a := range d.Assumptions {
		key := inputKey{text: a.Key, kind: kindOf(a.Key, fields)}
		if _, twice := found[key]; twice { // the branch step's stands behind the one of the thing called branch
			key.kind = ofBranchStep
		}
		found[key] = input{value: a.Value, source: &a.Source}
	}
	for _, o := range d.Overrides {
		if replacing, ok := found[inputKey{text: o.Target + "." + o.Field}]; ok {
			replacing.source.ModelValue = &o.Model
		}
	}
	for name, value := range d.Limits {
		found[limitKey(name)] = input{value: value}
	}
	if len(d.Limits) == 0 {
		for name := range other.Limits {
			found[limitKey(name)] = input{value: notRecorded}
		}
	}
	return found
}
