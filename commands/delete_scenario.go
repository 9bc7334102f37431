package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// DeleteScenario deletes a scenario. Profiles that name it stay; their runs are refused from now on.
type DeleteScenario struct {
	Meta
	ProjectID  string
	ScenarioID string
}

// DeleteScenario deletes for good.
func (c *Commands) DeleteScenario(ctx context.Context, cmd DeleteScenario) (Answer, error) {
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if !validID(cmd.ScenarioID) {
		return Answer{}, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, domain.ErrNotFound)
	}
	d, err := handle(ctx, c, cmd.identified(), scenario(at.workspace, cmd.ScenarioID), writable(at, func(s domain.ScenarioState) ([]domain.Event, error) {
		return decideDeleteScenario(s, cmd)
	}))
	return Answer{ID: cmd.ScenarioID, Position: d.position}, err
}

func decideDeleteScenario(s domain.ScenarioState, cmd DeleteScenario) ([]domain.Event, error) {
	if !s.In(cmd.ProjectID) {
		return nil, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, domain.ErrNotFound)
	}
	return []domain.Event{domain.ScenarioDeleted{ProjectID: cmd.ProjectID, ScenarioID: cmd.ScenarioID}}, nil
}
