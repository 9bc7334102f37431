package engine

import (
	"maps"
	"slices"

	"github.com/proofload/proofload/domain"
)

// newTwin builds a run from a valid input: every map is filled from the documents.
func newTwin(in Input, uses domain.Flow) *twin {
	in.Model = twinSortModel(in.Model)
	arrivals := newArrivals(in.Profile.Arrivals, in.Profile.Seed)
	t := &twin{
		in: in, uses: uses,
		warmUp:   secondsToNs(in.Profile.Arrivals.WarmUpSeconds),
		duration: secondsToNs(in.Profile.Arrivals.DurationSeconds),
		arrivals: arrivals.next,
		steps:    twinSteps(in.Scenario.Steps), handlers: map[string]twinSequence{},
		operations: map[string]*twinOperation{}, stores: map[string]func() int64{},
		resources: map[string]*twinResource{}, elements: map[string]*twinElement{},
		consumers: map[string]*twinSubscription{}, channels: map[string]*twinChannel{},
		branches: map[string]func() bool{}, outages: map[string][]twinWindow{}, routes: map[[2]string][]string{},
	}
	t.drainLimit = t.duration + in.Limits.DrainSeconds*1_000_000_000
	t.series = newTwinSeries(t.duration, in.Limits.SeriesPoints)
	t.flow.latency = t.summary("flow")
	t.addElements()
	t.addOperations()
	t.addSubscriptions()
	t.addBranchesAndOutages()
	return t
}

// summary makes an empty summary with its generator (E10, E25).
func (t *twin) summary(name string) *twinSummary {
	generator := newRNG(t.in.Profile.Seed, purposeReservoir, name)
	return &twinSummary{keep: t.in.Limits.KeptSamples, uniform: generator.uniform}
}

// time is the service time of a target.
func (t *twin) time(target string) func() int64 {
	for _, s := range t.in.Profile.ServiceTimes {
		if s.Target == target {
			times := newSampler(s.Time, t.in.Profile.Seed, target)
			return times.draw
		}
	}
	return nil
}

func (t *twin) addElements() {
	for _, resource := range t.in.Profile.Resources {
		id := resource.ElementID
		if !slices.Contains(t.uses.Elements, id) {
			continue
		}
		t.elements[id] = &twinElement{latency: t.summary("element:" + id)}
		t.resources[id] = &twinResource{
			t: t, workers: int64(resource.Concurrency), capacity: resource.QueueCapacity,
			wait: t.summary("element:" + id + ":wait"),
		}
	}
	for _, id := range t.uses.Stores {
		t.stores[id] = t.time(id)
	}
}

func (t *twin) addOperations() {
	for _, op := range t.in.Model.Operations {
		if !slices.Contains(t.uses.Operations, op.ID) {
			continue
		}
		added := &twinOperation{
			id: op.ID, elementID: op.ElementID, timeout: msToNs(op.TimeoutMs), time: t.time(op.ID),
			latency: t.summary("operation:" + op.ID),
		}
		added.maxAttempts, added.backoff = t.retry(op.ID, op.Retry)
		for _, override := range t.in.Profile.Overrides {
			if override.Target == op.ID && override.TimeoutMs != nil {
				added.timeout = msToNs(*override.TimeoutMs)
			}
		}
		t.operations[op.ID] = added
	}
}

// retry is the policy in force: of the model, or of the override where it states a field.
func (t *twin) retry(target string, policy domain.Retry) (maxAttempts int, backoff int64) {
	for _, override := range t.in.Profile.Overrides {
		if override.Target != target {
			continue
		}
		if override.MaxAttempts != nil {
			policy.MaxAttempts = *override.MaxAttempts
		}
		if override.BackoffMs != nil {
			policy.BackoffMs = *override.BackoffMs
		}
	}
	return policy.MaxAttempts, msToNs(policy.BackoffMs)
}

func (t *twin) addSubscriptions() {
	for _, sub := range t.in.Model.Subscriptions {
		if !slices.Contains(t.uses.Subscriptions, sub.ID) {
			continue
		}
		added := &twinSubscription{
			t: t, id: sub.ID, elementID: sub.ElementID, deadTo: sub.DeadLetterChannelID, time: t.time(sub.ID),
			latency: t.summary("subscription:" + sub.ID),
		}
		added.maxAttempts, added.backoff = t.retry(sub.ID, sub.Retry)
		t.consumers[sub.ID] = added
		t.handlers[sub.ID] = twinSteps(t.uses.Handlers[sub.ID])
	}
	for _, input := range t.in.Profile.Subscriptions {
		id := input.SubscriptionID
		if t.consumers[id] != nil {
			t.resources[id] = &twinResource{
				t: t, workers: int64(input.Consumers), capacity: input.QueueCapacity,
				wait: t.summary("subscription:" + id + ":wait"),
			}
		}
	}
	for _, id := range t.uses.Channels {
		t.channels[id] = &twinChannel{}
	}
}

func (t *twin) addBranchesAndOutages() {
	for _, branch := range t.in.Profile.Branches {
		choice := newChooser(branch.Probability, t.in.Profile.Seed, branch.StepID)
		t.branches[branch.StepID] = choice.then
	}
	for _, outage := range t.in.Profile.Outages {
		window := twinWindow{secondsToNs(outage.FromSeconds), secondsToNs(outage.ToSeconds)}
		t.outages[outage.Target] = append(t.outages[outage.Target], window)
	}
}

func (t *twin) resourceIDs() []string { return slices.Sorted(maps.Keys(t.resources)) }
