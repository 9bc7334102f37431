package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// ChangeSimulationSettings changes what a new profile of a workspace starts with.
type ChangeSimulationSettings struct {
	Meta
	WorkspaceID string
	Base        int // the version that was changed; 0: nobody changed them before
	Settings    domain.SimulationSettings
}

// ChangeSimulationSettings saves the settings; those that hold already append nothing.
func (c *Commands) ChangeSimulationSettings(ctx context.Context, cmd ChangeSimulationSettings) (Answer, error) {
	return c.changeWorkspace(ctx, cmd.identified(), cmd.WorkspaceID, cmd.WorkspaceID, func(w domain.Workspace) ([]domain.Event, error) {
		return decideChangeSimulationSettings(w, cmd)
	})
}

func decideChangeSimulationSettings(w domain.Workspace, cmd ChangeSimulationSettings) ([]domain.Event, error) {
	changed := domain.SimulationSettingsChanged{SimulationSettings: cmd.Settings}
	if issues := domain.CheckSimulationSettings(cmd.Settings); len(issues) > 0 {
		return nil, &domain.InvalidError{Issues: issues}
	}
	switch {
	case w.SimulationVersion != cmd.Base:
		return nil, staleError("settings of "+w.ID, w.SimulationVersion, changed)
	case w.Settings() == cmd.Settings:
		return nil, nil
	}
	return []domain.Event{changed}, nil
}
