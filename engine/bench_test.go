package engine

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// mm1 is a queue with one worker: poisson arrivals, exponential service of meanMs.
func mm1(rate, seconds, meanMs, timeoutMs float64) Input {
	return Input{
		Model: domain.Model{
			Elements:   []domain.Element{{ID: "svc", Name: "svc", Kind: domain.KindService}},
			Operations: []domain.Operation{{ID: "op", ElementID: "svc", Name: "op", TimeoutMs: timeoutMs, Retry: domain.Retry{MaxAttempts: 1}}},
		},
		Scenario: &domain.Scenario{Name: "s", Steps: []domain.Step{{ID: "call", Kind: domain.StepCall, OperationID: "op"}}},
		Profile: domain.Profile{
			Name: "p", ScenarioID: "s", Seed: "1",
			Arrivals:     domain.Arrivals{Kind: domain.ArrivalsPoisson, RatePerSecond: rate, DurationSeconds: seconds},
			Resources:    []domain.Resource{{ElementID: "svc", Concurrency: 1}},
			ServiceTimes: []domain.ServiceTime{{Target: "op", Time: domain.Time{Kind: domain.TimeExponential, MeanMs: meanMs}}},
		},
		Limits: manyEvents(),
	}
}

// manyEvents lets a benchmark run longer than a run may.
func manyEvents() Limits {
	l := DefaultLimits
	l.Duration, l.Arrivals, l.Events = 1_000_000, 100_000_000, 100_000_000
	return l
}

// nested is a flow of three nested calls, a write, and a publish to two subscriptions: ten events and the arrival.
func nested(rate, seconds float64) Input {
	call := func(id string, steps ...domain.Step) domain.Step {
		return domain.Step{ID: id, Kind: domain.StepCall, OperationID: id, Steps: steps}
	}
	in := mm1(rate, seconds, 1, 0)
	in.Model = domain.Model{
		Elements: []domain.Element{
			{ID: "e1", Kind: domain.KindService},
			{ID: "e2", Kind: domain.KindService},
			{ID: "e3", Kind: domain.KindService},
			{ID: "store", Kind: domain.KindStore},
		},
		Channels: []domain.Channel{{ID: "topic", Kind: domain.KindTopic}},
		Subscriptions: []domain.Subscription{
			{ID: "sub1", ChannelID: "topic", ElementID: "e1", Retry: domain.Retry{MaxAttempts: 1}},
			{ID: "sub2", ChannelID: "topic", ElementID: "e2", Retry: domain.Retry{MaxAttempts: 1}},
		},
	}
	in.Scenario.Steps = []domain.Step{
		call("a", call("b", call("c", domain.Step{ID: "w", Kind: domain.StepWrite, ElementID: "store"}))),
		{ID: "publish", Kind: domain.StepPublish, ChannelID: "topic"},
	}
	in.Profile.Resources, in.Profile.ServiceTimes = nil, nil
	time := func(target string) {
		in.Profile.ServiceTimes = append(in.Profile.ServiceTimes,
			domain.ServiceTime{Target: target, Time: domain.Time{Kind: domain.TimeExponential, MeanMs: 1}})
	}
	for i, id := range []string{"a", "b", "c"} {
		element := in.Model.Elements[i].ID
		in.Model.Operations = append(in.Model.Operations, domain.Operation{
			ID: id, ElementID: element, TimeoutMs: 1000, Retry: domain.Retry{MaxAttempts: 3, BackoffMs: 10},
		})
		in.Profile.Resources = append(in.Profile.Resources, domain.Resource{ElementID: element, Concurrency: 20})
		time(id)
	}
	in.Profile.Resources = append(in.Profile.Resources, domain.Resource{ElementID: "store", Concurrency: 10})
	time("store")
	for _, id := range []string{"sub1", "sub2"} {
		in.Profile.Subscriptions = append(in.Profile.Subscriptions, domain.SubscriptionInput{SubscriptionID: id, Consumers: 10})
		time(id)
	}
	return in
}

// BenchmarkRun reports CPU time per event; its sizes are those of issue 2's table.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name string
		in   Input
	}{
		{"mm1", mm1(40, 12_500, 20, 0)},
		{"mm1Timeout", mm1(40, 12_500, 20, 1000)},
		{"mm1Pending250k", mm1(25_000, 25, 0.032, 9_900)},
		{"nested", nested(1000, 454)},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.in) })
	}
}

func benchmark(b *testing.B, in Input) {
	b.ReportAllocs()
	var events int64
	before := cpuTime()
	for b.Loop() {
		r, err := Run(context.Background(), in)
		if err != nil {
			b.Fatal(err)
		}
		events += r.Events
	}
	b.ReportMetric(float64(cpuTime()-before)/float64(events), "cpu-ns/event")
	b.ReportMetric(float64(events)/float64(b.N), "events")
}

// cpuTime is that of this process: on a shared machine wall time says nothing.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
