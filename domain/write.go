package domain

import "github.com/go-json-experiment/json"

// A value of several kinds is written with the members of its kind, also where they are zero, and no others.

// MarshalJSON writes the members of the kind.
func (t Time) MarshalJSON() ([]byte, error) {
	members := map[string]any{"kind": t.Kind}
	switch t.Kind {
	case TimeFixed:
		members["ms"] = t.Ms
	case TimeExponential:
		members["meanMs"] = t.MeanMs
	case TimeLognormal:
		members["medianMs"], members["p95Ms"] = t.MedianMs, t.P95Ms
	case TimeUniform:
		members["minMs"], members["maxMs"] = t.MinMs, t.MaxMs
	}
	return json.Marshal(members, json.Deterministic(true))
}

// MarshalJSON writes the members of the kind.
func (a Arrivals) MarshalJSON() ([]byte, error) {
	members := map[string]any{
		"kind": a.Kind, "ratePerSecond": a.RatePerSecond, "durationSeconds": a.DurationSeconds, "warmUpSeconds": a.WarmUpSeconds,
	}
	switch a.Kind {
	case ArrivalsRamp:
		members["toRatePerSecond"] = a.ToRatePerSecond
	case ArrivalsBurst:
		members["bursts"] = a.Bursts
	}
	addText(members, "label", a.Label)
	addText(members, "measurementRef", a.MeasurementRef)
	return json.Marshal(members, json.Deterministic(true))
}

// MarshalJSON writes the members of the kind.
func (s Step) MarshalJSON() ([]byte, error) {
	members := map[string]any{"id": s.ID, "kind": s.Kind}
	switch s.Kind {
	case StepCall:
		members["operationId"] = s.OperationID
		addSteps(members, "steps", s.Steps)
		addSteps(members, "onError", s.OnError)
	case StepWrite:
		members["elementId"] = s.ElementID
	case StepPublish:
		members["channelId"] = s.ChannelID
		addText(members, "routingKey", s.RoutingKey)
	case StepParallel:
		members["branches"] = s.Branches
	case StepBranch:
		members["then"] = s.Then
		addSteps(members, "else", s.Else)
		addText(members, "condition", s.Condition)
	}
	return json.Marshal(members, json.Deterministic(true))
}

func addText(members map[string]any, name, text string) {
	if text != "" {
		members[name] = text
	}
}

func addSteps(members map[string]any, name string, steps []Step) {
	if len(steps) > 0 {
		members[name] = steps
	}
}
