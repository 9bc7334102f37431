package domain

// ProfileState is the state of a profile aggregate. Version 0: it does not exist. Its project decides whether
// it is visible (Project.Profiles).
type ProfileState struct {
	ID         string
	ProjectID  string
	ScenarioID string // of the newest version
	Seed       string // of the newest version
	Version    int    // the newest
	Blob       string // its document
	Deleted    bool
}

// EvolveProfile folds one event into the state. It cannot fail: the event happened.
func EvolveProfile(p ProfileState, e Event) ProfileState {
	switch e := e.(type) {
	case ProfileSaved:
		p.ID, p.ProjectID, p.ScenarioID, p.Seed = e.ProfileID, e.ProjectID, e.ScenarioID, e.Seed
		p.Version, p.Blob = e.Version, e.Blob
	case ProfileDeleted:
		p.Deleted = true
	}
	return p
}

// In says whether the profile exists in the project.
func (p ProfileState) In(projectID string) bool {
	return p.Version > 0 && !p.Deleted && p.ProjectID == projectID
}
