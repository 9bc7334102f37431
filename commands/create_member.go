package commands

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/proofload/proofload/domain"
)

// CreateMember gives a person or a program a name in the instance. It has no role and no token yet.
type CreateMember struct {
	Meta
	Name string // one line of at most 200 characters, unique in the instance, whatever its case
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
	for _, m := range i.Members.All() {
		if strings.EqualFold(m.Name, name) {
			return nil, domain.Conflict("another member has the name %q", m.Name)
		}
	}
	return []domain.Event{domain.MemberCreated{MemberID: id, Name: name}}, nil
}

// isFormat says whether a character only changes how others are shown: with it, two names look the same.
func isFormat(r rune) bool { return unicode.Is(unicode.Cf, r) }
