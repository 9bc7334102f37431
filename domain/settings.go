package domain

// SimulationSettings are what a new profile of a workspace starts with (the page, Defaults of a new profile).
type SimulationSettings struct {
	Seed                 string  `json:"seed"` // decimal digits, 0 to 2^64-1
	DurationSeconds      float64 `json:"durationSeconds"`
	WarmUpSeconds        float64 `json:"warmUpSeconds"`
	ArrivalRatePerSecond float64 `json:"arrivalRatePerSecond"`
}

// DefaultSimulationSettings are those of a workspace in which nobody changed them: the page's example.
var DefaultSimulationSettings = SimulationSettings{Seed: "1", DurationSeconds: 300, WarmUpSeconds: 5, ArrivalRatePerSecond: 10}

// ArrivalWindowSeconds is the limit "duration": how long the arrivals of a run last at most, in virtual seconds
// (the page, Limits).
const ArrivalWindowSeconds = 3600

// ProfileDefaults is what a new profile starts with. The duration is within the limit of a run, the warm-up at
// least one second shorter, and never below 0.
func (s SimulationSettings) ProfileDefaults() SimulationSettings {
	s.DurationSeconds = min(s.DurationSeconds, ArrivalWindowSeconds)
	s.WarmUpSeconds = max(min(s.WarmUpSeconds, s.DurationSeconds-1), 0)
	return s
}

// ParseWorkspaceSettings reads {"simulation": {…}} strictly; the ranges are the profile's.
func ParseWorkspaceSettings(data []byte) (SimulationSettings, error) {
	return parse(data, settingsDocument, readWorkspaceSettings, CheckSimulationSettings)
}

func readWorkspaceSettings(v value) SimulationSettings {
	return member(v.object("simulation"), "simulation", func(v value) SimulationSettings {
		o := v.object("seed", "durationSeconds", "warmUpSeconds", "arrivalRatePerSecond")
		return SimulationSettings{
			Seed: o.text("seed"), DurationSeconds: o.number("durationSeconds"),
			WarmUpSeconds: o.number("warmUpSeconds"), ArrivalRatePerSecond: o.number("arrivalRatePerSecond"),
		}
	})
}

// CheckSimulationSettings lists what is out of range, by its place in the settings of a workspace.
func CheckSimulationSettings(s SimulationSettings) []Issue {
	const at = "/simulation"
	r := &report{code: CodeInvalidSettings}
	r.seed(at+"/seed", s.Seed)
	r.duration(at, Arrivals{DurationSeconds: s.DurationSeconds, WarmUpSeconds: s.WarmUpSeconds})
	r.above0(at+"/arrivalRatePerSecond", s.ArrivalRatePerSecond, MaxRatePerSecond, " per second")
	return r.issues
}

// ParseInstanceSettings reads {"policy": {"maxConcurrentStressRuns": n}} strictly and gives the number.
func ParseInstanceSettings(data []byte) (maxConcurrentStressRuns int, err error) {
	return parse(data, settingsDocument, readInstanceSettings, CheckInstancePolicy)
}

func readInstanceSettings(v value) int {
	return member(v.object("policy"), "policy", func(v value) int {
		return v.object("maxConcurrentStressRuns").whole("maxConcurrentStressRuns")
	})
}

// CheckInstancePolicy lists what is out of range, by its place in the settings of the instance.
func CheckInstancePolicy(maxRuns int) []Issue {
	r := &report{code: CodeInvalidSettings}
	if maxRuns < MinConcurrentRuns || maxRuns > MaxConcurrentRuns {
		r.add("/policy/maxConcurrentStressRuns", "must be %d to %d", MinConcurrentRuns, MaxConcurrentRuns)
	}
	return r.issues
}
