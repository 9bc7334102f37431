package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// SaveObjectives saves the next version of the objectives of a scenario.
type SaveObjectives struct {
	Meta
	ProjectID  string
	ScenarioID string
	Base       int    // the version of the objectives that was changed; 0: none were saved
	Raw        []byte // the document in canonical form
}

// SaveObjectives saves the next version; a document that is the current version already appends nothing. The version
// of the scenario stays.
func (c *Commands) SaveObjectives(ctx context.Context, cmd SaveObjectives) (Answer, error) {
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if !validID(cmd.ScenarioID) {
		return Answer{}, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, domain.ErrNotFound)
	}
	blob, err := c.putBlob(ctx, cmd.Raw)
	if err != nil {
		return Answer{}, fmt.Errorf("objectives of %s: %w", cmd.ScenarioID, err)
	}
	d, err := handle(ctx, c, cmd.identified(), scenario(at.workspace, cmd.ScenarioID), writable(at, func(s domain.ScenarioState) ([]domain.Event, error) {
		return decideSaveObjectives(s, cmd, blob)
	}))
	return Answer{ID: cmd.ScenarioID, Version: d.state.ObjectivesVersion, Position: d.position}, err
}

func decideSaveObjectives(s domain.ScenarioState, cmd SaveObjectives, blob string) ([]domain.Event, error) {
	saved := domain.ObjectivesSaved{
		ProjectID: cmd.ProjectID, ScenarioID: cmd.ScenarioID, Version: s.ObjectivesVersion + 1, Blob: blob,
	}
	switch {
	case !s.In(cmd.ProjectID):
		return nil, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, domain.ErrNotFound)
	case s.ObjectivesVersion != cmd.Base:
		return nil, staleError("objectives of scenario "+cmd.ScenarioID, s.ObjectivesVersion, saved)
	case s.ObjectivesBlob == blob:
		return nil, nil
	}
	return []domain.Event{saved}, nil
}
