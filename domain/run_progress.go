package domain

// RunProgress is how far a run is. It is told to who listens, at most 4 times a second, and stored nowhere.
type RunProgress struct {
	RunID            string   `json:"runId"`
	VirtualSeconds   float64  `json:"virtualSeconds"`   // the instant in the run
	Events           int64    `json:"events"`           // handled so far
	Done             float64  `json:"done"`             // an estimate of the finished share, 0 to 1
	RemainingSeconds *float64 `json:"remainingSeconds"` // an estimate of real time; nil: it cannot be told yet
}
