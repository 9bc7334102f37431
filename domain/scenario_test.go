package domain

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Every rule of the scenario document (spec 1): shape, ranges and ids, against no model.
func TestParseScenarioRules(t *testing.T) {
	const call, publish, parallel, branch = "/steps/0", "/steps/0/onError/0", "/steps/1", "/steps/2"
	runChanges(t, validScenario, parsers[1].parse, []change{
		{"", `7`, here},
		{"/name", "", here},
		{"/name", "1", here},
		{"/description", "", ""},
		{"/description", "null", here},
		{"/steps", "", here},
		{"/steps", "[]", ""},
		{"/steps", "{}", here},
		{"/steps/0", "[]", here},
		{"/retries", "1", here},
		{"/handlers", "", ""},
		{"/handlers", "[]", ""},
		{"/handlers", "null", here},
		{"/handlers/0/steps", "", here},
		{"/handlers/0/steps", "[]", ""},
		{"/handlers/0/subscriptionId", "", here},
		{"/handlers/0/subscriptionId", `"?"`, here},
		{"/handlers/0/id", `"h"`, here},
		{"/handlers/0/steps/0/elementId", `""`, here},
		{"/handlers/1", `{"subscriptionId": "mail", "steps": []}`, ""},
		{"/faults", "", ""},
		{"/faults", "[]", ""},
		{"/faults", "{}", here},
		{"/faults/0", "[]", here},
		{"/faults/0", "null", here},
		{"/assertions", "", ""},
		{"/assertions", "7", here},
		{"/assertions/0", `"x"`, here},

		{call + "/id", "", here},
		{call + "/id", `"s 1"`, here},
		{call + "/id", `"` + idOf(65) + `"`, here},
		{call + "/id", `"s4"`, ""},
		{call + "/kind", "", here},
		{call + "/kind", `"wait"`, here},
		{call + "/kind", "3", here},
		{call + "/sleepMs", "3", here},
		{call + "/operationId", "", here},
		{call + "/operationId", `"of no model"`, here},
		{call + "/operationId", `"of-no-model"`, ""},
		{call + "/steps", "", ""},
		{call + "/steps", "[]", ""},
		{call + "/steps", "null", here},
		{call + "/steps/0/id", "", here},
		{call + "/onError", "", ""},
		{call + "/onError", "7", here},
		{call + "/steps/0/elementId", "", here},
		{call + "/steps/0/elementId", `"!"`, here},

		{publish + "/channelId", "", here},
		{publish + "/channelId", `"a:b"`, here},
		{publish + "/routingKey", "", ""},
		{publish + "/routingKey", `""`, ""},
		{publish + "/routingKey", `"ä b.c"`, ""},
		{publish + "/routingKey", `"a.*"`, here},
		{publish + "/routingKey", `"#"`, here},
		{publish + "/routingKey", `"a..b"`, here},
		{publish + "/routingKey", `"a."`, here},
		{publish + "/routingKey", "null", here},

		{parallel + "/branches", "", here},
		{parallel + "/branches", entries(1, "[]"), here},
		{parallel + "/branches", entries(2, "[]"), ""},
		{parallel + "/branches", entries(16, "[]"), ""},
		{parallel + "/branches", entries(17, "[]"), here},
		{parallel + "/branches/0", "{}", here},
		{parallel + "/branches/1/0/operationId", `"-"`, here},

		{branch + "/then", "", here},
		{branch + "/else", "", ""},
		{branch + "/else", "null", here},
		{branch + "/condition", "", ""},
		{branch + "/condition", "true", here},
		{branch + "/else/0/channelId", "null", here},

		// Members of another kind are ignored (E70): their values count nothing, but they are of their type.
		{call + "/elementId", `"no id"`, ""},
		{call + "/elementId", `7`, here},
		{publish + "/onError", `[{"id": "x", "kind": "write", "elementId": "db"}]`, ""},
		{publish + "/onError", `"none"`, here},
		{publish + "/onError", `[{"id": "x", "kind": "write", "elementId": "db", "zz": 1}]`, publish + "/onError/0/zz"},
		{branch + "/branches", "[]", ""},
		{branch + "/branches", "[1]", branch + "/branches/0"},
		{branch + "/steps", "null", here},
	})
}

// Two step ids, nesting deeper than 32, more than 2 000 steps and a second handler are refusals of the trace:
// a save checks shape, ranges and ids only (spec 1).
func TestParseScenarioLeavesToTheTrace(t *testing.T) {
	deep := `{"id": "s", "kind": "write", "elementId": "db"}`
	for range 40 {
		deep = `{"id": "s", "kind": "call", "operationId": "buy", "steps": [` + deep + `]}`
	}
	runChanges(t, validScenario, parsers[1].parse, []change{
		{"/steps/3", deep, ""},
		{"/steps", entries(2001, `{"id": "s%d", "kind": "write", "elementId": "db"}`), ""},
	})
}

func TestParseScenarioValues(t *testing.T) {
	s, err := ParseScenario([]byte(validScenario))
	if err != nil {
		t.Fatal(err)
	}
	write := func(id string) Step { return Step{ID: id, Kind: StepWrite, ElementID: "db"} }
	want := Scenario{
		Name: "Buying", Description: "one purchase",
		Steps: []Step{
			{
				ID: "s1", Kind: StepCall, OperationID: "buy", Steps: []Step{write("s2")},
				OnError: []Step{{ID: "s3", Kind: StepPublish, ChannelID: "orders", RoutingKey: "order.failed"}},
			},
			{ID: "s4", Kind: StepParallel, Branches: [][]Step{{}, {{ID: "s5", Kind: StepCall, OperationID: "pay"}}}},
			{ID: "s6", Kind: StepBranch, Then: []Step{}, Else: []Step{{ID: "s7", Kind: StepPublish, ChannelID: "lost"}}, Condition: "is paid"},
		},
		Handlers:   []Handler{{SubscriptionID: "mail", Steps: []Step{write("s8")}}},
		Faults:     []jsontext.Value{jsontext.Value(`{"any":[1,{"a":2,"z":1}]}`)},
		Assertions: []jsontext.Value{jsontext.Value(`{}`)},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
}

// A step of an unknown kind says so once; its members cannot be judged.
func TestParseScenarioUnknownKind(t *testing.T) {
	_, err := ParseScenario(changed(t, validScenario, "/steps/0", `{"id": "s", "kind": "sleep", "branches": 7}`))
	if diff := cmp.Diff([]string{"/steps/0/kind"}, targets(t, err)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	if !strings.Contains(err.Error(), "call, write, publish, parallel, branch") {
		t.Errorf("the kinds are not named: %v", err)
	}
}
