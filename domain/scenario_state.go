package domain

// ScenarioState is the state of a scenario aggregate. Version 0: it does not exist.
type ScenarioState struct {
	ID        string
	ProjectID string
	Version   int    // the newest
	Blob      string // its document
	Deleted   bool

	ObjectivesVersion int    // of the objectives, which are versioned by themselves; 0: none were saved
	ObjectivesBlob    string // their document
}

// EvolveScenario folds one event into the state. It cannot fail: the event happened.
func EvolveScenario(s ScenarioState, e Event) ScenarioState {
	switch e := e.(type) {
	case ScenarioSaved:
		s.ID, s.ProjectID, s.Version, s.Blob = e.ScenarioID, e.ProjectID, e.Version, e.Blob
	case ObjectivesSaved:
		s.ObjectivesVersion, s.ObjectivesBlob = e.Version, e.Blob
	case ScenarioDeleted:
		s.Deleted = true
	}
	return s
}

// In says whether the scenario exists in the project.
func (s ScenarioState) In(projectID string) bool {
	return s.Version > 0 && !s.Deleted && s.ProjectID == projectID
}
