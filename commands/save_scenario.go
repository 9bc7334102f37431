package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// SaveScenario creates a scenario or saves its next version.
type SaveScenario struct {
	Meta
	ProjectID  string
	ScenarioID string // empty: create one
	Base       int    // the version that it was made on; 0: create
	Document   domain.Scenario
	Raw        []byte // the document in canonical form
}

// SaveScenario saves the next version; a document that is the current version already appends nothing.
func (c *Commands) SaveScenario(ctx context.Context, cmd SaveScenario) (Answer, error) {
	cmd.Meta = cmd.identified()
	create := cmd.ScenarioID == ""
	if create {
		cmd.ScenarioID = newID(cmd.CommandID, domain.AggregateScenario)
	}
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if !validID(cmd.ScenarioID) {
		return Answer{}, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, domain.ErrNotFound)
	}
	blob, err := c.putBlob(ctx, cmd.Raw)
	if err != nil {
		return Answer{}, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, err)
	}
	d, err := handle(ctx, c, cmd.Meta, scenario(at.workspace, cmd.ScenarioID), writable(at, func(s domain.ScenarioState) ([]domain.Event, error) {
		return decideSaveScenario(s, cmd, create, blob)
	}))
	if err != nil {
		return Answer{}, err
	}
	return Answer{ID: cmd.ScenarioID, Version: d.state.Version, Position: d.position}, nil
}

func decideSaveScenario(s domain.ScenarioState, cmd SaveScenario, create bool, blob string) ([]domain.Event, error) {
	switch {
	case !create && !s.In(cmd.ProjectID):
		return nil, fmt.Errorf("scenario %s: %w", cmd.ScenarioID, domain.ErrNotFound)
	case s.Version != cmd.Base:
		return nil, staleError("scenario "+cmd.ScenarioID, s.Version, domain.ScenarioSaved{})
	case s.Blob == blob:
		return nil, nil
	}
	return []domain.Event{domain.ScenarioSaved{
		ProjectID: cmd.ProjectID, ScenarioID: cmd.ScenarioID, Version: s.Version + 1, Name: cmd.Document.Name, Blob: blob,
	}}, nil
}
