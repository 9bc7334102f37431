package commands

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/proofload/proofload/domain"
)

// tokenPrefix lets people and scanners of secrets see what a token is for.
const tokenPrefix = "pl_"

// IssueToken gives a member a bearer token.
type IssueToken struct {
	Meta
	MemberID  string
	Name      string    // what it is for; may be empty
	ExpiresAt time.Time // zero: never
}

// IssuedToken is a new token. Its text is given once: a command that is sent again is answered without it.
type IssuedToken struct {
	Answer
	Text string
}

// IssueToken makes a token of 256 random bits, of which the SHA-256 is stored.
func (c *Commands) IssueToken(ctx context.Context, cmd IssueToken) (IssuedToken, error) {
	cmd.Meta = cmd.identified()
	return c.issue(ctx, cmd, newToken(), decideIssueToken)
}

// issue decides on a token with this text.
func (c *Commands) issue(ctx context.Context, cmd IssueToken, text string, decide decideToken) (IssuedToken, error) {
	event := tokenIssued(cmd, text)
	d, err := handle(ctx, c, cmd.Meta, instance(), func(i domain.Instance) ([]domain.Event, error) {
		return decide(i, event, c.now())
	})
	if err != nil {
		return IssuedToken{}, err
	}
	made := IssuedToken{Answer: Answer{ID: event.TokenID, Position: d.position}, Text: text}
	if d.state.Tokens[event.Hash].ID != event.TokenID { // the command was done before, with another text
		made.Text = ""
	}
	return made, nil
}

type decideToken func(i domain.Instance, t domain.TokenIssued, now time.Time) ([]domain.Event, error)

func decideIssueToken(i domain.Instance, t domain.TokenIssued, now time.Time) ([]domain.Event, error) {
	switch {
	case i.Members[t.MemberID].ID == "":
		return nil, fmt.Errorf("member %s: %w", t.MemberID, domain.ErrNotFound)
	case t.Name != "" && !isName(t.Name):
		return nil, nameError(domain.CodeInvalidToken)
	case t.ExpiresAt != nil && *t.ExpiresAt <= now.UnixMilli():
		return nil, invalid(domain.CodeInvalidToken, "/expiresAt", "a token expires in the future, or never")
	}
	return []domain.Event{t}, nil
}

func tokenIssued(cmd IssueToken, text string) domain.TokenIssued {
	t := domain.TokenIssued{TokenID: newID(cmd.CommandID, "token"), MemberID: cmd.MemberID, Name: cmd.Name, Hash: hashOf(text)}
	if !cmd.ExpiresAt.IsZero() {
		t.ExpiresAt = new(cmd.ExpiresAt.UnixMilli())
	}
	return t
}

func newToken() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails: crypto/rand ends the process instead
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(bits[:])
}
