package domain

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Errors of Decode that callers tell apart.
var (
	// ErrUnknownEvent: no event of this program has the name.
	ErrUnknownEvent = errors.New("unknown event")
	// ErrNewerSchema: the payload was written by a newer program.
	ErrNewerSchema = errors.New("newer schema")
)

// upcast turns a payload of one schema into a payload of the next.
type upcast func(data []byte) ([]byte, error)

// upcasts[name][i] turns a payload of schema i+1 into one of schema i+2. It is empty: every event is at schema 1.
var upcasts = map[string][]upcast{}

// codec is how the events of a program are read and written.
type codec struct {
	readers map[string]func([]byte) (Event, error)
	upcasts map[string][]upcast
}

var events = codec{upcasts: upcasts, readers: map[string]func([]byte) (Event, error){
	"MemberCreated":             read[MemberCreated],
	"WorkspaceCreated":          read[WorkspaceCreated],
	"MemberGranted":             read[MemberGranted],
	"RunAdmitted":               read[RunAdmitted],
	"RunReleased":               read[RunReleased],
	"ProjectCreated":            read[ProjectCreated],
	"ProfileAdmitted":           read[ProfileAdmitted],
	"ModelSaved":                read[ModelSaved],
	"ScenarioSaved":             read[ScenarioSaved],
	"ProfileSaved":              read[ProfileSaved],
	"RunRequested":              read[RunRequested],
	"RunStarted":                read[RunStarted],
	"RunCompleted":              read[RunCompleted],
	"RunRefused":                read[RunRefused],
	"RunFailed":                 read[RunFailed],
	"InstancePolicyChanged":     read[InstancePolicyChanged],
	"TokenIssued":               read[TokenIssued],
	"TokenRevoked":              read[TokenRevoked],
	"SimulationSettingsChanged": read[SimulationSettingsChanged],
	"MemberRevoked":             read[MemberRevoked],
	"ProjectRenamed":            read[ProjectRenamed],
	"KeyClaimed":                read[KeyClaimed],
	"ProjectArchived":           read[ProjectArchived],
	"ProfileRemoved":            read[ProfileRemoved],
	"BranchOpened":              read[BranchOpened],
	"ObjectivesSaved":           read[ObjectivesSaved],
	"ScenarioDeleted":           read[ScenarioDeleted],
	"ProfileDeleted":            read[ProfileDeleted],
	"RunCancelled":              read[RunCancelled],
	"RunDeleted":                read[RunDeleted],
}}

// Encode gives an event as it is stored, at its newest schema.
func Encode(e Event) (name string, schema int, data []byte, err error) { return events.encode(e) }

// Decode reads a stored event of any schema. It takes a payload only when writing the event again gives the
// same document: a member that is missing, unknown or null where it may not be is an error, because a payload
// changes by a new schema only.
func Decode(name string, schema int, data []byte) (Event, error) {
	return events.decode(name, schema, data)
}

func (c codec) newest(name string) int { return 1 + len(c.upcasts[name]) }

func (c codec) encode(e Event) (string, int, []byte, error) {
	name := e.EventName()
	if _, ok := c.readers[name]; !ok {
		return "", 0, nil, fmt.Errorf("%s: %w", name, ErrUnknownEvent)
	}
	data, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return "", 0, nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return name, c.newest(name), data, nil
}

func (c codec) decode(name string, schema int, data []byte) (Event, error) {
	reader, ok := c.readers[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, ErrUnknownEvent)
	}
	data, err := c.upcast(name, schema, data)
	if err != nil {
		return nil, fmt.Errorf("%s, schema %d: %w", name, schema, err)
	}
	event, err := reader(data)
	if err != nil {
		return nil, fmt.Errorf("%s, schema %d: %w", name, schema, err)
	}
	return event, nil
}

// upcast takes a payload through every schema from its own to the newest.
func (c codec) upcast(name string, schema int, data []byte) ([]byte, error) {
	switch {
	case schema < 1:
		return nil, errors.New("schemas start at 1")
	case schema > c.newest(name):
		return nil, ErrNewerSchema
	}
	for _, next := range c.upcasts[name][schema-1:] {
		var err error
		if data, err = next(data); err != nil {
			return nil, fmt.Errorf("upcast: %w", err)
		}
	}
	return data, nil
}

// read reads a payload of the newest schema.
func read[E Event](data []byte) (Event, error) {
	var e E
	if err := json.Unmarshal(data, &e, json.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	again, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	if !sameDocument(data, again) {
		return nil, errors.New("the payload lacks a member or spells one in another way")
	}
	return e, nil
}

// sameDocument compares two JSON documents. The bytes are equal for all that this program wrote.
func sameDocument(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	left, right := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	return left.Canonicalize() == nil && right.Canonicalize() == nil && bytes.Equal(left, right)
}
