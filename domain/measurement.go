package domain

// Load models of a measured run.
const (
	LoadOpen    = "open"
	LoadClosed  = "closed"
	LoadUnknown = "unknown"
)

// Measurement is what one import of a k6 result became (spec 4, Measurement).
type Measurement struct {
	ID       string               `json:"id"`
	Name     string               `json:"name"`
	Source   MeasurementSource    `json:"source"`
	Binding  MeasurementBinding   `json:"binding"`
	Run      MeasuredRun          `json:"run"`
	Rows     []MeasurementRow     `json:"rows"`
	Warnings []MeasurementWarning `json:"warnings"`
}

// MeasurementSource is the file that was imported.
type MeasurementSource struct {
	Kind      string `json:"kind"` // the format
	K6Version string `json:"k6Version,omitempty"`
	SHA256    string `json:"sha256"` // of the file, lower-case hex
	Bytes     int    `json:"bytes"`
	FileName  string `json:"fileName"`
}

// MeasurementBinding is the model and the scenario that the measurement speaks of.
type MeasurementBinding struct {
	BranchID        string `json:"branchId"`
	ModelVersion    int    `json:"modelVersion"`
	ScenarioVersion *int   `json:"scenarioVersion,omitempty"`
}

// MeasuredRun is the load test that was measured. Nil fields are not in the file.
type MeasuredRun struct {
	StartedAt         string   `json:"startedAt,omitempty"` // RFC 3339
	DurationSeconds   *float64 `json:"durationSeconds,omitempty"`
	LoadModel         string   `json:"loadModel"`
	PlannedRate       *float64 `json:"plannedRate,omitempty"` // iterations per second
	DroppedIterations int      `json:"droppedIterations"`
	Interrupted       bool     `json:"interrupted"`
}

// MeasurementRow is one group of requests. Its own statistics are those of the successes.
type MeasurementRow struct {
	Key           map[string]string `json:"key"` // the values of the grouping tags
	Metric        string            `json:"metric"`
	Count         int               `json:"count"`
	Failed        int               `json:"failed"`
	FailureRate   float64           `json:"failureRate"` // 0 to 1
	RatePerSecond *float64          `json:"ratePerSecond,omitempty"`
	Latency
	All       Latency `json:"all"` // of all requests, the failed ones too
	Fit       *Fit    `json:"fit,omitempty"`
	Target    string  `json:"target,omitempty"`    // an operation, a subscription or a store
	Histogram string  `json:"histogram,omitempty"` // HDR, base64; only from raw points
}

// Latency has the statistics of a group in ms, each nil when the file does not hold it.
type Latency struct {
	MinMs    *float64 `json:"minMs"`
	MeanMs   *float64 `json:"meanMs"`
	MedianMs *float64 `json:"medianMs"`
	P90Ms    *float64 `json:"p90Ms"`
	P95Ms    *float64 `json:"p95Ms"`
	P99Ms    *float64 `json:"p99Ms"`
	MaxMs    *float64 `json:"maxMs"`
}

// Fit is the lognormal distribution through the median and p95 of a row.
type Fit struct {
	Kind     string     `json:"kind"` // lognormal
	MedianMs float64    `json:"medianMs"`
	P95Ms    float64    `json:"p95Ms"`
	Checks   []FitCheck `json:"checks"`
}

// FitCheck holds a measured statistic beside that of the fit.
type FitCheck struct {
	Statistic  string  `json:"statistic"` // p90Ms, p99Ms
	MeasuredMs float64 `json:"measuredMs"`
	FittedMs   float64 `json:"fittedMs"`
}

// MeasurementWarning is something that a person must see before trusting the numbers.
type MeasurementWarning struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// NumbersDiffer tells whether a service time that names the measurement has other numbers than the row of its
// target, or a target without a row (spec 4, Target rules: the doubt numbers-differ).
func (m Measurement) NumbersDiffer(times []ServiceTime) bool {
	for _, t := range times {
		if t.Label == LabelMeasured && t.MeasurementRef == m.ID && !m.holds(t) {
			return true
		}
	}
	return false
}

// holds tells whether the row of the target has the numbers of the service time.
func (m Measurement) holds(t ServiceTime) bool {
	for _, row := range m.Rows {
		if row.Target == t.Target {
			return row.Latency.holds(t.Time)
		}
	}
	return false
}

func (l Latency) holds(t Time) bool {
	switch t.Kind {
	case TimeFixed:
		return same(l.MedianMs, t.Ms)
	case TimeExponential:
		return same(l.MeanMs, t.MeanMs)
	case TimeLognormal:
		return same(l.MedianMs, t.MedianMs) && same(l.P95Ms, t.P95Ms)
	default:
		return same(l.MinMs, t.MinMs) && same(l.MaxMs, t.MaxMs)
	}
}

func same(measured *float64, stated float64) bool { return measured != nil && *measured == stated }
