package domain

import (
	"encoding/hex"
	"time"
)

func readMeasurement(v value) Measurement {
	o := v.object("id", "name", "source", "binding", "run", "rows", "warnings")
	return Measurement{
		ID: o.text("id"), Name: o.text("name"),
		Source: member(o, "source", readSource), Binding: member(o, "binding", readMeasurementBinding), Run: member(o, "run", readMeasuredRun),
		Rows:     list(o, "rows", unlimited, readRow),
		Warnings: list(o, "warnings", unlimited, readWarning),
	}
}

func readSource(v value) MeasurementSource {
	o := v.object("kind", "k6Version", "sha256", "bytes", "fileName")
	return MeasurementSource{
		Kind: o.text("kind"), K6Version: o.optionalText("k6Version"), SHA256: o.text("sha256"),
		Bytes: o.whole("bytes"), FileName: o.text("fileName"),
	}
}

func readMeasurementBinding(v value) MeasurementBinding {
	o := v.object("branchId", "modelVersion", "scenarioVersion")
	return MeasurementBinding{
		BranchID: o.text("branchId"), ModelVersion: o.whole("modelVersion"), ScenarioVersion: o.optionalWhole("scenarioVersion"),
	}
}

func readMeasuredRun(v value) MeasuredRun {
	o := v.object("startedAt", "durationSeconds", "loadModel", "plannedRate", "droppedIterations", "interrupted")
	return MeasuredRun{
		StartedAt: o.optionalWord("startedAt"), DurationSeconds: o.optionalNumber("durationSeconds"), LoadModel: o.text("loadModel"),
		PlannedRate: o.optionalNumber("plannedRate"), DroppedIterations: o.whole("droppedIterations"), Interrupted: o.flag("interrupted"),
	}
}

// latencyMembers are the statistics of a group of requests.
var latencyMembers = []string{"minMs", "meanMs", "medianMs", "p90Ms", "p95Ms", "p99Ms", "maxMs"}

func readRow(v value) MeasurementRow {
	o := v.object(append([]string{"key", "metric", "count", "failed", "failureRate", "ratePerSecond", "all", "fit", "target", "histogram"}, latencyMembers...)...)
	return MeasurementRow{
		Key: member(o, "key", readKey), Metric: o.text("metric"), Count: o.whole("count"), Failed: o.whole("failed"),
		FailureRate: o.number("failureRate"), RatePerSecond: o.optionalNumber("ratePerSecond"),
		Latency: readLatency(o), All: member(o, "all", func(v value) Latency { return readLatency(v.object(latencyMembers...)) }),
		Fit: optionalMember(o, "fit", readFit), Target: o.optionalWord("target"), Histogram: o.optionalWord("histogram"),
	}
}

// readKey reads an object of any members whose values are text.
func readKey(v value) map[string]string {
	o := v.object(v.names...)
	key := make(map[string]string, len(o.names))
	for _, name := range o.names {
		key[name] = o.text(name)
	}
	return key
}

func readLatency(o object) Latency {
	return Latency{
		MinMs: o.nullableNumber("minMs"), MeanMs: o.nullableNumber("meanMs"), MedianMs: o.nullableNumber("medianMs"),
		P90Ms: o.nullableNumber("p90Ms"), P95Ms: o.nullableNumber("p95Ms"), P99Ms: o.nullableNumber("p99Ms"), MaxMs: o.nullableNumber("maxMs"),
	}
}

func readFit(v value) Fit {
	o := v.object("kind", "medianMs", "p95Ms", "checks")
	return Fit{Kind: o.text("kind"), MedianMs: o.number("medianMs"), P95Ms: o.number("p95Ms"), Checks: list(o, "checks", unlimited, readFitCheck)}
}

func readFitCheck(v value) FitCheck {
	o := v.object("statistic", "measuredMs", "fittedMs")
	return FitCheck{Statistic: o.text("statistic"), MeasuredMs: o.number("measuredMs"), FittedMs: o.number("fittedMs")}
}

func readWarning(v value) MeasurementWarning {
	o := v.object("code", "text", "count")
	return MeasurementWarning{Code: o.text("code"), Text: o.text("text"), Count: o.whole("count")}
}

// checkMeasurementAt makes the check of a measurement that stands at a place of its document.
func checkMeasurementAt(root string) func(Measurement) []Issue {
	return func(m Measurement) []Issue { return checkMeasurement(root, m) }
}

// checkMeasurement finds the values of a measurement that are not valid; root is as in checkModel.
func checkMeasurement(root string, m Measurement) []Issue {
	r := &report{code: CodeInvalidMeasurement}
	r.id("/id", m.ID)
	r.sha256("/source/sha256", m.Source.SHA256)
	r.count("/source/bytes", m.Source.Bytes)
	r.id("/binding/branchId", m.Binding.BranchID)
	r.count("/binding/modelVersion", m.Binding.ModelVersion)
	if m.Binding.ScenarioVersion != nil {
		r.count("/binding/scenarioVersion", *m.Binding.ScenarioVersion)
	}
	r.measuredRun("/run", m.Run)
	r.rows(root, m.Rows)
	for i, w := range m.Warnings {
		r.count(entry("/warnings", i)+"/count", w.Count)
	}
	return r.sorted()
}

func (r *report) measuredRun(at string, run MeasuredRun) {
	if _, err := time.Parse(time.RFC3339, run.StartedAt); run.StartedAt != "" && err != nil {
		r.add(at+"/startedAt", "must be an instant as RFC 3339 has it, such as 2026-01-31T09:30:00Z, not %q", shortened(run.StartedAt))
	}
	r.oneOf(at+"/loadModel", run.LoadModel, LoadOpen, LoadClosed, LoadUnknown)
	r.measured(at+"/durationSeconds", run.DurationSeconds)
	r.measured(at+"/plannedRate", run.PlannedRate)
	r.count(at+"/droppedIterations", run.DroppedIterations)
}

// rows checks the groups; two rows with one target would leave open which one a service time means.
func (r *report) rows(root string, rows []MeasurementRow) {
	var targets, places []string
	for i, row := range rows {
		at := entry("/rows", i)
		r.count(at+"/count", row.Count)
		r.count(at+"/failed", row.Failed)
		if row.Failed > row.Count && row.Count >= 0 {
			r.add(at+"/failed", "must be at most count, %d, not %d", row.Count, row.Failed)
		}
		r.between(at+"/failureRate", row.FailureRate, 0, 1, "")
		r.measured(at+"/ratePerSecond", row.RatePerSecond)
		r.latency(at, row.Latency)
		r.latency(at+"/all", row.All)
		r.fit(at+"/fit", row.Fit)
		if row.Target != "" {
			r.id(at+"/target", row.Target)
			targets, places = append(targets, row.Target), append(places, at+"/target")
		}
	}
	r.unique(targets, func(i int) string { return places[i] }, func(i int) string { return root + places[i] })
}

func (r *report) latency(at string, l Latency) {
	for i, ms := range []*float64{l.MinMs, l.MeanMs, l.MedianMs, l.P90Ms, l.P95Ms, l.P99Ms, l.MaxMs} {
		r.measured(at+"/"+latencyMembers[i], ms)
	}
}

func (r *report) fit(at string, fit *Fit) {
	if fit == nil {
		return
	}
	r.oneOf(at+"/kind", fit.Kind, TimeLognormal)
	r.notNegative(at+"/medianMs", fit.MedianMs)
	r.notNegative(at+"/p95Ms", fit.P95Ms)
	for i, c := range fit.Checks {
		r.notNegative(entry(at+"/checks", i)+"/measuredMs", c.MeasuredMs)
		r.notNegative(entry(at+"/checks", i)+"/fittedMs", c.FittedMs)
	}
}

func (r *report) count(at string, n int) { r.between(at, float64(n), 0, maxWhole, "") }

// measured checks a number that may be absent.
func (r *report) measured(at string, x *float64) {
	if x != nil {
		r.notNegative(at, *x)
	}
}

func (r *report) sha256(at, text string) {
	digest, err := hex.DecodeString(text)
	if err != nil || len(digest) != 32 || hex.EncodeToString(digest) != text {
		r.add(at, "must be a SHA-256 in 64 digits of lower-case hex, not %q", shortened(text))
	}
}
