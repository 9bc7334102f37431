package domain

import "slices"

// Roles of a member in a workspace, from the least to the most.
const (
	RoleViewer = "viewer"
	RoleEditor = "editor"
	RoleOwner  = "owner"
)

var roles = []string{RoleViewer, RoleEditor, RoleOwner}

// IsRole says whether a text names a role.
func IsRole(role string) bool { return slices.Contains(roles, role) }

// RoleAllows says whether a role is at least the one that is needed. The empty role allows nothing.
func RoleAllows(role, needed string) bool {
	return IsRole(role) && slices.Index(roles, role) >= slices.Index(roles, needed)
}

// Workspace is the state of a workspace aggregate. The zero value: it does not exist.
type Workspace struct {
	ID         string
	Name       string
	Roles      map[string]string  // role by member id
	Simulation SimulationSettings // as they were saved; see Settings
	// SimulationVersion counts the saves of the settings. 0: they are DefaultSimulationSettings.
	SimulationVersion int
}

// Owners is how many owners the workspace has.
func (w Workspace) Owners() int {
	var n int
	for _, role := range w.Roles {
		if role == RoleOwner {
			n++
		}
	}
	return n
}

// Settings are the simulation settings that hold.
func (w Workspace) Settings() SimulationSettings {
	if w.SimulationVersion == 0 {
		return DefaultSimulationSettings
	}
	return w.Simulation
}

// EvolveWorkspace folds one event into the state. It cannot fail: the event happened.
func EvolveWorkspace(w Workspace, e Event) Workspace {
	switch e := e.(type) {
	case WorkspaceCreated:
		w.ID, w.Name = e.WorkspaceID, e.Name
	case MemberGranted:
		w.Roles = with(w.Roles, e.MemberID, e.Role)
	case MemberRevoked:
		w.Roles = withoutKey(w.Roles, e.MemberID)
	case SimulationSettingsChanged:
		w.Simulation, w.SimulationVersion = e.SimulationSettings, w.SimulationVersion+1
	}
	return w
}
