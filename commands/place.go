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

// placeOf reads the last commit of a project: its subject has the workspace, and ProjectArchived is the last event
// of a project that has one.
func (c *Commands) placeOf(ctx context.Context, projectID string) (place, error) {
	if !validID(projectID) {
		return place{}, fmt.Errorf("project %s: %w", projectID, domain.ErrNotFound)
	}
	last, err := c.store.FindLast(ctx, domain.AggregateProject, projectID)
	if errors.Is(err, eventstore.ErrNoAggregate) {
		return place{}, fmt.Errorf("project %s: %w", projectID, domain.ErrNotFound)
	}
	if err != nil {
		return place{}, fmt.Errorf("project %s: %w", projectID, err)
	}
	archived := slices.ContainsFunc(last.Events, func(e eventstore.Event) bool {
		return e.Name == domain.ProjectArchived{}.EventName()
	})
	return place{last.Aggregate.Workspace, projectID, archived}, nil
}

// WorkspaceOf is the workspace of a project; ErrNotFound when there is no such project.
func (c *Commands) WorkspaceOf(ctx context.Context, projectID string) (string, error) {
	at, err := c.placeOf(ctx, projectID)
	return at.workspace, err
}

// rememberedWorkspaceOf is the workspace of a project, which never changes, without asking each time. It is for
// commands that are decided on the project itself or load it, and so find out that it is no longer there.
func (c *Commands) rememberedWorkspaceOf(ctx context.Context, projectID string) (string, error) {
	if known, ok := c.memory.workspaces.Load(projectID); ok {
		return known.(string), nil
	}
	ws, err := c.WorkspaceOf(ctx, projectID)
	if err == nil {
		c.memory.workspaces.Store(projectID, ws)
	}
	return ws, err
}

// projectOf is the state of a project and where it is, in one read once its workspace is known.
func (c *Commands) projectOf(ctx context.Context, projectID string) (place, domain.Project, error) {
	ws, err := c.rememberedWorkspaceOf(ctx, projectID)
	if err != nil {
		return place{}, domain.Project{}, err
	}
	p, err := load(ctx, c, project(ws, projectID), "")
	if err == nil && p.state.ID == "" {
		err = fmt.Errorf("project %s: %w", projectID, domain.ErrNotFound)
	}
	return place{ws, projectID, p.state.Archived}, p.state, err
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
