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

// RevokeTokens ends all tokens of a member.
type RevokeTokens struct {
	Meta
	MemberID string
}

// RevokeTokens ends them in one commit: none of them opens anything from then on, nor issues another.
func (c *Commands) RevokeTokens(ctx context.Context, cmd RevokeTokens) (Answer, error) {
	d, err := handle(ctx, c, cmd.identified(), instance(), func(i domain.Instance) ([]domain.Event, error) {
		return decideRevokeTokens(i, cmd.MemberID)
	})
	return Answer{ID: cmd.MemberID, Position: d.position}, err
}

func decideRevokeTokens(i domain.Instance, memberID string) ([]domain.Event, error) {
	if _, known := i.Members.Get(memberID); !known {
		return nil, fmt.Errorf("member %s: %w", memberID, domain.ErrNotFound)
	}
	var events []domain.Event
	for _, t := range i.TokensOf(memberID) {
		events = append(events, domain.TokenRevoked{TokenID: t.ID})
	}
	return events, nil
}
