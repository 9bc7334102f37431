package domain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proofload/proofload/domain"
)

func TestFlow(t *testing.T) {
	s := sale()
	want := domain.Flow{
		Elements:      []string{"desk", "till", "truck"},
		Operations:    []string{"load", "pay"},
		Stores:        []string{"till"},
		Subscriptions: []string{"count", "ship"}, // not idle, though it has a handler
		Channels:      []string{"sold"},
		Entered:       []string{"lost", "parcels", "sold"}, // lost: by a dead letter of ship
		Branches:      []string{"s4"},                      // not s10, that no message gets to
		Handlers:      map[string][]domain.Step{"count": nil, "ship": {call("s9", "load")}},
		MaxRoutes:     1,
	}
	if diff := cmp.Diff(want, domain.TraceScenario(shop(), s).Flow); diff != "" {
		t.Error(diff)
	}
}

// The consumer of a reached subscription needs no workers: its consumers are a pool of their own.
func TestFlowOfAMessageOnly(t *testing.T) {
	s := domain.Scenario{Steps: []domain.Step{publish("s1", "sold", "")}}
	want := domain.Flow{
		Subscriptions: []string{"count"}, Channels: []string{"sold"}, Entered: []string{"sold"},
		Handlers: map[string][]domain.Step{"count": nil},
	}
	if diff := cmp.Diff(want, domain.TraceScenario(shop(), s).Flow, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// A handler's messages start more handlers, and what those use counts.
func TestFlowGoesFromHandlerToHandler(t *testing.T) {
	s := domain.Scenario{
		Steps: []domain.Step{publish("s1", "quiet", "")},
		Handlers: []domain.Handler{
			handler("ship", write("s4", "till")),
			handler("count", publish("s3", "parcels", "")),
			handler("idle", publish("s2", "sold", "a.us")),
		},
	}
	flow := domain.TraceScenario(shop(), s).Flow
	if diff := cmp.Diff([]string{"count", "idle", "ship"}, flow.Subscriptions); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"till"}, flow.Elements); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"parcels", "quiet", "sold"}, flow.Channels); diff != "" {
		t.Error(diff)
	}
}

// Routes are counted for the message that matches most, in a reached handler too, never added up (E64).
func TestMaxRoutes(t *testing.T) {
	m := network(
		[]string{"in", "hub", "x"},
		[][4]string{{"b1", "hub", "x", "a"}, {"b2", "hub", "x", "*"}, {"b3", "hub", "hub", ""}, {"b4", "x", "in", "b"}},
		[][2]string{{"k", "in"}, {"unreached", "x"}},
	)
	for _, c := range []struct {
		name     string
		scenario domain.Scenario
		want     int
	}{
		{"no message", domain.Scenario{}, 0},
		{"no words", domain.Scenario{Steps: []domain.Step{publish("1", "hub", "")}}, 1},
		{"three", domain.Scenario{Steps: []domain.Step{publish("1", "hub", "a")}}, 3},
		{"three and three", domain.Scenario{Steps: []domain.Step{publish("1", "hub", "a"), publish("2", "hub", "b")}}, 3},
		{
			"by a handler",
			domain.Scenario{Steps: []domain.Step{publish("1", "in", "")}, Handlers: []domain.Handler{handler("k", publish("2", "hub", "a"))}},
			3,
		},
		{
			"by the flow and by a handler",
			domain.Scenario{
				Steps:    []domain.Step{publish("1", "in", ""), publish("2", "hub", "b")},
				Handlers: []domain.Handler{handler("k", publish("3", "hub", "a"))},
			},
			3,
		},
		{
			"not by one out of reach",
			domain.Scenario{Steps: []domain.Step{publish("1", "in", "")}, Handlers: []domain.Handler{handler("unreached", publish("2", "hub", "a"))}},
			0,
		},
	} {
		if got := domain.TraceScenario(m, c.scenario).Flow.MaxRoutes; got != c.want {
			t.Errorf("%s: %d routes, want %d", c.name, got, c.want)
		}
	}
}

// The cases have one scenario below the limit of 200 matched bindings and one above it.
func TestMaxRoutesOfTheCases(t *testing.T) {
	for _, c := range engineCases(t) {
		routes := domain.TraceScenario(c.Model, *c.Scenario).Flow.MaxRoutes
		if over := c.name == "refuse-limit-routes"; over != (routes > 200) {
			t.Errorf("%s: %d routes", c.name, routes)
		}
	}
}
