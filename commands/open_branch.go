package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// emptyModel is the document of a model at version 0, in canonical form.
const emptyModel = `{"bindings":[],"channels":[],"elements":[],"operations":[],"subscriptions":[]}`

// OpenBranch opens a draft or a variant of a project's model.
type OpenBranch struct {
	Meta
	ProjectID string
	Kind      string // draft or variant
	Name      string // one line of at most 200 characters
}

// OpenBranch opens a branch whose version 1 is what main is now. Later versions of main never reach it.
func (c *Commands) OpenBranch(ctx context.Context, cmd OpenBranch) (Answer, error) {
	cmd.Meta = cmd.identified()
	id := newID(cmd.CommandID, domain.AggregateBranch)
	at, err := c.placeOf(ctx, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	main, err := c.branchState(ctx, at.workspace, cmd.ProjectID)
	if err != nil {
		return Answer{}, err
	}
	if main.Version == 0 {
		if main.Blob, err = c.putBlob(ctx, []byte(emptyModel)); err != nil {
			return Answer{}, fmt.Errorf("branch of %s: %w", cmd.ProjectID, err)
		}
	}
	d, err := handle(ctx, c, cmd.Meta, branch(at.workspace, id), writable(at, func(b domain.Branch) ([]domain.Event, error) {
		return decideOpenBranch(b, main, id, cmd)
	}))
	return Answer{ID: id, Version: d.state.Version, Position: d.position}, err
}

func decideOpenBranch(b, main domain.Branch, id string, cmd OpenBranch) ([]domain.Event, error) {
	switch {
	case b.Version > 0:
		return nil, domain.Conflict("branch %s exists", id)
	case cmd.Kind != domain.BranchDraft && cmd.Kind != domain.BranchVariant:
		return nil, invalid(domain.CodeInvalidBranch, "/kind", "a branch is a draft or a variant")
	case !domain.IsName(cmd.Name):
		return nil, nameError(domain.CodeInvalidBranch)
	}
	return []domain.Event{
		domain.BranchOpened{ProjectID: cmd.ProjectID, BranchID: id, Kind: cmd.Kind, Name: cmd.Name, MainVersion: main.Version},
		domain.ModelSaved{ProjectID: cmd.ProjectID, BranchID: id, Version: 1, Blob: main.Blob},
	}, nil
}
