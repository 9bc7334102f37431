package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// SaveProfile creates a stress profile or saves its next version.
type SaveProfile struct {
	Meta
	ProjectID string
	ProfileID string // empty: create one
	Base      int    // the version that it was made on; 0: create
	Document  domain.Profile
	Raw       []byte // the document in canonical form
}

// profileFacts is what a save of a profile must know of other aggregates.
type profileFacts struct {
	create     bool
	visible    bool // its project admitted it
	full       bool // the project has no room for one more
	inScenario bool // the scenario that it names is in the project
}

// SaveProfile saves the next version; a document that is the current version already appends nothing.
//
// A new profile is saved first and visible once its project admitted it. A process that dies in between leaves
// an invisible profile, which the same command sent again completes.
func (c *Commands) SaveProfile(ctx context.Context, cmd SaveProfile) (Answer, error) {
	cmd.Meta = cmd.identified()
	create := cmd.ProfileID == ""
	if create {
		cmd.ProfileID = newID(cmd.CommandID, domain.AggregateProfile)
	}
	at, owner, scenario, err := c.projectAndScenario(ctx, cmd.ProjectID, cmd.Document.ScenarioID)
	if err != nil {
		return Answer{}, err
	}
	if create {
		var cancel context.CancelFunc
		ctx, cancel = finishing(ctx)
		defer cancel()
	}
	answer, err := c.saveProfileVersion(ctx, at, cmd, profileFacts{
		create:     create,
		visible:    owner.Profiles[cmd.ProfileID],
		full:       len(owner.Profiles) >= domain.MaxProfiles,
		inScenario: scenario.In(cmd.ProjectID),
	})
	if err != nil || !create {
		return answer, err
	}
	answer.Position, err = c.admitProfile(ctx, at.workspace, cmd)
	return answer, err
}

func (c *Commands) saveProfileVersion(ctx context.Context, at place, cmd SaveProfile, facts profileFacts) (Answer, error) {
	if !validID(cmd.ProfileID) {
		return Answer{}, fmt.Errorf("profile %s: %w", cmd.ProfileID, domain.ErrNotFound)
	}
	blob, err := c.putBlob(ctx, cmd.Raw)
	if err != nil {
		return Answer{}, fmt.Errorf("profile %s: %w", cmd.ProfileID, err)
	}
	d, err := handle(ctx, c, cmd.Meta, profile(at.workspace, cmd.ProfileID), writable(at, func(p domain.ProfileState) ([]domain.Event, error) {
		return decideSaveProfile(p, cmd, facts, blob)
	}))
	if err != nil {
		return Answer{}, err
	}
	return Answer{ID: cmd.ProfileID, Version: d.state.Version, Position: d.position}, nil
}

func decideSaveProfile(p domain.ProfileState, cmd SaveProfile, facts profileFacts, blob string) ([]domain.Event, error) {
	if !facts.create && !(facts.visible && p.In(cmd.ProjectID)) {
		return nil, fmt.Errorf("profile %s: %w", cmd.ProfileID, domain.ErrNotFound)
	}
	if p.Version != cmd.Base {
		return nil, staleError("profile "+cmd.ProfileID, p.Version, domain.ProfileSaved{})
	}
	if issues := profileIssues(cmd.Document, facts.inScenario); len(issues) > 0 {
		return nil, &domain.InvalidError{Issues: issues}
	}
	if facts.create && facts.full && !facts.visible {
		return nil, fullError(cmd.ProjectID)
	}
	if p.Blob == blob {
		return nil, nil
	}
	return []domain.Event{domain.ProfileSaved{
		ProjectID: cmd.ProjectID, ProfileID: cmd.ProfileID, Version: p.Version + 1,
		Name: cmd.Document.Name, ScenarioID: cmd.Document.ScenarioID, Seed: cmd.Document.Seed, Blob: blob,
	}}, nil
}

// admitProfile counts a new profile on its project and gives the position at which it is visible.
func (c *Commands) admitProfile(ctx context.Context, ws string, cmd SaveProfile) (uint64, error) {
	d, err := handle(ctx, c, cmd.Meta, project(ws, cmd.ProjectID), func(p domain.Project) ([]domain.Event, error) {
		return decideAdmitProfile(p, cmd.ProfileID)
	})
	return d.position, err
}

func decideAdmitProfile(p domain.Project, profileID string) ([]domain.Event, error) {
	switch {
	case p.Profiles[profileID]:
		return nil, nil
	case p.Archived:
		return nil, archivedError(p.ID)
	case len(p.Profiles) >= domain.MaxProfiles:
		return nil, fullError(p.ID)
	}
	return []domain.Event{domain.ProfileAdmitted{ProfileID: profileID}}, nil
}

func fullError(projectID string) error {
	return domain.Conflict("project %s has %d profiles, the most there can be: delete one (DELETE …/stress/profiles/{profileId})", projectID, domain.MaxProfiles)
}
