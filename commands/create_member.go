package commands

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/proofload/proofload/domain"
)

// CreateMember gives a person or a program a name in the instance. It has no role and no token yet.
type CreateMember struct {
	Meta
	Name string // one line of at most 200 characters, unique in the instance, whatever its case and its form in Unicode
}

// CreateMember makes a member.
func (c *Commands) CreateMember(ctx context.Context, cmd CreateMember) (Answer, error) {
	cmd.Meta = cmd.identified()
	id := newID(cmd.CommandID, "member")
	d, err := handle(ctx, c, cmd.Meta, instance(), func(i domain.Instance) ([]domain.Event, error) {
		return decideCreateMember(i, id, cmd.Name)
	})
	return Answer{ID: id, Position: d.position}, err
}

func decideCreateMember(i domain.Instance, id, name string) ([]domain.Event, error) {
	if !isName(name) || strings.TrimSpace(name) != name || strings.ContainsFunc(name, isFormat) {
		return nil, invalid(domain.CodeInvalidMember, "/name",
			fmt.Sprintf("a name is one line of 1 to %d characters that can be seen, without space around it", maxName))
	}
	same := sameName(name)
	for _, m := range i.Members.All() {
		if same(m.Name) {
			return nil, domain.Conflict("another member has the name %q", m.Name)
		}
	}
	return []domain.Event{domain.MemberCreated{MemberID: id, Name: name}}, nil
}

// sameName says of other names whether they are written as this one but for their case and for what Unicode takes for
// another way to write the same character, such as an é of two code points (UAX 15, NFKC).
func sameName(name string) func(string) bool {
	plain := norm.NFKC.String(name)
	return func(other string) bool { return strings.EqualFold(norm.NFKC.String(other), plain) }
}

// isFormat says whether a character only changes how others are shown: with it, two names look the same.
func isFormat(r rune) bool { return unicode.Is(unicode.Cf, r) }
