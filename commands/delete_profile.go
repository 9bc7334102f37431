package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// DeleteProfile deletes a profile and, with it, its runs.
type DeleteProfile struct {
	Meta
	ProjectID string
	ProfileID string
}

// DeleteProfile takes the profile from its project, deletes it and cancels its runs that are in flight. A process that
// dies in between leaves a profile that nobody sees; a worker cancels what it takes up of a deleted one.
func (c *Commands) DeleteProfile(ctx context.Context, cmd DeleteProfile) (Answer, error) {
	cmd.Meta = cmd.identified()
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if !validID(cmd.ProfileID) {
		return Answer{}, fmt.Errorf("profile %s: %w", cmd.ProfileID, domain.ErrNotFound)
	}
	ctx, cancel := finishing(ctx)
	defer cancel()
	if _, err := handle(ctx, c, cmd.Meta, project(at.workspace, cmd.ProjectID), func(p domain.Project) ([]domain.Event, error) {
		return decideRemoveProfile(p, cmd.ProfileID)
	}); err != nil {
		return Answer{}, err
	}
	d, err := handle(ctx, c, cmd.Meta, profile(at.workspace, cmd.ProfileID), func(p domain.ProfileState) ([]domain.Event, error) {
		return decideDeleteProfile(p, cmd), nil
	})
	if err != nil {
		return Answer{}, err
	}
	return Answer{ID: cmd.ProfileID, Position: d.position}, c.cancelRunsOf(ctx, at.workspace, cmd)
}

func decideRemoveProfile(p domain.Project, profileID string) ([]domain.Event, error) {
	switch {
	case p.Archived:
		return nil, archivedError(p.ID)
	case !p.Profiles[profileID]:
		return nil, fmt.Errorf("profile %s: %w", profileID, domain.ErrNotFound)
	}
	return []domain.Event{domain.ProfileRemoved{ProfileID: profileID}}, nil
}

func decideDeleteProfile(p domain.ProfileState, cmd DeleteProfile) []domain.Event {
	if p.Deleted {
		return nil
	}
	return []domain.Event{domain.ProfileDeleted{ProjectID: cmd.ProjectID, ProfileID: cmd.ProfileID}}
}

// cancelRunsOf cancels the runs of a profile that its workspace has admitted and not released.
func (c *Commands) cancelRunsOf(ctx context.Context, ws string, cmd DeleteProfile) error {
	admitted, err := stateOf(ctx, c, admission(ws))
	if err != nil {
		return err
	}
	for _, a := range admitted.Open {
		r, err := stateOf(ctx, c, run(ws, a.RunID))
		if err != nil {
			return err
		}
		if r.Pins.ProfileID != cmd.ProfileID || r.Ended() {
			continue
		}
		err = c.EndRun(ctx, ws, a.RunID, domain.RunCancelled{RunID: a.RunID, Reason: domain.CancelProfileDeleted}, cmd.caused())
		if err != nil && !errors.Is(err, domain.ErrRunEnded) {
			return err
		}
	}
	return nil
}

// ProfileDeleted says whether the profile of a run was deleted.
func (c *Commands) ProfileDeleted(ctx context.Context, pins domain.RunRequested) (bool, error) {
	last, err := c.store.Last(ctx, profile(pins.WorkspaceID, pins.ProfileID).Aggregate)
	if errors.Is(err, eventstore.ErrNoAggregate) {
		return false, nil
	}
	return slices.ContainsFunc(last.Events, func(e eventstore.Event) bool {
		return e.Name == domain.ProfileDeleted{}.EventName()
	}), err
}
