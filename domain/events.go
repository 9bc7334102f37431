package domain

// Event is something that happened. Its name on the wire never changes; its payload changes by a new schema.
type Event interface{ EventName() string }

// Aggregate types as they stand in a stream subject (spec 3, Event store).
const (
	AggregateInstance  = "instance"
	AggregateWorkspace = "workspace"
	AggregateAdmission = "admission" // one per workspace; its id is the workspace's
	AggregateProject   = "project"
	AggregateBranch    = "branch" // a model branch; the id of main is the project's
	AggregateScenario  = "scenario"
	AggregateProfile   = "profile"
	AggregateRun       = "run"
	AggregateKey       = "key" // an Idempotency-Key that is kept by itself
)

// MemberCreated says that a person or a program got a name in the instance.
type MemberCreated struct {
	MemberID      string `json:"memberId"`
	Name          string `json:"name"`
	Administrator bool   `json:"administrator"`
}

// WorkspaceCreated says that a workspace was opened.
type WorkspaceCreated struct {
	WorkspaceID string `json:"workspaceId"`
	Name        string `json:"name"`
}

// MemberGranted says that a member has a role in the workspace: viewer, editor or owner.
type MemberGranted struct {
	MemberID string `json:"memberId"`
	Role     string `json:"role"`
}

// Admission is one run that a workspace let in.
type Admission struct {
	RunID string `json:"runId"`
	At    int64  `json:"at"` // Unix milliseconds
}

// RunAdmitted says that the workspace let a run in. It carries the whole state of the admission aggregate
// after it, so that only its last commit is read.
type RunAdmitted struct {
	RunID  string      `json:"runId"`
	Open   []Admission `json:"open"`   // admitted, not released
	Recent []Admission `json:"recent"` // starts of the last 60 s
}

// RunReleased says that an admitted run has its outcome. It carries the whole state, as RunAdmitted does.
type RunReleased struct {
	RunID  string      `json:"runId"`
	Open   []Admission `json:"open"`
	Recent []Admission `json:"recent"`
}

// ProjectCreated says that a project was opened in a workspace.
type ProjectCreated struct {
	ProjectID   string `json:"projectId"`
	WorkspaceID string `json:"workspaceId"`
	Name        string `json:"name"`
}

// ProfileAdmitted says that a saved profile counts among the profiles of its project and is visible from now on.
type ProfileAdmitted struct {
	ProfileID string `json:"profileId"`
}

// ModelSaved says that a version of a model branch was saved. Blob is the SHA-256 of the canonical document.
type ModelSaved struct {
	ProjectID string `json:"projectId"`
	BranchID  string `json:"branchId"`
	Version   int    `json:"version"`
	Blob      string `json:"blob"`
}

// ScenarioSaved says that a version of a scenario was saved.
type ScenarioSaved struct {
	ProjectID  string `json:"projectId"`
	ScenarioID string `json:"scenarioId"`
	Version    int    `json:"version"`
	Name       string `json:"name"`
	Blob       string `json:"blob"`
}

// ProfileSaved says that a version of a stress profile was saved. Seed is the document's: a run pins it.
type ProfileSaved struct {
	ProjectID  string `json:"projectId"`
	ProfileID  string `json:"profileId"`
	Version    int    `json:"version"`
	Name       string `json:"name"`
	ScenarioID string `json:"scenarioId"`
	Seed       string `json:"seed"`
	Blob       string `json:"blob"`
}

// Doubt is a reason not to trust a measured value (spec 4, Target rules).
type Doubt struct {
	MeasurementRef string `json:"measurementRef"`
	Code           string `json:"code"`
	Stale          bool   `json:"stale"`
}

// RunRequested pins everything that a run reads. A nil ScenarioVersion: the scenario does not exist.
type RunRequested struct {
	RunID           string  `json:"runId"`
	WorkspaceID     string  `json:"workspaceId"`
	ProjectID       string  `json:"projectId"`
	ProfileID       string  `json:"profileId"`
	ProfileVersion  int     `json:"profileVersion"`
	ProfileBlob     string  `json:"profileBlob"`
	BranchID        string  `json:"branchId"`
	ModelVersion    int     `json:"modelVersion"` // 0: the empty model, no blob
	ModelBlob       string  `json:"modelBlob,omitempty"`
	ScenarioID      string  `json:"scenarioId"`
	ScenarioVersion *int    `json:"scenarioVersion"`
	ScenarioBlob    string  `json:"scenarioBlob,omitempty"`
	Seed            string  `json:"seed"`
	EngineVersion   int     `json:"engineVersion"`
	Doubts          []Doubt `json:"doubts"`
}

// RunStarted says that a worker took the run up.
type RunStarted struct {
	RunID  string `json:"runId"`
	Worker string `json:"worker"`
}

// KeyFigures are the numbers of a result that lists show. Milliseconds; nil where the result has null.
type KeyFigures struct {
	Started             int64    `json:"started"`
	Completed           int64    `json:"completed"`
	Failed              int64    `json:"failed"`
	P50Ms               *float64 `json:"p50Ms"`
	P95Ms               *float64 `json:"p95Ms"`
	P99Ms               *float64 `json:"p99Ms"`
	P999Ms              *float64 `json:"p999Ms"`
	ThroughputPerSecond float64  `json:"throughputPerSecond"`
	Bottleneck          string   `json:"bottleneck,omitempty"` // a resource id; empty: none is named
	Saturated           []string `json:"saturated"`
	Confidence          string   `json:"confidence"`
}

// RunCompleted is the outcome of a run that has a result. Blob is the SHA-256 of the stored result document,
// ResultHash the hash inside it.
type RunCompleted struct {
	RunID         string     `json:"runId"`
	EngineVersion int        `json:"engineVersion"`
	Blob          string     `json:"blob"`
	ResultHash    string     `json:"resultHash"`
	Key           KeyFigures `json:"key"`
}

// RunRefused is the outcome of a run that the engine refused or that went over a limit.
type RunRefused struct {
	RunID  string  `json:"runId"`
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Issues []Issue `json:"issues"`
}

// RunFailed is the outcome of a run that failed by an error of ours.
type RunFailed struct {
	RunID  string `json:"runId"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (MemberCreated) EventName() string    { return "MemberCreated" }
func (WorkspaceCreated) EventName() string { return "WorkspaceCreated" }
func (MemberGranted) EventName() string    { return "MemberGranted" }
func (RunAdmitted) EventName() string      { return "RunAdmitted" }
func (RunReleased) EventName() string      { return "RunReleased" }
func (ProjectCreated) EventName() string   { return "ProjectCreated" }
func (ProfileAdmitted) EventName() string  { return "ProfileAdmitted" }
func (ModelSaved) EventName() string       { return "ModelSaved" }
func (ScenarioSaved) EventName() string    { return "ScenarioSaved" }
func (ProfileSaved) EventName() string     { return "ProfileSaved" }
func (RunRequested) EventName() string     { return "RunRequested" }
func (RunStarted) EventName() string       { return "RunStarted" }
func (RunCompleted) EventName() string     { return "RunCompleted" }
func (RunRefused) EventName() string       { return "RunRefused" }
func (RunFailed) EventName() string        { return "RunFailed" }
