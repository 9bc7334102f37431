package domain_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/proofload/proofload/domain"
)

// shop has one of everything: pay of element desk, store till, topic sold with subscription ship to truck.
func shop() domain.Model {
	return domain.Model{
		Elements: []domain.Element{
			{ID: "desk", Name: "Desk", Kind: domain.KindService},
			{ID: "till", Name: "Till", Kind: domain.KindStore},
			{ID: "truck", Name: "Truck", Kind: domain.KindExternal},
		},
		Operations: []domain.Operation{
			{ID: "pay", ElementID: "desk", Name: "Pay", TimeoutMs: 500, Retry: domain.Retry{MaxAttempts: 3, BackoffMs: 20}},
			{ID: "load", ElementID: "truck", Name: "Load", Retry: domain.Retry{MaxAttempts: 1}},
		},
		Channels: []domain.Channel{
			{ID: "sold", Name: "Sold", Kind: domain.KindTopic},
			{ID: "parcels", Name: "Parcels", Kind: domain.KindQueue},
			{ID: "lost", Name: "Lost", Kind: domain.KindQueue},
			{ID: "quiet", Name: "Quiet", Kind: domain.KindQueue},
		},
		Bindings: []domain.Binding{{ID: "wrap", FromChannelID: "sold", ToChannelID: "parcels", RoutingKey: "*.eu"}},
		Subscriptions: []domain.Subscription{
			{
				ID: "ship", ChannelID: "parcels", ElementID: "truck", Name: "Ship", DeadLetterChannelID: "lost",
				Retry: domain.Retry{MaxAttempts: 2, BackoffMs: 7},
			},
			{ID: "count", ChannelID: "sold", ElementID: "desk", Name: "Count", Retry: domain.Retry{MaxAttempts: 1}},
			{ID: "idle", ChannelID: "quiet", ElementID: "desk", Name: "Idle", Retry: domain.Retry{MaxAttempts: 1}},
		},
	}
}

func call(id, operation string, inside ...domain.Step) domain.Step {
	return domain.Step{ID: id, Kind: domain.StepCall, OperationID: operation, Steps: inside}
}

func write(id, store string) domain.Step {
	return domain.Step{ID: id, Kind: domain.StepWrite, ElementID: store}
}

func publish(id, channel, key string) domain.Step {
	return domain.Step{ID: id, Kind: domain.StepPublish, ChannelID: channel, RoutingKey: key}
}

func handler(subscription string, steps ...domain.Step) domain.Handler {
	return domain.Handler{SubscriptionID: subscription, Steps: steps}
}

// nest puts a call at the given depth by wrapping it in steps of one kind.
func nest(depth int, wrap func(id string, inner []domain.Step) domain.Step) []domain.Step {
	steps := []domain.Step{call(fmt.Sprintf("depth-%d", depth), "pay")}
	for d := depth - 1; d > 0; d-- {
		steps = []domain.Step{wrap(fmt.Sprintf("depth-%d", d), steps)}
	}
	return steps
}

var wraps = map[string]func(id string, inner []domain.Step) domain.Step{
	"call": func(id string, inner []domain.Step) domain.Step { return call(id, "pay", inner...) },
	"onError": func(id string, inner []domain.Step) domain.Step {
		return domain.Step{ID: id, Kind: domain.StepCall, OperationID: "pay", OnError: inner}
	},
	"parallel": func(id string, inner []domain.Step) domain.Step {
		return domain.Step{ID: id, Kind: domain.StepParallel, Branches: [][]domain.Step{{}, inner}}
	},
	"then": func(id string, inner []domain.Step) domain.Step {
		return domain.Step{ID: id, Kind: domain.StepBranch, Then: inner}
	},
	"else": func(id string, inner []domain.Step) domain.Step {
		return domain.Step{ID: id, Kind: domain.StepBranch, Else: inner}
	},
}

func TestTraceRefuses(t *testing.T) {
	for _, c := range []struct {
		name     string
		scenario domain.Scenario
		want     []string // targets
	}{
		{"nothing", domain.Scenario{}, nil},
		{"unknown operation", domain.Scenario{Steps: []domain.Step{call("s", "desk")}}, []string{"s"}},
		{"write to a service", domain.Scenario{Steps: []domain.Step{write("s", "desk")}}, []string{"s"}},
		{"unknown store", domain.Scenario{Steps: []domain.Step{write("s", "nothing")}}, []string{"s"}},
		{"unknown channel", domain.Scenario{Steps: []domain.Step{publish("s", "ship", "")}}, []string{"s"}},
		{
			"inside an unknown operation, in order of target",
			domain.Scenario{Steps: []domain.Step{call("z", "nothing", write("b", "desk"), call("a", "pay"))}},
			[]string{"b", "z"},
		},
		{
			"in a handler that nothing reaches",
			domain.Scenario{Handlers: []domain.Handler{handler("idle", call("s", "nothing"))}},
			[]string{"s"},
		},
		{
			"in a handler of nothing",
			domain.Scenario{Handlers: []domain.Handler{handler("nobody", write("s", "nothing"))}},
			[]string{"nobody", "s"},
		},
		{
			"two handlers, both checked",
			domain.Scenario{Handlers: []domain.Handler{handler("ship"), handler("ship", write("s", "nothing"))}},
			[]string{"s", "ship"},
		},
		{
			"a step id of the flow in a handler, once",
			domain.Scenario{
				Steps:    []domain.Step{call("s", "pay", call("t", "pay"))},
				Handlers: []domain.Handler{handler("ship", call("s", "load"), call("s", "nothing"))},
			},
			[]string{"s"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, targets(t, shop(), c.scenario)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// targets are those of the issues of a trace; all have the code of an invalid scenario and a message.
func targets(t *testing.T, m domain.Model, s domain.Scenario) []string {
	t.Helper()
	var found []string
	for _, issue := range domain.TraceScenario(m, s).Issues {
		if issue.Code != domain.CodeInvalidScenario || issue.Message == "" {
			t.Errorf("issue %+v", issue)
		}
		found = append(found, issue.Target)
	}
	return found
}

func TestTraceRefusesDeepNesting(t *testing.T) {
	for name, wrap := range wraps {
		deepest := nest(domain.MaxNesting, wrap)
		tooDeep := nest(domain.MaxNesting+2, wrap)
		want := []string{"depth-33", "depth-34"}
		if got := targets(t, shop(), domain.Scenario{Steps: deepest}); got != nil {
			t.Errorf("%s: depth 32 is refused: %v", name, got)
		}
		if got := targets(t, shop(), domain.Scenario{Steps: tooDeep}); !slices.Equal(got, want) {
			t.Errorf("%s: depth 34 in the flow: %v", name, got)
		}
		inHandler := domain.Scenario{Handlers: []domain.Handler{handler("ship", tooDeep...)}}
		if got := targets(t, shop(), inHandler); !slices.Equal(got, want) {
			t.Errorf("%s: depth 34 in a handler: %v", name, got)
		}
	}
}

// The steps of the flow and of all handlers count together, nested ones too.
func TestTraceRefusesManySteps(t *testing.T) {
	calls := func(prefix string, n int) []domain.Step {
		var steps []domain.Step
		for i := range n {
			steps = append(steps, call(fmt.Sprint(prefix, i), "pay"))
		}
		return steps
	}
	s := domain.Scenario{
		Steps:    []domain.Step{call("outer", "pay", calls("f", 999)...)},
		Handlers: []domain.Handler{handler("ship", calls("h", 600)...), handler("idle", calls("i", 400)...)},
	}
	if got := targets(t, shop(), s); got != nil {
		t.Errorf("2000 steps are refused: %v", got)
	}
	s.Steps = append(s.Steps, write("one-more", "till"))
	if got := targets(t, shop(), s); !slices.Equal(got, []string{""}) {
		t.Errorf("2001 steps: %v", got)
	}
}

func TestTraceRefusesMessageCycles(t *testing.T) {
	// in -> k-in; a <-> b by handlers; bound -> (x.#) -> in; far is dead-lettered to in.
	m := network(
		[]string{"in", "a", "b", "bound", "far"},
		[][4]string{{"b1", "bound", "in", "x.#"}},
		[][2]string{{"k-in", "in"}, {"k-a", "a"}, {"k-b", "b"}, {"k-far", "far"}},
	)
	m.Subscriptions[3].DeadLetterChannelID = "far"
	for _, c := range []struct {
		name     string
		handlers []domain.Handler
		want     []string
	}{
		{"twice to one channel", []domain.Handler{handler("k-in", publish("1", "a", ""), publish("2", "a", ""))}, nil},
		{"to itself", []domain.Handler{handler("k-in", publish("1", "in", ""))}, []string{"k-in"}},
		{"to itself, nested", []domain.Handler{handler("k-in", wraps["else"]("1", []domain.Step{publish("2", "in", "")}))}, []string{"k-in"}},
		{"through a binding", []domain.Handler{handler("k-in", publish("1", "bound", "x.y"))}, []string{"k-in"}},
		{"a key that the binding does not match", []domain.Handler{handler("k-in", publish("1", "bound", "y"))}, nil},
		{"through another handler", []domain.Handler{handler("k-b", publish("1", "a", "")), handler("k-a", publish("2", "b", ""))}, []string{"k-a", "k-b"}},
		{
			"a way into a cycle is none",
			[]domain.Handler{handler("k-in", publish("1", "a", "")), handler("k-a", publish("2", "a", ""), publish("3", "b", ""))},
			[]string{"k-a"},
		},
		{"two ways to one place", []domain.Handler{handler("k-in", publish("1", "a", ""), publish("2", "b", "")), handler("k-a", publish("3", "b", ""))}, nil},
		{"a dead letter is not delivered", []domain.Handler{handler("k-far")}, nil},
		{
			"in a second handler",
			[]domain.Handler{handler("k-in", publish("1", "b", "")), handler("k-in", publish("2", "a", "")), handler("k-a", publish("3", "in", ""))},
			[]string{"k-a", "k-in"},
		},
		{"of nothing", []domain.Handler{handler("nobody", publish("1", "in", "")), handler("k-in")}, []string{"nobody"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, targets(t, m, domain.Scenario{Handlers: c.handlers})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The subscriptions named are those that the closure of "publishes something that reaches" leads back to.
func TestMessageCyclesAsTheClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomNetwork().Draw(t, "model")
		var s domain.Scenario
		reaches := map[[2]string]bool{}
		for _, k := range m.Subscriptions {
			h := domain.Handler{SubscriptionID: k.ID}
			for i := range rapid.IntRange(0, 2).Draw(t, "steps") {
				step := publish(fmt.Sprint(k.ID, i), rapid.SampledFrom(channelIDs(m)).Draw(t, "to"), "a")
				h.Steps = append(h.Steps, step)
				channels, _ := naiveWalk(m, step.ChannelID, "a", nil)
				for _, other := range m.Subscriptions {
					if slices.Contains(channels, other.ChannelID) {
						reaches[[2]string{k.ID, other.ID}] = true
					}
				}
			}
			s.Handlers = append(s.Handlers, h)
		}
		for _, via := range m.Subscriptions {
			for _, from := range m.Subscriptions {
				for _, to := range m.Subscriptions {
					if reaches[[2]string{from.ID, via.ID}] && reaches[[2]string{via.ID, to.ID}] {
						reaches[[2]string{from.ID, to.ID}] = true
					}
				}
			}
		}
		var want, got []string
		for _, k := range m.Subscriptions { // ascending ids
			if reaches[[2]string{k.ID, k.ID}] {
				want = append(want, k.ID)
			}
		}
		for _, issue := range domain.TraceScenario(m, s).Issues {
			got = append(got, issue.Target)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
