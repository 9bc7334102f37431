package commands

import (
	"context"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// RevokeToken ends a token.
type RevokeToken struct {
	Meta
	TokenID string
	// Owner is the member whose token it must be, another's is not found; empty: anybody's.
	Owner string
}

// RevokeToken ends a token: it opens nothing from its commit on.
func (c *Commands) RevokeToken(ctx context.Context, cmd RevokeToken) (Answer, error) {
	d, err := handle(ctx, c, cmd.identified(), instance(), func(i domain.Instance) ([]domain.Event, error) {
		return decideRevokeToken(i, cmd)
	})
	return Answer{ID: cmd.TokenID, Position: d.position}, err
}

func decideRevokeToken(i domain.Instance, cmd RevokeToken) ([]domain.Event, error) {
	t, ok := i.Token(cmd.TokenID)
	if !ok || cmd.Owner != "" && t.MemberID != cmd.Owner {
		return nil, fmt.Errorf("token %s: %w", cmd.TokenID, domain.ErrNotFound)
	}
	return []domain.Event{domain.TokenRevoked{TokenID: cmd.TokenID}}, nil
}
