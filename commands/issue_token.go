package commands

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/proofload/proofload/domain"
)

// lastYear is the last one that a time in JSON can have (RFC 3339).
const lastYear = 9999

// tokenPrefix lets people and scanners of secrets see what a token is for.
const tokenPrefix = "pl_"

// IssueToken gives a member a bearer token.
type IssueToken struct {
	Meta
	MemberID  string
	Name      string     // what it is for; may be empty
	ExpiresAt *time.Time // nil: never
}

// IssuedToken is a new token. Its text is given once: a command that is sent again is answered without it.
type IssuedToken struct {
	Answer
	Text string
}

// IssueToken makes a token of 256 random bits, of which the SHA-256 is stored. A member has at most domain.MaxTokens that
// open something. Those that have expired are revoked in the same commit, so that they do not pile up.
func (c *Commands) IssueToken(ctx context.Context, cmd IssueToken) (IssuedToken, error) {
	cmd.Meta = cmd.identified()
	return c.issue(ctx, cmd, newToken(), decideOneMoreToken)
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
	if t, _ := d.state.Tokens.Get(event.Hash); t.ID != event.TokenID { // the command was done before, with another text
		made.Text = ""
	}
	return made, nil
}

type decideToken func(i domain.Instance, t domain.TokenIssued, now time.Time) ([]domain.Event, error)

// ownNames are the names by which the server knows its own tokens again: it revokes them at the end of a session, or
// when it makes another.
var ownNames = []string{domain.SessionToken, FolderToken, OperatorToken}

// decideOneMoreToken refuses what is over the bound, and the names of the server's own tokens. What a start of the server issues (its folder's token, log-in links,
// the operator's token) is not bounded, or the bound could lock everybody out.
func decideOneMoreToken(i domain.Instance, t domain.TokenIssued, now time.Time) ([]domain.Event, error) {
	if slices.Contains(ownNames, t.Name) {
		return nil, invalid(domain.CodeInvalidToken, "/name", fmt.Sprintf("%q is a name that only the server gives to tokens; choose another", t.Name))
	}
	valid := 0
	for _, own := range i.TokensOf(t.MemberID) {
		if own.Valid(now) {
			valid++
		}
	}
	if valid >= domain.MaxTokens {
		return nil, domain.Conflict("the member has %d tokens that open something, the most there can be: revoke some that nobody uses "+
			"(proofload token list, proofload token revoke, or DELETE /api/tokens/{tokenId}), and let the next ones expire", valid)
	}
	return decideIssueToken(i, t, now)
}

func decideIssueToken(i domain.Instance, t domain.TokenIssued, now time.Time) ([]domain.Event, error) {
	_, known := i.Members.Get(t.MemberID)
	switch {
	case !known:
		return nil, fmt.Errorf("member %s: %w", t.MemberID, domain.ErrNotFound)
	case t.Name != "" && !domain.IsName(t.Name):
		return nil, nameError(domain.CodeInvalidToken)
	case t.ExpiresAt != nil && *t.ExpiresAt <= now.UnixMilli():
		return nil, invalid(domain.CodeInvalidToken, "/expiresAt", "a token expires in the future, or never")
	case t.ExpiresAt != nil && time.UnixMilli(*t.ExpiresAt).UTC().Year() > lastYear:
		return nil, invalid(domain.CodeInvalidToken, "/expiresAt", fmt.Sprintf("a token expires before the end of the year %d in UTC, or never", lastYear))
	}
	var events []domain.Event
	for _, own := range i.TokensOf(t.MemberID) {
		if !own.Valid(now) {
			events = append(events, domain.TokenRevoked{TokenID: own.ID})
		}
	}
	return append(events, t), nil
}

func tokenIssued(cmd IssueToken, text string) domain.TokenIssued {
	t := domain.TokenIssued{TokenID: newID(cmd.CommandID, "token"), MemberID: cmd.MemberID, Name: cmd.Name, Hash: hashOf(text)}
	if cmd.ExpiresAt != nil {
		t.ExpiresAt = new(cmd.ExpiresAt.UnixMilli())
	}
	return t
}

func newToken() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails: crypto/rand ends the process instead
	return tokenPrefix + base64.RawURLEncoding.EncodeToString(bits[:])
}
