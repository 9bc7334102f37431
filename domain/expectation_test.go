package domain

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

const expectationResult = `{
 "flow": {"completed": 100, "latency": {"p99Ms": 480.5, "p50Ms": 12}, "throughputPerSecond": 38.5},
 "elements": [{"id": "pay", "utilisation": 0.93, "saturated": true, "depth": {"quarters": [1, 2, 3, 4]}, "latency": {"p95Ms": null}},
              {"id": "a.b", "utilisation": 0.5}],
 "assumptions": [{"key": "outage.pay[0].fromSeconds", "value": 3}],
 "drain": {"timeMs": null}}`

func TestExpectation(t *testing.T) {
	tests := []struct {
		text  string
		value float64
		holds bool
	}{
		{"flow.p99 < 500ms", 480.5, true},
		{"flow.p99 < 0.5s", 480.5, true},
		{"flow.p99 < 0.48 s", 480.5, false},
		{"flow.p99<500000us", 480.5, true},
		{"flow.p99 < 1min", 480.5, true},
		{"flow.latency.p99Ms <= 480.5", 480.5, true},
		{"flow.latency.p99Ms < 480.5", 480.5, false},
		{"flow.completed == 100", 100, true},
		{"flow.completed != 100", 100, false},
		{"flow.throughputPerSecond >= 38.5/s", 38.5, true},
		{"flow.throughputPerSecond > 38.5/s", 38.5, false},
		{"elements[pay].utilisation < 90%", 0.93, false},
		{"elements[pay].utilisation > 90 %", 0.93, true},
		{"elements[a.b].utilisation == 0.5", 0.5, true},
		{"elements[pay].saturated == 0", 1, false},
		{"elements[pay].depth.quarters[2] == 3", 3, true},
		{"assumptions[outage.pay[0].fromSeconds].value == 3", 3, true},
		{"flow.latency.p99Ms < 4.9e2", 480.5, true},
	}
	for _, test := range tests {
		e, err := ParseExpectation(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		got, err := e.Judge([]byte(expectationResult))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got.Value == nil || *got.Value != test.value || got.Holds != test.holds {
			t.Errorf("%s: got %v, want %v %v", test.text, got, test.value, test.holds)
		}
	}
}

// A value that the run does not have breaks the expectation, whatever it says.
func TestExpectationOfNull(t *testing.T) {
	for _, text := range []string{"drain.timeMs < 1e9", "drain.timeMs >= 0", "elements[pay].p95 < 100ms", "drain.timeMs != 1"} {
		e, err := ParseExpectation(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Judge([]byte(expectationResult))
		if err != nil || got.Value != nil || got.Holds {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
}

func TestExpectationRefused(t *testing.T) {
	tests := []struct{ text, says string }{
		{"flow.p99", "PATH OP NUMBER"},
		{"flow.p99 < many", "not a number"},
		{"< 5", "path is missing"},
		{"flow..p99 < 5", "name is missing"},
		{"flow.p99 < 5 parsec", "unknown unit"},
		{"flow.completed < 5ms", "not a time"},
		{"flow.p99 < 5%", "not a share"},
		{"flow.p99 < 5/s", "not a rate"},
		{"elements[pay < 5", "bracket is missing"},
		{"flow.nothing < 5", "completed, latency, throughputPerSecond"},
		{"elements[nothing].utilisation < 5", "[pay], [a.b]"},
		{"elements[pay].depth < 5", "not a number"},
	}
	for _, test := range tests {
		e, err := ParseExpectation(test.text)
		if err == nil {
			_, err = e.Judge([]byte(expectationResult))
		}
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want an error with %q", test.text, err, test.says)
		}
	}
}

// What the command line cannot read is not stored either.
func TestObjectivesThatAreRefused(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, test := range []struct{ name, expect, target string }{
		{"fast", "flow.p99 <", "/1/expect"},
		{"fast", "flow.p99 < 5 apples", "/1/expect"},
		{"fast", "", "/1/expect"},
		{"fast", strings.Repeat("x", MaxExpectChars-3) + " < 1", "/1/expect"},
		{"", "flow.p99 < 5ms", "/1/name"},
		{" \t", "flow.p99 < 5ms", "/1/name"},
		{"two\nlines", "flow.p99 < 5ms", "/1/name"},
		{long, "flow.p99 < 5ms", "/1/name"},
		{"first", "flow.p99 < 5ms", "/1/name"},
		{"fast", strings.Repeat("x", MaxExpectChars-4) + " < 1", ""},
		{strings.Repeat("é", MaxNameChars), "flow.p99 < 5ms", ""},
	} {
		data, err := json.Marshal([]Objective{{Name: "first", Expect: "flow.failed == 0"}, {Name: test.name, Expect: test.expect}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseObjectives(data)
		var got []string
		if err != nil {
			got = targets(t, err)
		}
		var want []string
		if test.target != "" {
			want = []string{test.target}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.40q expects %.40q (-want +got):\n%s", test.name, test.expect, diff)
		}
	}
}

func FuzzParseExpectation(f *testing.F) {
	f.Add("flow.p99 < 500ms")
	f.Add("assumptions[outage.pay[0].fromSeconds].value == 3")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpectation(text)
		if err != nil {
			return
		}
		if pathText(e.steps) != e.Path {
			t.Errorf("path %q is read as %q", e.Path, pathText(e.steps))
		}
	})
}
