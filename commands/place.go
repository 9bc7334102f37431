package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// place is where a project is, and whether it takes writes.
type place struct {
	workspace, projectID string
	archived             bool
}

// placeOf reads the last commit of a project: ProjectArchived is the last event of a project that has one.
func (c *Commands) placeOf(ctx context.Context, projectID string) (place, error) {
	ws, err := c.home(ctx, projectID)
	if err != nil {
		return place{}, err
	}
	last, err := c.store.Last(ctx, project(ws, projectID).Aggregate)
	if err != nil {
		return place{}, projectError(projectID, err)
	}
	archived := slices.ContainsFunc(last.Events, func(e eventstore.Event) bool {
		return e.Name == domain.ProjectArchived{}.EventName()
	})
	return place{ws, projectID, archived}, nil
}

func projectError(projectID string, err error) error {
	if errors.Is(err, eventstore.ErrNoAggregate) {
		err = domain.ErrNotFound
	}
	return fmt.Errorf("project %s: %w", projectID, err)
}

// WorkspaceOf is the workspace of a project; ErrNotFound when there is no such project.
func (c *Commands) WorkspaceOf(ctx context.Context, projectID string) (string, error) {
	at, err := c.placeOf(ctx, projectID)
	return at.workspace, err
}

// home is the workspace in which a project was created, whatever stands in the log after that. It never changes, and is
// asked for once: who uses it reads the project itself, and so finds out that it is no longer there.
func (c *Commands) home(ctx context.Context, projectID string) (string, error) {
	if known, ok := c.memory.workspaces.Load(projectID); ok {
		return known.(string), nil
	}
	if !validID(projectID) {
		return "", fmt.Errorf("project %s: %w", projectID, domain.ErrNotFound)
	}
	first, err := c.store.FindFirst(ctx, domain.AggregateProject, projectID)
	if err != nil {
		return "", projectError(projectID, err)
	}
	c.memory.workspaces.Store(projectID, first.Aggregate.Workspace)
	return first.Aggregate.Workspace, nil
}

// projectAndScenario is the state of a project and where it is, and that of a scenario in its workspace, which is zero for an
// id that cannot be one: one read once the workspace is known.
func (c *Commands) projectAndScenario(ctx context.Context, projectID, scenarioID string) (place, domain.Project, domain.ScenarioState, error) {
	ws, err := c.home(ctx, projectID)
	if err != nil {
		return place{}, domain.Project{}, domain.ScenarioState{}, err
	}
	var p domain.Project
	var s domain.ScenarioState
	if validID(scenarioID) {
		p, s, err = loadBoth(ctx, c, project(ws, projectID), scenario(ws, scenarioID))
	} else {
		p, err = stateOf(ctx, c, project(ws, projectID))
	}
	if err == nil && p.ID == "" {
		err = fmt.Errorf("project %s: %w", projectID, domain.ErrNotFound)
	}
	return place{ws, projectID, p.Archived}, p, s, err
}

// writable lets a decision on something below a project be made only while the project is not archived. A command
// that was done before is answered all the same.
func writable[S any](at place, decide func(S) ([]domain.Event, error)) func(S) ([]domain.Event, error) {
	return func(state S) ([]domain.Event, error) {
		if at.archived {
			return nil, archivedError(at.projectID)
		}
		return decide(state)
	}
}

func archivedError(projectID string) error {
	return domain.Conflict("project %s is archived and takes no writes and no runs", projectID)
}
