package domain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every rule of a measurement (spec 4): both edges, and one beyond.
func TestParseMeasurementRules(t *testing.T) {
	runChanges(t, validMeasurement, parsers[3].parse, []change{
		{"", "[]", here},
		{"/id", "", here},
		{"/id", `"m 1"`, here},
		{"/name", "", here},
		{"/unit", `"ms"`, here},
		{"/source", "", here},
		{"/source/kind", "", here},
		{"/source/k6Version", "", ""},
		{"/source/fileName", "", here},
		{"/source/sha256", `"00"`, here},
		{"/source/sha256", `"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"`, here},
		{"/source/bytes", "0", ""},
		{"/source/bytes", "-1", here},
		{"/source/bytes", "1.5", here},
		{"/binding", "", here},
		{"/binding/branchId", `"a b"`, here},
		{"/binding/modelVersion", "0", ""},
		{"/binding/modelVersion", "-1", here},
		{"/binding/scenarioVersion", "", ""},
		{"/binding/scenarioVersion", "-1", here},
		{"/binding/scenarioVersion", "null", here},
		{"/run", "", here},
		{"/run/startedAt", "", ""},
		{"/run/startedAt", `"yesterday"`, here},
		{"/run/startedAt", `"2026-01-31T09:30:00.123+02:00"`, ""},
		{"/run/durationSeconds", "", ""},
		{"/run/durationSeconds", "0", ""},
		{"/run/durationSeconds", "-1", here},
		{"/run/loadModel", `"closed"`, ""},
		{"/run/loadModel", `"unknown"`, ""},
		{"/run/loadModel", `"half"`, here},
		{"/run/loadModel", "", here},
		{"/run/plannedRate", "", ""},
		{"/run/plannedRate", "-1", here},
		{"/run/droppedIterations", "", here},
		{"/run/droppedIterations", "-1", here},
		{"/run/interrupted", "", here},
		{"/run/interrupted", "true", ""},
		{"/run/interrupted", `"no"`, here},
		{"/rows", "", here},
		{"/rows", "[]", ""},
		{"/rows/0/key", "", here},
		{"/rows/0/key", "{}", ""},
		{"/rows/0/key/name", "7", here},
		{"/rows/0/key/any tag", `"x"`, ""},
		{"/rows/0/metric", "", here},
		{"/rows/0/count", "-1", here},
		{"/rows/0/count", "1", ""},
		{"/rows/0/failed", "100", ""},
		{"/rows/0/failed", "101", here},
		{"/rows/0/failed", "-1", here},
		{"/rows/0/failureRate", "0", ""},
		{"/rows/0/failureRate", "1", ""},
		{"/rows/0/failureRate", "1.01", here},
		{"/rows/0/failureRate", "-0.1", here},
		{"/rows/0/ratePerSecond", "", ""},
		{"/rows/0/ratePerSecond", "-1", here},
		{"/rows/0/medianMs", "", here},
		{"/rows/0/medianMs", "null", ""},
		{"/rows/0/medianMs", "-1", here},
		{"/rows/0/medianMs", `"4"`, here},
		{"/rows/0/all", "", here},
		{"/rows/0/all/maxMs", "-1", here},
		{"/rows/0/all/count", "1", here},
		{"/rows/0/fit", "", ""},
		{"/rows/0/fit/kind", `"gamma"`, here},
		{"/rows/0/fit/medianMs", "-1", here},
		{"/rows/0/fit/p95Ms", "", here},
		{"/rows/0/fit/checks/0/fittedMs", "-1", here},
		{"/rows/0/fit/checks/0/measuredMs", "", here},
		{"/rows/0/fit/checks/0/statistic", "", here},
		{"/rows/0/target", "", ""},
		{"/rows/0/target", `""`, here},
		{"/rows/0/target", `"a b"`, here},
		{"/rows/0/histogram", "", ""},
		{"/warnings", "", here},
		{"/warnings/0/code", "", here},
		{"/warnings/0/text", "", here},
		{"/warnings/0/count", "-1", here},
	})
}

// Two rows with one target are refused: it would be open which one a service time means (spec 4, Target rules).
func TestParseMeasurementTwoRowsOfOneTarget(t *testing.T) {
	row := `{"key": {}, "metric": "m", "count": 0, "failed": 0, "failureRate": 0, %l, "all": {%l}, "target": "db"}`
	latency := `"minMs": null, "meanMs": null, "medianMs": null, "p90Ms": null, "p95Ms": null, "p99Ms": null, "maxMs": null`
	_, err := ParseMeasurement(changed(t, validMeasurement, "/rows/1", strings.ReplaceAll(row, "%l", latency)))
	if diff := cmp.Diff([]string{"/rows/1/target"}, targets(t, err)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

// Which numbers are compared depends on the distribution (spec 4, Target rules).
func TestNumbersDiffer(t *testing.T) {
	m, err := ParseMeasurement([]byte(validMeasurement)) // of db: min 1, mean 5, median 4, p95 9, max 20
	if err != nil {
		t.Fatal(err)
	}
	measured := Origin{Label: LabelMeasured, MeasurementRef: "m-1"}
	cases := []struct {
		name   string
		time   ServiceTime
		differ bool
	}{
		{"lognormal", ServiceTime{Target: "db", Time: Time{Kind: TimeLognormal, MedianMs: 4, P95Ms: 9}, Origin: measured}, false},
		{"lognormal median", ServiceTime{Target: "db", Time: Time{Kind: TimeLognormal, MedianMs: 4.001, P95Ms: 9}, Origin: measured}, true},
		{"lognormal p95", ServiceTime{Target: "db", Time: Time{Kind: TimeLognormal, MedianMs: 4, P95Ms: 8}, Origin: measured}, true},
		{"exponential", ServiceTime{Target: "db", Time: Time{Kind: TimeExponential, MeanMs: 5}, Origin: measured}, false},
		{"exponential mean", ServiceTime{Target: "db", Time: Time{Kind: TimeExponential, MeanMs: 4}, Origin: measured}, true},
		{"fixed", ServiceTime{Target: "db", Time: Time{Kind: TimeFixed, Ms: 4}, Origin: measured}, false},
		{"fixed at the mean", ServiceTime{Target: "db", Time: Time{Kind: TimeFixed, Ms: 5}, Origin: measured}, true},
		{"uniform", ServiceTime{Target: "db", Time: Time{Kind: TimeUniform, MinMs: 1, MaxMs: 20}, Origin: measured}, false},
		{"uniform max", ServiceTime{Target: "db", Time: Time{Kind: TimeUniform, MinMs: 1, MaxMs: 21}, Origin: measured}, true},
		{"uniform min", ServiceTime{Target: "db", Time: Time{Kind: TimeUniform, MinMs: 2, MaxMs: 20}, Origin: measured}, true},
		{"no row", ServiceTime{Target: "pay", Time: Time{Kind: TimeFixed, Ms: 4}, Origin: measured}, true},
		{"of another measurement", ServiceTime{Target: "db", Time: Time{Kind: TimeFixed, Ms: 7}, Origin: Origin{Label: LabelMeasured, MeasurementRef: "m-2"}}, false},
		{"declared", ServiceTime{Target: "db", Time: Time{Kind: TimeFixed, Ms: 7}}, false},
	}
	for _, c := range cases {
		good := ServiceTime{Target: "db", Time: Time{Kind: TimeFixed, Ms: 4}, Origin: measured}
		if got := m.NumbersDiffer([]ServiceTime{good, c.time}); got != c.differ {
			t.Errorf("%s: differ is %v", c.name, got)
		}
	}
	m.Rows[0].P95Ms = nil
	if lognormal := cases[0].time; !m.NumbersDiffer([]ServiceTime{lognormal}) {
		t.Error("a statistic that the file does not hold equals no number")
	}
}
