package projections

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// Member is a person or a program with a name in the instance.
type Member struct {
	ID            string `db:"id"`
	Name          string `db:"name"`
	Administrator bool   `db:"administrator"`
}

func applyMembers(b *batch, f fact) error {
	switch e := f.event.(type) {
	case domain.MemberCreated:
		return b.exec(`INSERT INTO members (id, name, administrator) VALUES (?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, administrator = excluded.administrator`,
			e.MemberID, e.Name, e.Administrator)
	case domain.TokenIssued:
		return issueToken(b, f, e)
	case domain.TokenRevoked:
		return b.exec(`DELETE FROM tokens WHERE id = ?`, e.TokenID)
	}
	return nil
}

// Member by id.
func (d *DB) Member(ctx context.Context, id string) (Member, error) {
	m, err := get[Member](ctx, d, `SELECT id, name, administrator FROM members WHERE id = ?`, id)
	return m, named(err, "member", id)
}
