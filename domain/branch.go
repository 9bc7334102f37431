package domain

// Branch is the state of a model branch. The zero value is a branch at version 0, the empty model: the branch
// main is there with its project, before anything is saved.
type Branch struct {
	ProjectID string
	Version   int    // the newest
	Blob      string // its document; empty at version 0
}

// EvolveBranch folds one event into the state. It cannot fail: the event happened.
func EvolveBranch(b Branch, e Event) Branch {
	if e, ok := e.(ModelSaved); ok {
		b.ProjectID, b.Version, b.Blob = e.ProjectID, e.Version, e.Blob
	}
	return b
}
