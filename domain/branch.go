package domain

// Kinds of a branch. A draft and a variant differ in the word only (spec 1).
const (
	BranchMain    = "main"
	BranchDraft   = "draft"
	BranchVariant = "variant"
)

// Branch is the state of a model branch. The zero value is a branch at version 0, the empty model: the branch
// main is there with its project, before anything is saved.
type Branch struct {
	ProjectID string
	Kind      string // draft or variant; empty: main
	Name      string // empty: main
	Version   int    // the newest
	Blob      string // its document; empty at version 0
}

// EvolveBranch folds one event into the state. It cannot fail: the event happened.
func EvolveBranch(b Branch, e Event) Branch {
	switch e := e.(type) {
	case BranchOpened:
		b.ProjectID, b.Kind, b.Name = e.ProjectID, e.Kind, e.Name
	case ModelSaved:
		b.ProjectID, b.Version, b.Blob = e.ProjectID, e.Version, e.Blob
	}
	return b
}
