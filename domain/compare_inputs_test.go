package domain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// differences shows what differs: key, left and right, each with label, measurement, staleness and model value.
func differences(t *testing.T, c domain.Comparison) []string {
	t.Helper()
	var found []string
	for _, d := range c.Inputs {
		side := func(value any, source *domain.Source) string {
			shown := text(t, value)
			if source == nil {
				return shown
			}
			shown += " " + source.Label
			if source.MeasurementRef != "" {
				shown += " " + source.MeasurementRef
			}
			if source.MeasurementStale != nil {
				shown += map[bool]string{true: " stale", false: " fresh"}[*source.MeasurementStale]
			}
			if source.ModelValue != nil {
				shown += " for " + text(t, source.ModelValue)
			}
			return shown
		}
		found = append(found, strings.Join([]string{d.Key, side(d.Left, d.LeftSource), side(d.Right, d.RightSource)}, " | "))
	}
	return found
}

// withInputs is a small result with these assumptions and overrides.
func withInputs(version, assumptions, overrides string) domain.StoredResult {
	return domain.StoredResult{Document: []byte(`{"engineVersion":` + version + `,"seed":"1","hash":"a",
		"assumptions":[` + assumptions + `],"overrides":[` + overrides + `],"limits":{"events":5000000,"queued":250000}}`)}
}

func TestCompareInputs(t *testing.T) {
	for _, c := range []struct {
		name        string
		left, right domain.StoredResult
		want        []string
	}{
		{
			"values, by key; only on one side; null is a value",
			withInputs("3", `{"key":"y.concurrency","value":1,"label":"declared"},{"key":"arrivals.kind","value":"ramp","label":"declared"},
				{"key":"x.queueCapacity","value":null,"label":"declared"},{"key":"same","value":1,"label":"declared"}`, ""),
			withInputs("3", `{"key":"y.concurrency","value":2,"label":"declared"},{"key":"arrivals.kind","value":"poisson","label":"declared"},
				{"key":"same","value":1,"label":"declared"}`, ""),
			[]string{
				`arrivals.kind | "ramp" declared | "poisson" declared`,
				`x.queueCapacity | null declared | null`,
				`y.concurrency | 1 declared | 2 declared`,
			},
		},
		{
			"label, measurement and staleness count",
			withInputs("3", `{"key":"a","value":1,"label":"declared"},{"key":"b","value":1,"label":"measured","measurementRef":"m1","measurementStale":false},
				{"key":"c","value":1,"label":"measured","measurementRef":"m1","measurementStale":false}`, ""),
			withInputs("3", `{"key":"a","value":1,"label":"model"},{"key":"b","value":1,"label":"measured","measurementRef":"m2","measurementStale":false},
				{"key":"c","value":1,"label":"measured","measurementRef":"m1","measurementStale":true}`, ""),
			[]string{
				`a | 1 declared | 1 model`,
				`b | 1 measured m1 fresh | 1 measured m2 fresh`,
				`c | 1 measured m1 fresh | 1 measured m1 stale`,
			},
		},
		{
			"version 2 states no staleness",
			withInputs("2", `{"key":"a","value":1,"label":"measured","measurementRef":"m1"},{"key":"b","value":1,"label":"measured","measurementRef":"m1"}`, ""),
			withInputs("3", `{"key":"a","value":1,"label":"measured","measurementRef":"m1","measurementStale":false},
				{"key":"b","value":1,"label":"measured","measurementRef":"m1","measurementStale":true}`, ""),
			[]string{
				`engineVersion | 2 | 3`,
				`b | 1 measured m1 | 1 measured m1 stale`,
			},
		},
		{
			"an override shows what it replaces",
			withInputs("3", `{"key":"pay.timeoutMs","value":50,"label":"declared"},{"key":"k.backoffMs","value":5,"label":"declared"}`,
				`{"target":"k","field":"backoffMs","model":9,"profile":5},{"target":"pay","field":"timeoutMs","model":100,"profile":50}`),
			withInputs("3", `{"key":"pay.timeoutMs","value":100,"label":"model"},{"key":"k.backoffMs","value":5,"label":"declared"}`,
				`{"target":"k","field":"backoffMs","model":8,"profile":5}`),
			[]string{
				`k.backoffMs | 5 declared for 9 | 5 declared for 8`,
				`pay.timeoutMs | 50 declared for 100 | 100 model`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, differences(t, compare(t, c.left, c.right))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An operation may be called branch and a branch step as one of its fields: two inputs have one key then. Each is compared
// with its own, also where a side has one of them only.
func TestCompareInputsWithOneKey(t *testing.T) {
	const calls = `,"operations":[{"id":"branch"}]`
	timeout := func(ms string) string { return `{"key":"branch.timeoutMs","value":` + ms + `,"label":"model"}` }
	step := func(p string) string { return `{"key":"branch.timeoutMs","value":` + p + `,"label":"declared"}` }
	kind := `{"key":"branch.time.kind","value":"fixed","label":"declared"},{"key":"branch.time.ms","value":4,"label":"declared"},`
	side := func(assumptions, more string) domain.StoredResult {
		return domain.StoredResult{Document: []byte(`{"engineVersion":3,"seed":"1","hash":"a","assumptions":[` + assumptions + `]` + more + `}`)}
	}
	for _, c := range []struct {
		name        string
		left, right domain.StoredResult
		want        []string
	}{
		{"the same", side(timeout("9")+","+step("0.5"), calls), side(timeout("9")+","+step("0.5"), calls), nil},
		{
			"the field", side(timeout("9")+","+step("0.5"), calls), side(timeout("8")+","+step("0.5"), calls),
			[]string{`branch.timeoutMs | 9 model | 8 model`},
		},
		{
			"the probability", side(timeout("9")+","+step("0.5"), calls), side(timeout("9")+","+step("0.6"), calls),
			[]string{`branch.timeoutMs | 0.5 declared | 0.6 declared`},
		},
		{
			"both, the field first", side(timeout("9")+","+step("0.5"), calls), side(timeout("8")+","+step("0.6"), calls),
			[]string{`branch.timeoutMs | 9 model | 8 model`, `branch.timeoutMs | 0.5 declared | 0.6 declared`},
		},
		{"no step on the right", side(timeout("9")+","+step("0.5"), calls), side(timeout("9"), calls), []string{`branch.timeoutMs | 0.5 declared | null`}},
		{"no operation on the right", side(timeout("9")+","+step("0.5"), calls), side(step("0.5"), ""), []string{`branch.timeoutMs | 9 model | null`}},
		{
			"one of each", side(timeout("9"), calls), side(step("9"), ""),
			[]string{`branch.timeoutMs | 9 model | null`, `branch.timeoutMs | null | 9 declared`},
		},
		{
			"an override of the field", side(timeout("9")+","+step("0.5")+`],"overrides":[{"target":"branch","field":"timeoutMs","model":7}`, calls), side(timeout("9")+","+step("0.5"), calls),
			[]string{`branch.timeoutMs | 9 model for 7 | 9 model`},
		},
		{
			"a subscription", side(`{"key":"branch.consumers","value":1,"label":"declared"}`, `,"subscriptions":[{"id":"branch"}]`), side(`{"key":"branch.consumers","value":1,"label":"declared"}`, ""),
			[]string{`branch.consumers | 1 declared | null`, `branch.consumers | null | 1 declared`},
		},
		{
			"an element", side(`{"key":"branch.queueCapacity","value":1,"label":"declared"}`, `,"elements":[{"id":"branch"}]`), side(`{"key":"branch.queueCapacity","value":1,"label":"declared"}`, ""),
			[]string{`branch.queueCapacity | 1 declared | null`, `branch.queueCapacity | null | 1 declared`},
		},
		{
			"a service time", side(kind+`{"key":"branch.time.meanMs","value":1,"label":"declared"}`, calls), side(kind+`{"key":"branch.time.meanMs","value":0,"label":"declared"}`, calls),
			[]string{`branch.time.meanMs | 1 declared | 0 declared`},
		},
		{
			"a service time and a step of its name", side(kind+`{"key":"branch.time.ms","value":0.5,"label":"declared"}`, calls), side(kind+`{"key":"branch.time.ms","value":0.6,"label":"declared"}`, calls),
			[]string{`branch.time.ms | 0.5 declared | 0.6 declared`},
		},
	} {
		for range 3 { // the rows have one order
			if diff := cmp.Diff(c.want, differences(t, compare(t, c.left, c.right))); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
	}
}

// A run of engine version 1 has no limits and one assumption for each outage.
func TestCompareWithVersion1(t *testing.T) {
	old := domain.StoredResult{Document: []byte(`{"engineVersion":1,"seed":"1","hash":"b","bottleneck":{"resourceId":null,"rule":"version-1"},
		"assumptions":[{"key":"outage.pay[0]","value":"1 to 2","label":"declared"}],"overrides":[]}`)}
	newer := withInputs("3", `{"key":"outage.pay[0].fromSeconds","value":1,"label":"declared"},{"key":"outage.pay[0].toSeconds","value":2,"label":"declared"}`, "")
	want := []string{
		`engineVersion | 1 | 3`,
		`limits.events | "not recorded" | 5000000`,
		`limits.queued | "not recorded" | 250000`,
		`outage.pay[0] | "1 to 2" declared | null`,
		`outage.pay[0].fromSeconds | null | 1 declared`,
		`outage.pay[0].toSeconds | null | 2 declared`,
	}
	if diff := cmp.Diff(want, differences(t, compare(t, old, newer))); diff != "" {
		t.Error(diff)
	}
	if got := differences(t, compare(t, newer, old))[1]; got != `limits.events | 5000000 | "not recorded"` {
		t.Error(got)
	}
	if got := differences(t, compare(t, old, old)); got != nil {
		t.Errorf("two of version 1: %v", got)
	}
}

func TestCompareLimits(t *testing.T) {
	result := expectedResult(t, "arrivals-constant", nil)
	other := expectedResult(t, "arrivals-constant", func(doc map[string]any) { doc["limits"].(map[string]any)["routes"] = 50 })
	if diff := cmp.Diff([]string{`limits.routes | 200 | 50`}, differences(t, compare(t, result, other))); diff != "" {
		t.Error(diff)
	}
}

// Pins come first, in the order of the page, and before other inputs.
func TestComparePins(t *testing.T) {
	pins := func(profile, model, scenario int) *domain.Pins {
		return &domain.Pins{
			Profile: domain.Pin{ID: "p", Version: profile}, Model: domain.Pin{ID: "main", Version: model},
			Scenario: domain.Pin{ID: "s", Version: scenario},
		}
	}
	left := withInputs("3", `{"key":"arrivals.kind","value":"ramp","label":"declared"}`, "")
	right := domain.StoredResult{Document: []byte(`{"engineVersion":2,"seed":"18446744073709551615","hash":"b","limits":{"events":5000000,"queued":250000}}`)}
	left.Pins, right.Pins = pins(1, 2, 3), pins(4, 5, 6)
	want := []string{
		`profile | {"id":"p","version":1} | {"id":"p","version":4}`,
		`model | {"id":"main","version":2} | {"id":"main","version":5}`,
		`scenario | {"id":"s","version":3} | {"id":"s","version":6}`,
		`seed | "1" | "18446744073709551615"`,
		`engineVersion | 3 | 2`,
		`arrivals.kind | "ramp" declared | null`,
	}
	if diff := cmp.Diff(want, differences(t, compare(t, left, right))); diff != "" {
		t.Error(diff)
	}
	right.Pins = pins(1, 2, 4)
	if got := differences(t, compare(t, left, right))[0]; got != `scenario | {"id":"s","version":3} | {"id":"s","version":4}` {
		t.Error(got)
	}
	right.Pins = nil // a file: seed and engine version stand in the results
	if diff := cmp.Diff(want[3:], differences(t, compare(t, left, right))); diff != "" {
		t.Error(diff)
	}
}
