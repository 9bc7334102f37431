package http

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// rangeTest is a change of a profile that is within a range of the page, or beyond it: then it names the field of the 400.
type rangeTest struct {
	row   string
	path  string // of the member in the profile
	value string // JSON
	field string // "": it is saved
}

// wholeProfile has an entry in every list. Ranges are checked against no model.
const wholeProfile = `{"name":"Ranges","scenarioId":"{s}","seed":"1",
	"arrivals":{"kind":"constant","ratePerSecond":10,"durationSeconds":60,"warmUpSeconds":5},
	"resources":[{"elementId":"shop","concurrency":2,"queueCapacity":9}],
	"serviceTimes":[{"target":"buy","time":{"kind":"fixed","ms":20}}],
	"subscriptions":[{"subscriptionId":"mail","consumers":2,"queueCapacity":9}],
	"branches":[{"stepId":"s9","probability":0.5}],
	"overrides":[{"target":"buy","timeoutMs":1,"maxAttempts":2,"backoffMs":1}],
	"outages":[{"target":"shop","fromSeconds":1,"toSeconds":2}]}`

func arrivals(kind, rate, more string, duration, warmUp float64) string {
	return `{"kind":"` + kind + `","ratePerSecond":` + rate + more + `,"durationSeconds":` + number(duration) + `,"warmUpSeconds":` + number(warmUp) + `}`
}

// edges are the values of a member at both ends of its range, and one beyond each.
func edges(row, path string, least, most, beyond float64) []rangeTest {
	return []rangeTest{
		{row, path, number(least), ""},
		{row, path, number(most), ""},
		{row, path, number(least - beyond), path},
		{row, path, number(most + beyond), path},
	}
}

func rangeTests() []rangeTest {
	const window = "Measured window, from the end of the warm-up to the end of the duration"
	const at, rate, to = "/arrivals", "/arrivals/ratePerSecond", "/arrivals/toRatePerSecond"
	tests := []rangeTest{
		{"Duration", at, arrivals("constant", "1", "", 0.001, 0), ""},
		{"Duration", at, arrivals("constant", "1", "", 0.00099, 0), "/arrivals/durationSeconds"},
		{"Duration", at, arrivals("constant", "1", "", 86400, 0), ""},
		{"Duration", at, arrivals("constant", "1", "", 86400.001, 0), "/arrivals/durationSeconds"},
		{window, at, arrivals("constant", "1", "", 10, 9.999), ""},
		{window, at, arrivals("constant", "1", "", 10, 9.9991), "/arrivals/warmUpSeconds"},
		{"Warm-up", "/arrivals/warmUpSeconds", "0", ""},
		{"Warm-up", "/arrivals/warmUpSeconds", "-0.001", "/arrivals/warmUpSeconds"},
		{"Warm-up", "/arrivals/warmUpSeconds", "59.999", ""},
		{"Warm-up", "/arrivals/warmUpSeconds", "60", "/arrivals/warmUpSeconds"},
		{"Rate", at, arrivals("ramp", "0", `,"toRatePerSecond":1`, 60, 0), ""},
		{"Rate", at, arrivals("ramp", "0", `,"toRatePerSecond":0`, 60, 0), to},
		{"Rate", at, arrivals("ramp", "1", `,"toRatePerSecond":0`, 60, 0), ""},
		{"Rate", at, arrivals("ramp", "1", `,"toRatePerSecond":100000`, 60, 0), ""},
		{"Rate", at, arrivals("ramp", "1", `,"toRatePerSecond":100000.1`, 60, 0), to},
		{"Rate", at, arrivals("ramp", "1", `,"toRatePerSecond":-0.1`, 60, 0), to},
		{"Rate", at, arrivals("ramp", "100000", `,"toRatePerSecond":1`, 60, 0), ""},
		{"Rate", at, arrivals("ramp", "100000.1", `,"toRatePerSecond":1`, 60, 0), rate},
		{"Rate", at, arrivals("ramp", "-0.1", `,"toRatePerSecond":1`, 60, 0), rate},
		{"Rate", at, arrivals("burst", "0", bursts(1), 60, 0), ""},
		{"Rate", at, arrivals("burst", "-0.1", bursts(1), 60, 0), rate},
		{"Rate", at, arrivals("burst", "100000", bursts(1), 60, 0), ""},
		{"Rate", at, arrivals("burst", "100000.1", bursts(1), 60, 0), rate},
		{"Rate", at, arrivals("burst", "1", burstAt("0"), 60, 0), ""},
		{"Rate", at, arrivals("burst", "1", burstAt("-0.1"), 60, 0), "/arrivals/bursts/0/ratePerSecond"},
		{"Rate", at, arrivals("burst", "1", burstAt("100000"), 60, 0), ""},
		{"Rate", at, arrivals("burst", "1", burstAt("100000.1"), 60, 0), "/arrivals/bursts/0/ratePerSecond"},
		{"Burst windows", at, arrivals("burst", "1", bursts(0), 60, 0), "/arrivals/bursts"},
		{"Burst windows", at, arrivals("burst", "1", bursts(1), 60, 0), ""},
		{"Burst windows", at, arrivals("burst", "1", bursts(20), 60, 0), ""},
		{"Burst windows", at, arrivals("burst", "1", bursts(21), 60, 0), "/arrivals/bursts"},
		{"Queue capacity", "/resources/0/queueCapacity", "null", ""},
		{"Queue capacity", "/subscriptions/0/queueCapacity", "null", ""},
		{"Outage window", "/outages/0/fromSeconds", "0", ""},
		{"Outage window", "/outages/0/fromSeconds", "-0.001", "/outages/0/fromSeconds"},
		{"Outage window", "/outages/0/toSeconds", "1.001", ""},
		{"Outage window", "/outages/0/toSeconds", "1", "/outages/0/toSeconds"},
		{"Outage window", "/outages/0/toSeconds", "90000", ""},
		{"Outage window", "/outages/0/toSeconds", "90000.001", "/outages/0/toSeconds"},
		{"Outages", "/outages", entries(50, `{"target":"x%d","fromSeconds":0,"toSeconds":1}`), ""},
		{"Outages", "/outages", entries(51, `{"target":"x%d","fromSeconds":0,"toSeconds":1}`), "/outages"},
	}
	for _, kind := range []string{"constant", "poisson"} {
		tests = append(
			tests,
			rangeTest{"Rate", at, arrivals(kind, "100000", "", 60, 0), ""}, rangeTest{"Rate", at, arrivals(kind, "100000.1", "", 60, 0), rate},
			rangeTest{"Rate", at, arrivals(kind, "0.000001", "", 60, 0), ""}, rangeTest{"Rate", at, arrivals(kind, "0", "", 60, 0), rate},
		)
	}
	return append(append(tests, listTests()...), valueTests()...)
}

// valueTests are the ranges of the members of entries.
func valueTests() []rangeTest {
	const of, time = "Service time", "/serviceTimes/0/time"
	tests := []rangeTest{
		{of, time, `{"kind":"exponential","meanMs":0}`, time + "/meanMs"},
		{of, time, `{"kind":"exponential","meanMs":0.001}`, ""},
		{of, time, `{"kind":"exponential","meanMs":3600000}`, ""},
		{of, time, `{"kind":"exponential","meanMs":3600001}`, time + "/meanMs"},
		{of, time, `{"kind":"lognormal","medianMs":0,"p95Ms":1}`, time + "/medianMs"},
		{of, time, `{"kind":"lognormal","medianMs":1,"p95Ms":1}`, ""},
		{of, time, `{"kind":"lognormal","medianMs":1,"p95Ms":0.999}`, time + "/p95Ms"},
		{of, time, `{"kind":"lognormal","medianMs":1,"p95Ms":3600000}`, ""},
		{of, time, `{"kind":"lognormal","medianMs":3600000,"p95Ms":3600000}`, ""},
		{of, time, `{"kind":"lognormal","medianMs":3600001,"p95Ms":3600001}`, time + "/medianMs"},
		{of, time, `{"kind":"lognormal","medianMs":1,"p95Ms":3600001}`, time + "/p95Ms"},
		{of, time, `{"kind":"uniform","minMs":0,"maxMs":0}`, ""},
		{of, time, `{"kind":"uniform","minMs":2,"maxMs":1.999}`, time + "/maxMs"},
		{of, time, `{"kind":"uniform","minMs":-1,"maxMs":1}`, time + "/minMs"},
		{of, time, `{"kind":"uniform","minMs":0,"maxMs":3600000}`, ""},
		{of, time, `{"kind":"uniform","minMs":0,"maxMs":3600001}`, time + "/maxMs"},
		{of, time, `{"kind":"uniform","minMs":3600000,"maxMs":3600000}`, ""},
		{of, time, `{"kind":"uniform","minMs":3600001,"maxMs":3600001}`, time + "/maxMs"}, // the first that is named
	}
	for _, e := range [][]rangeTest{
		edges("Workers and consumers", "/resources/0/concurrency", 1, 10_000, 1),
		edges("Workers and consumers", "/subscriptions/0/consumers", 1, 10_000, 1),
		edges("Queue capacity", "/resources/0/queueCapacity", 0, 1_000_000, 1),
		edges("Queue capacity", "/subscriptions/0/queueCapacity", 0, 1_000_000, 1),
		edges(of, time+"/ms", 0, 3_600_000, 0.001),
		edges("Probability", "/branches/0/probability", 0, 1, 0.001),
		edges("Timeout and backoff override", "/overrides/0/timeoutMs", 0, 3_600_000, 0.001),
		edges("Timeout and backoff override", "/overrides/0/backoffMs", 0, 3_600_000, 0.001),
		edges("Attempts override", "/overrides/0/maxAttempts", 1, 10, 1),
	} {
		tests = append(tests, e...)
	}
	return tests
}

// listTests are a list of each kind with the most entries, and one more.
func listTests() []rangeTest {
	var tests []rangeTest
	for list, entry := range map[string]string{
		"/resources":     `{"elementId":"x%d","concurrency":1}`,
		"/serviceTimes":  `{"target":"x%d","time":{"kind":"fixed","ms":1}}`,
		"/subscriptions": `{"subscriptionId":"x%d","consumers":1}`,
		"/branches":      `{"stepId":"x%d","probability":1}`,
		"/overrides":     `{"target":"x%d","maxAttempts":1}`,
	} {
		tests = append(tests, rangeTest{"Entries of one list", list, entries(200, entry), ""},
			rangeTest{"Entries of one list", list, entries(201, entry), list})
	}
	return tests
}

func entries(n int, entry string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(entry, i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// bursts are windows of half a second, one after the other.
func bursts(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"fromSeconds":%d,"toSeconds":%d.5,"ratePerSecond":2}`, i, i)
	}
	return `,"bursts":[` + strings.Join(all, ",") + "]"
}

// burstAt is a window with a rate.
func burstAt(rate string) string {
	return `,"bursts":[{"fromSeconds":0,"toSeconds":1,"ratePerSecond":` + rate + `}]`
}

// TestProfileRanges saves a profile at both edges of every range of the page and one beyond each, over HTTP.
func TestProfileRanges(t *testing.T) {
	w := newWorld(t)
	w.shop()
	version := `"1"`
	for _, test := range rangeTests() {
		sent := request{method: "PUT", path: w.at("/stress/profiles/{f}"), header: []string{"If-Match: " + version}, body: w.changed(test)}
		r := w.send(sent)
		name := fmt.Sprintf("%s: %s = %.80s", test.row, test.path, test.value)
		if test.field == "" {
			if r.status != 200 {
				t.Errorf("%s: %d %s", name, r.status, r.body)
				continue
			}
			version = r.header.Get("ETag")
			continue
		}
		if p := r.problem(t); p.Status != 400 || p.Type != "validation_error" || p.Field != test.field {
			t.Errorf("%s: %d %s at %q, want 400 at %s", name, p.Status, p.Type, p.Field, test.field)
		}
	}
}

// changed is the whole profile with one change.
func (w *world) changed(test rangeTest) string {
	w.t.Helper()
	text, err := json.Marshal(test.profile(w.t))
	must(w.t, err)
	return strings.ReplaceAll(string(text), "{s}", w.scenarioID)
}

// profile is the whole profile with the change of the test.
func (r rangeTest) profile(t testing.TB) map[string]any {
	t.Helper()
	var profile map[string]any
	must(t, json.Unmarshal([]byte(wholeProfile), &profile))
	var at any = profile
	steps := strings.Split(r.path[1:], "/")
	for _, step := range steps[:len(steps)-1] {
		if list, ok := at.([]any); ok {
			at = list[0]
			continue
		}
		at = at.(map[string]any)[step]
	}
	at.(map[string]any)[steps[len(steps)-1]] = json.RawMessage(r.value)
	return profile
}
