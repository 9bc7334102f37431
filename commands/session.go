package commands

import (
	"context"
	"time"

	"github.com/proofload/proofload/domain"
)

// SessionTime is how long a browser stays logged in.
const SessionTime = 7 * 24 * time.Hour

// OpenSession issues a token for the browser of a member.
func (c *Commands) OpenSession(ctx context.Context, m Meta, memberID string) (IssuedToken, error) {
	cmd := IssueToken{Meta: m.identified(), MemberID: memberID, Name: domain.SessionToken, ExpiresAt: new(c.now().Add(SessionTime))}
	return c.issue(ctx, cmd, newToken(), decideIssueToken)
}

// TokenOf gives the token of a text; ErrUnauthenticated when there is none, or it has expired.
func (c *Commands) TokenOf(ctx context.Context, text string) (domain.Token, error) {
	i, err := c.Instance(ctx)
	if err != nil {
		return domain.Token{}, err
	}
	t, ok := i.Tokens.Get(hashOf(text))
	if !ok || !t.Valid(c.now()) {
		return domain.Token{}, domain.ErrUnauthenticated
	}
	return t, nil
}
