package domain

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every range of the page (Profile ranges) and every rule of the profile document: both edges, and one beyond.
func TestParseProfileRules(t *testing.T) {
	runChanges(t, validProfile, parsers[2].parse, []change{
		{"", "[]", here},
		{"/version", "1", here},
		{"/name", "", here},
		{"/name", `""`, ""},
		{"/name", `"` + strings.Repeat("ä", 200) + `"`, ""},
		{"/name", `"` + idOf(201) + `"`, here},
		{"/name", `"a\nb"`, here},
		{"/name", `"a\u2028b"`, here},
		{"/name", `"a\tb"`, here},
		{"/name", "null", here},
		{"/scenarioId", "", here},
		{"/scenarioId", `"a b"`, here},
		{"/scenarioId", `""`, here},

		{"/seed", "", here},
		{"/seed", "1", here},
		{"/seed", `"0"`, ""},
		{"/seed", `"18446744073709551615"`, ""},
		{"/seed", `"18446744073709551616"`, here},
		{"/seed", `"000018446744073709551615"`, ""},
		{"/seed", `""`, here},
		{"/seed", `"-1"`, here},
		{"/seed", `"+1"`, here},
		{"/seed", `"1.0"`, here},
		{"/seed", `"0x1"`, here},
		{"/seed", `" 1"`, here},
		{"/seed", `"1_0"`, here},

		{"/resources", "", here},
		{"/serviceTimes", "", here},
		{"/subscriptions", "", here},
		{"/branches", "", here},
		{"/overrides", "", here},
		{"/outages", "", here},
		{"/resources", "[]", ""},
		{"/serviceTimes", "[]", ""},
		{"/subscriptions", "[]", ""},
		{"/branches", "[]", ""},
		{"/overrides", "[]", ""},
		{"/outages", "[]", ""},
		{"/resources", "null", here},
		{"/outages", "{}", here},
		{"/arrivals", "", here},
		{"/arrivals", "[]", here},

		{"/resources/0/elementId", "", here},
		{"/resources/0/elementId", `"a b"`, here},
		{"/resources/0/elementId", `"unknown"`, ""},
		{"/resources/0/elementId", `"db"`, "/resources/1/elementId"},
		{"/resources/0/workers", "1", here},
		{"/resources/0/concurrency", "", here},
		{"/resources/0/concurrency", "1", ""},
		{"/resources/0/concurrency", "10000", ""},
		{"/resources/0/concurrency", "2.0", ""},
		{"/resources/0/concurrency", "2e3", ""},
		{"/resources/0/concurrency", "0", here},
		{"/resources/0/concurrency", "10001", here},
		{"/resources/0/concurrency", "1.5", here},
		{"/resources/0/concurrency", "null", here},
		{"/resources/0/concurrency", `"4"`, here},
		{"/resources/0/queueCapacity", "", ""},
		{"/resources/0/queueCapacity", "null", ""},
		{"/resources/0/queueCapacity", "0", ""},
		{"/resources/0/queueCapacity", "1000000", ""},
		{"/resources/0/queueCapacity", "1000001", here},
		{"/resources/0/queueCapacity", "-1", here},
		{"/resources/0/queueCapacity", "0.5", here},
		{"/resources/0/queueCapacity", `""`, here},

		{"/serviceTimes/0/target", "", here},
		{"/serviceTimes/0/target", `""`, here},
		{"/serviceTimes/0/target", `"mail"`, "/serviceTimes/3/target"},
		{"/serviceTimes/0/time", "", here},
		{"/serviceTimes/0/time", "5", here},
		{"/serviceTimes/0/time/kind", "", here},
		{"/serviceTimes/0/time/kind", `"gamma"`, here},
		{"/serviceTimes/0/time/sigma", "1", here},
		{"/serviceTimes/0/time/ms", "", here},
		{"/serviceTimes/0/time/ms", "0", ""},
		{"/serviceTimes/0/time/ms", "3600000", ""},
		{"/serviceTimes/0/time/ms", "3600000.001", here},
		{"/serviceTimes/0/time/ms", "-1", here},
		{"/serviceTimes/0/time/ms", "null", here},
		{"/serviceTimes/1/time/meanMs", "", here},
		{"/serviceTimes/1/time/meanMs", "0", here},
		{"/serviceTimes/1/time/meanMs", "1e-9", ""},
		{"/serviceTimes/1/time/meanMs", "3600000", ""},
		{"/serviceTimes/1/time/meanMs", "3600001", here},
		{"/serviceTimes/1/time/meanMs", "-1", here},
		{"/serviceTimes/2/time/medianMs", "", here},
		{"/serviceTimes/2/time/medianMs", "0", here},
		{"/serviceTimes/2/time/medianMs", "9", ""},
		{"/serviceTimes/2/time/medianMs", "9.001", "/serviceTimes/2/time/p95Ms"},
		{"/serviceTimes/2/time/medianMs", "-1", here},
		{"/serviceTimes/2/time/p95Ms", "", here},
		{"/serviceTimes/2/time/p95Ms", "4", ""},
		{"/serviceTimes/2/time/p95Ms", "3.999", here},
		{"/serviceTimes/2/time/p95Ms", "3600000", ""},
		{"/serviceTimes/2/time/p95Ms", "3600001", here},
		{"/serviceTimes/3/time/minMs", "", here},
		{"/serviceTimes/3/time/minMs", "0", ""},
		{"/serviceTimes/3/time/minMs", "2", ""},
		{"/serviceTimes/3/time/minMs", "-1", here},
		{"/serviceTimes/3/time/minMs", "2.1", "/serviceTimes/3/time/maxMs"},
		{"/serviceTimes/3/time/maxMs", "", here},
		{"/serviceTimes/3/time/maxMs", "0.5", here},
		{"/serviceTimes/3/time/maxMs", "3600000", ""},
		{"/serviceTimes/3/time/maxMs", "3600001", here},

		{"/subscriptions/0/subscriptionId", "", here},
		{"/subscriptions/0/subscriptionId", `"print"`, "/subscriptions/1/subscriptionId"},
		{"/subscriptions/0/consumers", "", here},
		{"/subscriptions/0/consumers", "1", ""},
		{"/subscriptions/0/consumers", "10000", ""},
		{"/subscriptions/0/consumers", "0", here},
		{"/subscriptions/0/consumers", "10001", here},
		{"/subscriptions/0/queueCapacity", "1000001", here},
		{"/subscriptions/0/queueCapacity", "null", ""},
		{"/subscriptions/0/concurrency", "1", here},

		{"/branches/0/stepId", "", here},
		{"/branches/1", `{"stepId": "s6", "probability": 1}`, "/branches/1/stepId"},
		{"/branches/0/probability", "", here},
		{"/branches/0/probability", "0", ""},
		{"/branches/0/probability", "1", ""},
		{"/branches/0/probability", "1.0000001", here},
		{"/branches/0/probability", "-0.1", here},
		{"/branches/0/probability", "null", here},

		{"/overrides/0/target", "", here},
		{"/overrides/0/target", `"mail"`, "/overrides/1/target"},
		{"/overrides/1/backoffMs", "", "/overrides/1"},
		{"/overrides/0/timeoutMs", "", ""},
		{"/overrides/0/timeoutMs", "0", ""},
		{"/overrides/0/timeoutMs", "3600000", ""},
		{"/overrides/0/timeoutMs", "3600001", here},
		{"/overrides/0/timeoutMs", "-1", here},
		{"/overrides/0/timeoutMs", "null", here},
		{"/overrides/1/timeoutMs", "1", ""},
		{"/overrides/0/maxAttempts", "1", ""},
		{"/overrides/0/maxAttempts", "10", ""},
		{"/overrides/0/maxAttempts", "0", here},
		{"/overrides/0/maxAttempts", "11", here},
		{"/overrides/0/maxAttempts", "null", here},
		{"/overrides/0/maxAttempts", "1.5", here},
		{"/overrides/0/backoffMs", "0", ""},
		{"/overrides/0/backoffMs", "3600000", ""},
		{"/overrides/0/backoffMs", "3600001", here},
		{"/overrides/0/backoffMs", "-1", here},

		{"/outages/0/target", "", here},
		{"/outages/0/target", `"a b"`, here},
		{"/outages/0/label", `"declared"`, here},
		{"/outages/0/fromSeconds", "", here},
		{"/outages/0/fromSeconds", "0", ""},
		{"/outages/0/fromSeconds", "-0.001", here},
		{"/outages/0/fromSeconds", "12.5", "/outages/0/toSeconds"},
		{"/outages/0/toSeconds", "", here},
		{"/outages/0/toSeconds", "10", here},
		{"/outages/0/toSeconds", "10.000000001", ""},
		{"/outages/0/toSeconds", "90000", ""},
		{"/outages/0/toSeconds", "90000.001", here},
		{"/outages/0/toSeconds", "9", here},
	})
}

// Labels: a measured value names its measurement, a declared value none (the page, Profile document).
func TestParseProfileLabels(t *testing.T) {
	for _, at := range []string{"/arrivals", "/resources/1", "/serviceTimes/0", "/subscriptions/0", "/branches/0", "/overrides/0"} {
		bare := string(changed(t, string(changed(t, validProfile, at+"/label", "")), at+"/measurementRef", ""))
		runChanges(t, bare, parsers[2].parse, []change{
			{at + "/label", "", ""},
			{at + "/label", `"declared"`, ""},
			{at + "/label", `"model"`, here},
			{at + "/label", `""`, here},
			{at + "/label", "null", here},
			{at + "/label", `"measured"`, at + "/measurementRef"},
			{at + "/measurementRef", `"m-1"`, here},
			{at + "/measurementRef", `""`, here},
		})
		measured := string(changed(t, bare, at+"/label", `"measured"`))
		runChanges(t, measured, parsers[2].parse, []change{
			{at + "/measurementRef", `"m-1"`, ""},
			{at + "/measurementRef", `"` + idOf(64) + `"`, ""},
			{at + "/measurementRef", `"m 1"`, here},
			{at + "/measurementRef", "null", here},
			{at + "/measurementRef", "1", here},
		})
	}
}

// Arrivals of each kind. The ranges of the duration and of the warm-up are those of whole nanoseconds (E75).
func TestParseProfileArrivals(t *testing.T) {
	const duration, warmUp, rate, to = "/arrivals/durationSeconds", "/arrivals/warmUpSeconds", "/arrivals/ratePerSecond", "/arrivals/toRatePerSecond"
	noWarmUp := string(changed(t, validProfile, warmUp, "0"))
	runChanges(t, noWarmUp, parsers[2].parse, []change{
		{duration, "0.001", ""},
		{duration, "0.0009999995", ""},
		{duration, "86400", ""},
		{duration, "86400.0000000004", ""},
		{duration, "86400.000000001", here},
		{duration, "", here},
		{duration, `"60"`, here},
		{warmUp, "59.999", ""},
		{warmUp, "59.9990000004", ""},
		{warmUp, "59.9990000006", here},
		{warmUp, "60", here},
		{warmUp, "", here},
		{warmUp, "-0.0000000004", ""},
		{warmUp, "-0.000000001", here},
		{warmUp, "null", here},
		{rate, "0", here},
		{rate, "1e-9", ""},
		{rate, "100000", ""},
		{rate, "100000.1", here},
		{rate, "-1", here},
		{rate, "", here},
		{to, "-1", ""},
		{"/arrivals/bursts", `[]`, ""}, // of another kind: ignored (E70), but of its type
		{"/arrivals/bursts", `[{"fromSeconds": 9, "toSeconds": 5, "ratePerSecond": -1}]`, ""},
		{"/arrivals/bursts", "7", here},
		{"/arrivals/bursts", `[{"fromSeconds": 1, "toSeconds": 2, "ratePerSecond": 1, "zz": 1}]`, "/arrivals/bursts/0/zz"},
		{to, `"x"`, here},
		{"/arrivals/kind", "", here},
		{"/arrivals/kind", `"closed"`, here},
		{"/arrivals/kind", `"ramp"`, to},
		{"/arrivals/kind", `"burst"`, "/arrivals/bursts"},
		{"/arrivals/users", "5", here},
	})
	constant := string(changed(t, noWarmUp, "/arrivals/kind", `"constant"`))
	runChanges(t, constant, parsers[2].parse, []change{{rate, "0", here}, {rate, "100000", ""}, {rate, "100001", here}})

	ramp := string(changed(t, noWarmUp, "/arrivals", `{"kind": "ramp", "ratePerSecond": 0, "toRatePerSecond": 5, "durationSeconds": 60, "warmUpSeconds": 0}`))
	runChanges(t, ramp, parsers[2].parse, []change{
		{to, "0", here},
		{to, "0.001", ""},
		{to, "100000", ""},
		{to, "100001", here},
		{to, "-1", here},
		{to, "", here},
		{rate, "5", ""},
		{rate, "100000", ""},
		{rate, "100001", here},
		{rate, "-1", here},
		{"/arrivals/bursts", "[]", ""},
	})
	fall := string(changed(t, ramp, rate, "5"))
	runChanges(t, fall, parsers[2].parse, []change{{to, "0", ""}})
}

// A duration that is too short leaves no room for a measured window either; both ranges are broken.
func TestShortDuration(t *testing.T) {
	p := mustProfile(t)
	p.Arrivals.WarmUpSeconds, p.Arrivals.DurationSeconds = 0, 0.0009999994
	want := []string{"invalid-profile /arrivals/durationSeconds", "invalid-profile /arrivals/warmUpSeconds"}
	if diff := cmp.Diff(want, places(CheckProfile(p))); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
}

// Burst windows: 1 to 20, in time order, without overlap, inside the duration.
func TestParseProfileBursts(t *testing.T) {
	const list = "/arrivals/bursts"
	burst := string(changed(t, validProfile, "/arrivals", `{"kind": "burst", "ratePerSecond": 0, "durationSeconds": 60, "warmUpSeconds": 5, "bursts": [
		{"fromSeconds": 1, "toSeconds": 2, "ratePerSecond": 9}, {"fromSeconds": 2, "toSeconds": 3, "ratePerSecond": 0}]}`))
	window := `{"fromSeconds": %d, "toSeconds": %d.5, "ratePerSecond": 1}`
	runChanges(t, burst, parsers[2].parse, []change{
		{list, "", here},
		{list, "[]", here},
		{list, entries(1, window), ""},
		{list, entries(20, window), ""},
		{list, entries(21, window), here},
		{list + "/0/fromSeconds", "0", ""},
		{list + "/0/fromSeconds", "-0.001", here},
		{list + "/0/fromSeconds", "2", "/arrivals/bursts/0/toSeconds"},
		{list + "/0/fromSeconds", "", here},
		{list + "/0/toSeconds", "", here},
		{list + "/0/label", `"declared"`, here},
		{list + "/0/toSeconds", "1", here},
		{list + "/0/toSeconds", "2.001", list + "/1/fromSeconds"},
		{list + "/1/fromSeconds", "1.999", here},
		{list + "/1/toSeconds", "60", ""},
		{list + "/1/toSeconds", "60.001", here},
		{list + "/0/ratePerSecond", "0", ""},
		{list + "/0/ratePerSecond", "100000", ""},
		{list + "/0/ratePerSecond", "100001", here},
		{list + "/0/ratePerSecond", "", here},
		{"/arrivals/ratePerSecond", "100000", ""},
		{"/arrivals/ratePerSecond", "100001", here},
		{"/arrivals/ratePerSecond", "-1", here},
		{"/arrivals/toRatePerSecond", `"any"`, here},
	})
}

// 200 entries of one list, 50 outages.
func TestParseProfileLists(t *testing.T) {
	lists := []struct{ at, entry string }{
		{"/resources", `{"elementId": "x%d", "concurrency": 1}`},
		{"/serviceTimes", `{"target": "x%d", "time": {"kind": "fixed", "ms": 1}}`},
		{"/subscriptions", `{"subscriptionId": "x%d", "consumers": 1}`},
		{"/branches", `{"stepId": "x%d", "probability": 1}`},
		{"/overrides", `{"target": "x%d", "maxAttempts": 1}`},
	}
	for _, l := range lists {
		runChanges(t, validProfile, parsers[2].parse, []change{{l.at, entries(200, l.entry), ""}, {l.at, entries(201, l.entry), here}})
	}
	outage := `{"target": "x", "fromSeconds": 1, "toSeconds": 2}`
	runChanges(t, validProfile, parsers[2].parse, []change{{"/outages", entries(50, outage), ""}, {"/outages", entries(51, outage), here}})
}

// Members of a time that another distribution uses are ignored (E70), but are numbers.
func TestParseProfileTimeMembers(t *testing.T) {
	runChanges(t, validProfile, parsers[2].parse, []change{
		{"/serviceTimes/0/time/medianMs", "-5", ""}, {"/serviceTimes/1/time/ms", `"x"`, here}, {"/serviceTimes/2/time/maxMs", "null", here},
	})
	p, err := ParseProfile(changed(t, validProfile, "/serviceTimes/0/time/medianMs", "5"))
	if err != nil || p.ServiceTimes[0].Time != (Time{Kind: TimeFixed, Ms: 5}) {
		t.Errorf("got %+v, %v", p.ServiceTimes, err)
	}
}

// A profile that was made by a program is checked as one that was read.
func TestCheckProfileNotANumber(t *testing.T) {
	p := mustProfile(t)
	p.Arrivals.RatePerSecond, p.Arrivals.DurationSeconds = math.NaN(), math.Inf(1)
	p.Outages[0].ToSeconds = math.NaN()
	want := []string{"invalid-profile /arrivals/durationSeconds", "invalid-profile /arrivals/ratePerSecond", "invalid-profile /outages/0/toSeconds"}
	if diff := cmp.Diff(want, places(CheckProfile(p))); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
}

func TestParseProfileValues(t *testing.T) {
	measured := Origin{Label: LabelMeasured, MeasurementRef: "m-1"}
	want := Profile{
		Name: "Peak", ScenarioID: "buying", Seed: "1",
		Arrivals: Arrivals{Kind: ArrivalsPoisson, RatePerSecond: 40, DurationSeconds: 60, WarmUpSeconds: 5, Origin: measured},
		Resources: []Resource{
			{ElementID: "web", Concurrency: 4, QueueCapacity: new(100), Origin: Origin{Label: LabelDeclared}},
			{ElementID: "db", Concurrency: 2},
			{ElementID: "bank", Concurrency: 1},
		},
		ServiceTimes: []ServiceTime{
			{Target: "buy", Time: Time{Kind: TimeFixed, Ms: 5}},
			{Target: "pay", Time: Time{Kind: TimeExponential, MeanMs: 20}},
			{Target: "db", Time: Time{Kind: TimeLognormal, MedianMs: 4, P95Ms: 9}, Origin: measured},
			{Target: "mail", Time: Time{Kind: TimeUniform, MinMs: 1, MaxMs: 2}},
		},
		Subscriptions: []SubscriptionInput{{SubscriptionID: "mail", Consumers: 2, QueueCapacity: new(0)}, {SubscriptionID: "print", Consumers: 1}},
		Branches:      []BranchInput{{StepID: "s6", Probability: 0.25}},
		Overrides: []Override{
			{Target: "buy", TimeoutMs: new(1000.0), MaxAttempts: new(2), BackoffMs: new(10.0)},
			{Target: "mail", BackoffMs: new(0.0)},
		},
		Outages: []Outage{{Target: "bank", FromSeconds: 10, ToSeconds: 12.5}, {Target: "bank", FromSeconds: 12, ToSeconds: 13}},
	}
	if diff := cmp.Diff(want, mustProfile(t)); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func mustProfile(t *testing.T) Profile {
	t.Helper()
	p, err := ParseProfile([]byte(validProfile))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
