package domain

// MaxProfiles is how many profiles a project has at most (the page, Runs at the same time).
const MaxProfiles = 50

// Project is the state of a project aggregate. The zero value: it does not exist.
type Project struct {
	ID          string
	WorkspaceID string
	Name        string
	Renames     int // how often it was renamed: the version of its name
	Archived    bool
	Profiles    map[string]bool // the admitted profiles, by id
}

// EvolveProject folds one event into the state. It cannot fail: the event happened.
func EvolveProject(p Project, e Event) Project {
	switch e := e.(type) {
	case ProjectCreated:
		p.ID, p.WorkspaceID, p.Name = e.ProjectID, e.WorkspaceID, e.Name
	case ProfileAdmitted:
		p.Profiles = with(p.Profiles, e.ProfileID, true)
	case ProfileRemoved:
		p.Profiles = withoutKey(p.Profiles, e.ProfileID)
	case ProjectRenamed:
		p.Name, p.Renames = e.Name, p.Renames+1
	case ProjectArchived:
		p.Archived = true
	}
	return p
}
