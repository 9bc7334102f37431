package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// SaveModel saves the next version of a model branch.
type SaveModel struct {
	Meta
	ProjectID string
	BranchID  string // empty: main
	Base      int    // the version that it was made on; 0: the empty model that is there with the project
	Document  domain.Model
	Raw       []byte // the document in canonical form
}

// SaveModel saves the next version; a document that is the current version already appends nothing.
func (c *Commands) SaveModel(ctx context.Context, cmd SaveModel) (Answer, error) {
	cmd.Meta = cmd.identified()
	cmd.BranchID = branchOf(cmd.ProjectID, cmd.BranchID)
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if !validID(cmd.BranchID) {
		return Answer{}, fmt.Errorf("branch %s: %w", cmd.BranchID, domain.ErrNotFound)
	}
	blob, err := c.putBlob(ctx, cmd.Raw)
	if err != nil {
		return Answer{}, fmt.Errorf("model of %s: %w", cmd.ProjectID, err)
	}
	d, err := handle(ctx, c, cmd.Meta, branch(at.workspace, cmd.BranchID), writable(at, func(b domain.Branch) ([]domain.Event, error) {
		return decideSaveModel(b, cmd, blob)
	}))
	if err != nil {
		return Answer{}, err
	}
	return Answer{ID: cmd.BranchID, Version: d.state.Version, Position: d.position}, nil
}

func decideSaveModel(b domain.Branch, cmd SaveModel, blob string) ([]domain.Event, error) {
	switch {
	case !branchIn(b, cmd.ProjectID, cmd.BranchID):
		return nil, fmt.Errorf("branch %s: %w", cmd.BranchID, domain.ErrNotFound)
	case b.Version != cmd.Base:
		return nil, staleError("model "+cmd.BranchID, b.Version, domain.ModelSaved{})
	case b.Blob == blob, b.Version == 0 && isEmpty(cmd.Document):
		return nil, nil
	}
	return []domain.Event{domain.ModelSaved{
		ProjectID: cmd.ProjectID, BranchID: cmd.BranchID, Version: b.Version + 1, Blob: blob,
	}}, nil
}

// branchOf gives the id of a branch: main has its project's.
func branchOf(projectID, branchID string) string {
	if branchID == "" {
		return projectID
	}
	return branchID
}

// branchIn says whether a branch exists in a project: main does, saved or not.
func branchIn(b domain.Branch, projectID, branchID string) bool {
	if b.Version == 0 {
		return branchID == projectID
	}
	return b.ProjectID == projectID
}

func isEmpty(m domain.Model) bool {
	return len(m.Elements)+len(m.Operations)+len(m.Channels)+len(m.Bindings)+len(m.Subscriptions) == 0
}
