package domain_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// sale calls pay, which writes; both ways of a branch publish; one handler is reached, one is not.
func sale() domain.Scenario {
	pay := call("s1", "pay", write("s2", "till"))
	pay.OnError = []domain.Step{call("s3", "nothing")}
	return domain.Scenario{
		Steps: []domain.Step{
			pay,
			{
				ID: "s4", Kind: domain.StepBranch, Condition: "in Europe",
				Then: []domain.Step{publish("s5", "sold", "book.eu")},
				Else: []domain.Step{{
					ID: "s6", Kind: domain.StepParallel,
					Branches: [][]domain.Step{{publish("s7", "sold", "book.us")}, {call("s8", "load")}},
				}},
			},
		},
		Handlers: []domain.Handler{
			handler("idle", domain.Step{ID: "s10", Kind: domain.StepBranch}, call("s11", "load"), publish("s12", "quiet2", "")),
			handler("ship", call("s9", "load")),
		},
	}
}

func TestTraceTree(t *testing.T) {
	const want = `{
	"issues": [
		{"code": "invalid-scenario", "target": "s12", "message": "The model has no channel \"quiet2\"."},
		{"code": "invalid-scenario", "target": "s3", "message": "The model has no operation \"nothing\"."}
	],
	"steps": [
		{"id": "s1", "kind": "call",
			"target": {"id": "pay", "name": "Pay", "kind": "operation", "elementId": "desk", "elementName": "Desk"},
			"steps": [{"id": "s2", "kind": "write", "target": {"id": "till", "name": "Till", "kind": "store"}}],
			"onError": [{"id": "s3", "kind": "call"}]},
		{"id": "s4", "kind": "branch", "condition": "in Europe",
			"then": [{"id": "s5", "kind": "publish", "routingKey": "book.eu",
				"target": {"id": "sold", "name": "Sold", "kind": "topic"},
				"routes": [
					{"subscriptionId": "count", "channels": ["sold"]},
					{"subscriptionId": "ship", "channels": ["sold", "parcels"]}
				]}],
			"else": [{"id": "s6", "kind": "parallel", "branches": [
				[{"id": "s7", "kind": "publish", "routingKey": "book.us",
					"target": {"id": "sold", "name": "Sold", "kind": "topic"},
					"routes": [{"subscriptionId": "count", "channels": ["sold"]}]}],
				[{"id": "s8", "kind": "call",
					"target": {"id": "load", "name": "Load", "kind": "operation", "elementId": "truck", "elementName": "Truck"}}]
			]}]}
	],
	"handlers": [
		{"subscription": {"id": "idle", "name": "Idle", "kind": "subscription", "elementId": "desk", "elementName": "Desk"},
			"channelId": "quiet", "inScenario": true, "reached": false,
			"steps": [
				{"id": "s10", "kind": "branch"},
				{"id": "s11", "kind": "call",
					"target": {"id": "load", "name": "Load", "kind": "operation", "elementId": "truck", "elementName": "Truck"}},
				{"id": "s12", "kind": "publish"}
			]},
		{"subscription": {"id": "ship", "name": "Ship", "kind": "subscription", "elementId": "truck", "elementName": "Truck"},
			"channelId": "parcels", "inScenario": true, "reached": true,
			"steps": [{"id": "s9", "kind": "call",
				"target": {"id": "load", "name": "Load", "kind": "operation", "elementId": "truck", "elementName": "Truck"}}]},
		{"subscription": {"id": "count", "name": "Count", "kind": "subscription", "elementId": "desk", "elementName": "Desk"},
			"channelId": "sold", "inScenario": false, "reached": true, "steps": []}
	]}`
	got, err := json.Marshal(domain.TraceScenario(shop(), sale()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(generic(t, []byte(want)), generic(t, got)); diff != "" {
		t.Error(diff)
	}
}

func generic(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// A handler stands in the tree once, however many steps publish to it, and an empty trace has empty lists.
func TestTraceTreeOfNothing(t *testing.T) {
	got, err := json.Marshal(domain.TraceScenario(domain.Model{}, domain.Scenario{}))
	if want := `{"issues":[],"steps":[],"handlers":[]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// What is nested too deep is refused and not in the tree, so that the tree can always be written and read.
func TestTraceTreeEndsAtTheDeepestStep(t *testing.T) {
	trace := domain.TraceScenario(shop(), domain.Scenario{Steps: nest(5_000, wraps["call"])})
	depth := 0
	for steps := trace.Steps; len(steps) > 0; steps = steps[0].Steps {
		depth++
	}
	if depth != domain.MaxNesting {
		t.Errorf("the tree is %d deep", depth)
	}
	if len(trace.Issues) != 1+5_000-domain.MaxNesting { // one for the number of steps
		t.Errorf("%d issues", len(trace.Issues))
	}
}

// 200 publish steps with keys of their own, each along 300 channels to 400 subscriptions: the tree stays small
// and says what it leaves out.
func TestTraceTreeIsBounded(t *testing.T) {
	m, s := wide(300, 400, 200)
	trace := domain.TraceScenario(m, s)
	shown, leftOut, channels := 0, 0, 0
	for _, step := range trace.Steps {
		shown += len(step.Routes)
		leftOut += step.RoutesLeftOut
		for _, route := range step.Routes {
			channels += len(route.Channels)
		}
	}
	if shown == 0 || shown+leftOut != 200*400 || channels > 20_000 {
		t.Errorf("%d routes with %d channels shown, %d left out", shown, channels, leftOut)
	}
	if got := trace.Flow; len(got.Subscriptions) != 400 || len(got.Entered) != 300 || got.MaxRoutes != 299 {
		t.Errorf("%d subscriptions, %d channels, %d routes", len(got.Subscriptions), len(got.Entered), got.MaxRoutes)
	}
}

// wide is a chain of channels with all subscriptions at its end, and publish steps to its head.
func wide(channels, subscriptions, publishes int) (domain.Model, domain.Scenario) {
	var ids []string
	var bindings [][4]string
	var consumers [][2]string
	for i := range channels {
		ids = append(ids, fmt.Sprintf("c%04d", i))
		if i > 0 {
			bindings = append(bindings, [4]string{fmt.Sprintf("b%04d", i), ids[i-1], ids[i], "#.x"})
		}
	}
	for i := range subscriptions {
		consumers = append(consumers, [2]string{fmt.Sprintf("k%04d", i), ids[channels-1]})
	}
	var s domain.Scenario
	for i := range publishes {
		s.Steps = append(s.Steps, publish(fmt.Sprintf("s%04d", i), ids[0], fmt.Sprintf("%d.x", i)))
	}
	return network(ids, bindings, consumers), s
}
