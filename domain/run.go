package domain

// EngineVersion is the engine version that a new run is pinned to.
const EngineVersion = 3

// RunStatus is where a run stands.
type RunStatus string

// The statuses of a run. The last four are outcomes: a run gets exactly one of them.
const (
	StatusQueued    RunStatus = "queued"
	StatusRunning   RunStatus = "running"
	StatusCompleted RunStatus = "completed"
	StatusRefused   RunStatus = "refused"
	StatusFailed    RunStatus = "failed"
	StatusCancelled RunStatus = "cancelled"
)

// Run is the state of a run aggregate. The zero value: it does not exist.
type Run struct {
	Status  RunStatus
	Pins    RunRequested // what the run reads, and nothing else
	Worker  string       // the last that took it up
	Outcome Event        // RunCompleted, RunRefused, RunFailed or RunCancelled; nil: none yet
	Deleted bool         // it is gone from the views
}

// Exists says whether the run was requested.
func (r Run) Exists() bool { return r.Status != "" }

// In says whether the run exists in the project.
func (r Run) In(projectID string) bool {
	return r.Exists() && !r.Deleted && r.Pins.ProjectID == projectID
}

// Ended says whether the run has its outcome.
func (r Run) Ended() bool { return r.Outcome != nil }

// EvolveRun folds one event into the state. It cannot fail: the event happened.
func EvolveRun(r Run, e Event) Run {
	switch e := e.(type) {
	case RunRequested:
		r.Status, r.Pins = StatusQueued, e
	case RunStarted:
		r.Status, r.Worker = StatusRunning, e.Worker
	case RunCompleted:
		r.Status, r.Outcome = StatusCompleted, e
	case RunRefused:
		r.Status, r.Outcome = StatusRefused, e
	case RunFailed:
		r.Status, r.Outcome = StatusFailed, e
	case RunCancelled:
		r.Status, r.Outcome = StatusCancelled, e
	case RunDeleted:
		r.Deleted = true
	}
	return r
}

// IsOutcome says whether the event ends a run.
func IsOutcome(e Event) bool { return EvolveRun(Run{}, e).Ended() }
