package projections

import (
	"context"
	"time"

	"github.com/proofload/proofload/domain"
)

// Token is a token of a member that is not revoked; it may have expired.
type Token struct {
	ID        string `db:"id"`
	MemberID  string `db:"member_id"`
	Name      string `db:"name"`
	Seq       int64  `db:"seq"`
	IssuedAt  Time   `db:"issued_at"`
	IssuedBy  string `db:"issued_by"`
	ExpiresAt *Time  `db:"expires_at"` // nil: never
}

// Cursor orders tokens by their issue.
func (t Token) Cursor() int64 { return t.Seq }

func issueToken(b *batch, f fact, e domain.TokenIssued) error {
	var expires *Time
	if e.ExpiresAt != nil {
		expires = &Time{time.UnixMilli(*e.ExpiresAt)}
	}
	return b.exec(`INSERT INTO tokens (id, member_id, name, seq, issued_at, issued_by, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, e.TokenID, e.MemberID, e.Name, f.seq, f.at, f.member, expires)
}

// Tokens of a member, the oldest first.
func (d *DB) Tokens(ctx context.Context, memberID string, page Page) (Items[Token], error) {
	rows, err := list[Token](ctx, d, `SELECT id, member_id, name, seq, issued_at, issued_by, expires_at FROM tokens
		WHERE member_id = ? AND seq > ? ORDER BY seq LIMIT ?`, memberID, page.After, page.Limit+1)
	return cut(rows, page.Limit), err
}
