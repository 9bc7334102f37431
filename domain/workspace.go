package domain

// Roles of a member in a workspace, from the least to the most.
const (
	RoleViewer = "viewer"
	RoleEditor = "editor"
	RoleOwner  = "owner"
)

// Workspace is the state of a workspace aggregate. The zero value: it does not exist.
type Workspace struct {
	ID    string
	Name  string
	Roles map[string]string // role by member id
}

// EvolveWorkspace folds one event into the state. It cannot fail: the event happened.
func EvolveWorkspace(w Workspace, e Event) Workspace {
	switch e := e.(type) {
	case WorkspaceCreated:
		w.ID, w.Name = e.WorkspaceID, e.Name
	case MemberGranted:
		w.Roles = with(w.Roles, e.MemberID, e.Role)
	}
	return w
}
