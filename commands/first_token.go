package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/proofload/proofload/domain"
)

// Names of the administrator's tokens that are not issued over HTTP.
const (
	FolderToken   = "data folder"   // its text stands in the data folder
	OperatorToken = "operator file" // its text was made by the operator
)

// minTokenText is how many characters an operator's own token has at least: 256 bits in base64.
const minTokenText = 43

// FirstToken issues the token of the data folder to the administrator and revokes those that were issued for it
// before: nobody has the text of one whose file was never written or is gone. A start calls it when there is no file,
// so that a start that died between the commit and the file only costs another token.
func (c *Commands) FirstToken(ctx context.Context, memberID string) (IssuedToken, error) {
	m := Meta{CommandID: NewCommandID(), Member: memberID}
	return c.issue(ctx, IssueToken{Meta: m, MemberID: memberID, Name: FolderToken}, newToken(), decideFirstToken)
}

func decideFirstToken(i domain.Instance, t domain.TokenIssued, now time.Time) ([]domain.Event, error) {
	issued, err := decideIssueToken(i, t, now)
	if err != nil {
		return nil, err
	}
	var revoked []domain.Event
	for _, old := range i.TokensOf(t.MemberID) {
		if old.Name == t.Name {
			revoked = append(revoked, domain.TokenRevoked{TokenID: old.ID})
		}
	}
	return append(revoked, issued...), nil
}

// AdmitToken makes a text that the operator chose a token of the administrator. The same text is admitted once,
// however many nodes start with it; one that was revoked stays revoked.
func (c *Commands) AdmitToken(ctx context.Context, memberID, text string) error {
	if len(text) < minTokenText || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return invalid(domain.CodeInvalidToken, "", fmt.Sprintf("a token is one word of at least %d printable ASCII characters", minTokenText))
	}
	m := Meta{CommandID: CommandID(memberID, "admit-token", hashOf(text)), Member: memberID}
	_, err := c.issue(ctx, IssueToken{Meta: m, MemberID: memberID, Name: OperatorToken}, text, decideIssueToken)
	return err
}

// AdministratorHasToken says whether anybody can log in as an administrator.
func (c *Commands) AdministratorHasToken(ctx context.Context) (bool, error) {
	i, err := c.Instance(ctx)
	if err != nil {
		return false, err
	}
	for _, t := range i.Tokens.All() {
		if i.IsAdministrator(t.MemberID) && t.Valid(c.now()) {
			return true, nil
		}
	}
	return false, nil
}
