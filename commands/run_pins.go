package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// pinned is what the aggregates that a run reads say at the time of its request.
type pinned struct {
	project  domain.Project
	profile  domain.ProfileState
	branch   domain.Branch
	scenario domain.ScenarioState
}

// pins reads what a run is to be pinned to.
func (c *Commands) pins(ctx context.Context, ws, runID string, cmd RequestRun) (domain.RunRequested, error) {
	p, err := c.readPinned(ctx, ws, cmd)
	if err != nil {
		return domain.RunRequested{}, err
	}
	return decidePins(p, ws, runID, cmd)
}

func (c *Commands) readPinned(ctx context.Context, ws string, cmd RequestRun) (pinned, error) {
	owner, err := load(ctx, c, project(ws, cmd.ProjectID), "")
	if err != nil {
		return pinned{}, err
	}
	p := pinned{project: owner.state}
	if p.profile, err = c.profileState(ctx, ws, cmd.ProfileID); err != nil || !p.profile.In(cmd.ProjectID) {
		return p, err
	}
	if p.branch, err = c.branchState(ctx, ws, cmd.BranchID); err != nil {
		return p, err
	}
	p.scenario, err = c.scenarioState(ctx, ws, p.profile.ScenarioID)
	return p, err
}

func decidePins(p pinned, ws, runID string, cmd RequestRun) (domain.RunRequested, error) {
	switch {
	case p.project.Archived:
		return domain.RunRequested{}, archivedError(cmd.ProjectID)
	case !p.profile.In(cmd.ProjectID), !p.project.Profiles[cmd.ProfileID]:
		return domain.RunRequested{}, fmt.Errorf("profile %s: %w", cmd.ProfileID, domain.ErrNotFound)
	case !branchIn(p.branch, cmd.ProjectID, cmd.BranchID):
		return domain.RunRequested{}, fmt.Errorf("branch %s: %w", cmd.BranchID, domain.ErrNotFound)
	}
	r := domain.RunRequested{
		RunID: runID, WorkspaceID: ws, ProjectID: cmd.ProjectID,
		ProfileID: cmd.ProfileID, ProfileVersion: p.profile.Version, ProfileBlob: p.profile.Blob,
		BranchID: cmd.BranchID, ModelVersion: p.branch.Version, ModelBlob: p.branch.Blob,
		ScenarioID: p.profile.ScenarioID, Seed: p.profile.Seed, EngineVersion: domain.EngineVersion, Doubts: []domain.Doubt{},
	}
	if p.scenario.In(cmd.ProjectID) {
		r.ScenarioVersion, r.ScenarioBlob = &p.scenario.Version, p.scenario.Blob
	}
	return r, nil
}

// The states below are zero for an id that cannot be one.

func (c *Commands) profileState(ctx context.Context, ws, id string) (domain.ProfileState, error) {
	return stateOf(ctx, c, profile(ws, id))
}

func (c *Commands) branchState(ctx context.Context, ws, id string) (domain.Branch, error) {
	return stateOf(ctx, c, branch(ws, id))
}

func (c *Commands) scenarioState(ctx context.Context, ws, id string) (domain.ScenarioState, error) {
	return stateOf(ctx, c, scenario(ws, id))
}

func stateOf[S any](ctx context.Context, c *Commands, t target[S]) (S, error) {
	if !validID(t.ID) {
		var none S
		return none, nil
	}
	was, err := load(ctx, c, t, "")
	return was.state, err
}
