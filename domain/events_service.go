package domain

// KeyClaimed says that an Idempotency-Key belongs to the command of its commit, whose body's hash stands there. It is of those
// commands that the commits they make cannot keep the key for (ADR 24).
type KeyClaimed struct {
	Command string `json:"command"` // CreateProject or JoinMember
}

// InstancePolicyChanged says what holds for every workspace of the instance from now on.
type InstancePolicyChanged struct {
	MaxConcurrentStressRuns int `json:"maxConcurrentStressRuns"`
}

// TokenIssued says that a member got a bearer token. Hash is the SHA-256 of its text, in lower-case hex: the text
// itself is stored nowhere.
type TokenIssued struct {
	TokenID   string `json:"tokenId"`
	MemberID  string `json:"memberId"`
	Name      string `json:"name"` // what it is for; may be empty
	Hash      string `json:"hash"`
	ExpiresAt *int64 `json:"expiresAt"` // Unix milliseconds; nil: never
}

// TokenRevoked says that a token opens nothing any more.
type TokenRevoked struct {
	TokenID string `json:"tokenId"`
}

// SimulationSettingsChanged says what a new profile of the workspace starts with from now on.
type SimulationSettingsChanged struct {
	SimulationSettings
}

// MemberRevoked says that a member has no role in the workspace any more.
type MemberRevoked struct {
	MemberID string `json:"memberId"`
}

// ProjectRenamed says that a project has another name.
type ProjectRenamed struct {
	ProjectID string `json:"projectId"`
	Name      string `json:"name"`
}

// ProjectArchived says that a project is only read from now on. It is the last event of its project.
type ProjectArchived struct {
	ProjectID string `json:"projectId"`
}

// ProfileRemoved says that a profile no longer counts among the profiles of its project and is not visible.
type ProfileRemoved struct {
	ProfileID string `json:"profileId"`
}

// BranchOpened says that a draft or a variant was opened from main, at the version whose copy is its version 1.
// Main itself is there with its project and is never opened.
type BranchOpened struct {
	ProjectID   string `json:"projectId"`
	BranchID    string `json:"branchId"`
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	MainVersion int    `json:"mainVersion"` // 0: the empty model
}

// ObjectivesSaved says that a version of the objectives of a scenario was saved; the scenario's own stays.
type ObjectivesSaved struct {
	ProjectID  string `json:"projectId"`
	ScenarioID string `json:"scenarioId"`
	Version    int    `json:"version"`
	Blob       string `json:"blob"`
}

// ScenarioDeleted says that a scenario is gone: profiles that name it stay readable, their runs are refused.
type ScenarioDeleted struct {
	ProjectID  string `json:"projectId"`
	ScenarioID string `json:"scenarioId"`
}

// ProfileDeleted says that a profile is gone, and its runs with it.
type ProfileDeleted struct {
	ProjectID string `json:"projectId"`
	ProfileID string `json:"profileId"`
}

// RunCancelled is the outcome of a run that somebody stopped.
type RunCancelled struct {
	RunID  string `json:"runId"`
	Reason string `json:"reason"` // CancelAsked, CancelRunDeleted or CancelProfileDeleted
}

// Reasons of a cancelled run.
const (
	CancelAsked          = "asked"
	CancelRunDeleted     = "run-deleted"
	CancelProfileDeleted = "profile-deleted"
)

// RunDeleted says that a run is gone from the views; the log keeps it.
type RunDeleted struct {
	RunID string `json:"runId"`
}

func (InstancePolicyChanged) EventName() string     { return "InstancePolicyChanged" }
func (TokenIssued) EventName() string               { return "TokenIssued" }
func (TokenRevoked) EventName() string              { return "TokenRevoked" }
func (SimulationSettingsChanged) EventName() string { return "SimulationSettingsChanged" }
func (MemberRevoked) EventName() string             { return "MemberRevoked" }
func (ProjectRenamed) EventName() string            { return "ProjectRenamed" }
func (KeyClaimed) EventName() string                { return "KeyClaimed" }
func (ProjectArchived) EventName() string           { return "ProjectArchived" }
func (ProfileRemoved) EventName() string            { return "ProfileRemoved" }
func (BranchOpened) EventName() string              { return "BranchOpened" }
func (ObjectivesSaved) EventName() string           { return "ObjectivesSaved" }
func (ScenarioDeleted) EventName() string           { return "ScenarioDeleted" }
func (ProfileDeleted) EventName() string            { return "ProfileDeleted" }
func (RunCancelled) EventName() string              { return "RunCancelled" }
func (RunDeleted) EventName() string                { return "RunDeleted" }
