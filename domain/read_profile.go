package domain

// ParseProfile reads a profile document strictly and checks its ranges (CheckProfile). The error is an
// *InvalidError with every issue and its JSON Pointer.
func ParseProfile(data []byte) (Profile, error) {
	return parse(data, profileDocument, readProfile, CheckProfile)
}

func readProfile(v value) Profile {
	o := v.object("name", "scenarioId", "seed", "arrivals", "resources", "serviceTimes", "subscriptions", "branches", "overrides", "outages")
	return Profile{
		Name: o.text("name"), ScenarioID: o.text("scenarioId"), Seed: o.text("seed"), Arrivals: member(o, "arrivals", readArrivals),
		Resources:     list(o, "resources", MaxProfileList, readResource),
		ServiceTimes:  list(o, "serviceTimes", MaxProfileList, readServiceTime),
		Subscriptions: list(o, "subscriptions", MaxProfileList, readSubscriptionInput),
		Branches:      list(o, "branches", MaxProfileList, readBranchInput),
		Overrides:     list(o, "overrides", MaxProfileList, readOverride),
		Outages:       list(o, "outages", MaxOutages, readOutage),
	}
}

// readArrivals reads the members of the kind. Those of another kind are ignored (E70), but are what they are anywhere else: a
// document fits its schema whatever its kind is.
func readArrivals(v value) Arrivals {
	o := v.object("kind", "ratePerSecond", "toRatePerSecond", "bursts", "durationSeconds", "warmUpSeconds", "label", "measurementRef")
	a := Arrivals{
		Kind: o.text("kind"), RatePerSecond: o.number("ratePerSecond"),
		DurationSeconds: o.number("durationSeconds"), WarmUpSeconds: o.number("warmUpSeconds"), Origin: readOrigin(o),
	}
	if a.Kind == ArrivalsRamp {
		a.ToRatePerSecond = o.number("toRatePerSecond")
	} else {
		o.optionalNumber("toRatePerSecond")
	}
	if a.Kind == ArrivalsBurst {
		a.Bursts = list(o, "bursts", MaxBursts, readBurst)
	} else {
		optionalList(o, "bursts", unlimited, readBurst)
	}
	return a
}

func readBurst(v value) Burst {
	o := v.object("fromSeconds", "toSeconds", "ratePerSecond")
	return Burst{FromSeconds: o.number("fromSeconds"), ToSeconds: o.number("toSeconds"), RatePerSecond: o.number("ratePerSecond")}
}

func readOrigin(o object) Origin {
	return Origin{Label: o.optionalWord("label"), MeasurementRef: o.optionalWord("measurementRef")}
}

func readResource(v value) Resource {
	o := v.object("elementId", "concurrency", "queueCapacity", "label", "measurementRef")
	return Resource{
		ElementID: o.text("elementId"), Concurrency: o.whole("concurrency"),
		QueueCapacity: o.capacity(), Origin: readOrigin(o),
	}
}

func readServiceTime(v value) ServiceTime {
	o := v.object("target", "time", "label", "measurementRef")
	return ServiceTime{Target: o.text("target"), Time: member(o, "time", readTime), Origin: readOrigin(o)}
}

// readTime reads the members of the kind. Those of another kind are ignored (E70), but are numbers as anywhere else.
func readTime(v value) Time {
	o := v.object("kind", "ms", "meanMs", "medianMs", "p95Ms", "minMs", "maxMs")
	t := Time{Kind: o.text("kind")}
	of := func(kind, name string) float64 {
		if t.Kind == kind {
			return o.number(name)
		}
		o.optionalNumber(name)
		return 0
	}
	t.Ms, t.MeanMs = of(TimeFixed, "ms"), of(TimeExponential, "meanMs")
	t.MedianMs, t.P95Ms = of(TimeLognormal, "medianMs"), of(TimeLognormal, "p95Ms")
	t.MinMs, t.MaxMs = of(TimeUniform, "minMs"), of(TimeUniform, "maxMs")
	return t
}

func readSubscriptionInput(v value) SubscriptionInput {
	o := v.object("subscriptionId", "consumers", "queueCapacity", "label", "measurementRef")
	return SubscriptionInput{
		SubscriptionID: o.text("subscriptionId"), Consumers: o.whole("consumers"),
		QueueCapacity: o.capacity(), Origin: readOrigin(o),
	}
}

func readBranchInput(v value) BranchInput {
	o := v.object("stepId", "probability", "label", "measurementRef")
	return BranchInput{StepID: o.text("stepId"), Probability: o.number("probability"), Origin: readOrigin(o)}
}

func readOverride(v value) Override {
	o := v.object("target", "timeoutMs", "maxAttempts", "backoffMs", "label", "measurementRef")
	return Override{
		Target: o.text("target"), TimeoutMs: o.optionalNumber("timeoutMs"), MaxAttempts: o.optionalWhole("maxAttempts"),
		BackoffMs: o.optionalNumber("backoffMs"), Origin: readOrigin(o),
	}
}

func readOutage(v value) Outage {
	o := v.object("target", "fromSeconds", "toSeconds")
	return Outage{Target: o.text("target"), FromSeconds: o.number("fromSeconds"), ToSeconds: o.number("toSeconds")}
}
