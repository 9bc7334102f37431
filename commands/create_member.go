package commands

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

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
	if !domain.IsName(name) || !domain.HidesNothing(name) || strings.TrimSpace(name) != name {
		return nil, invalid(domain.CodeInvalidMember, "/name",
			fmt.Sprintf("a name is one line of 1 to %d characters that can be seen, without space around it", domain.MaxNameChars))
	}
	for m := range membersCalled(i, name) {
		return nil, domain.Conflict("another member has the name %q", m.Name)
	}
	return []domain.Event{domain.MemberCreated{MemberID: id, Name: name}}, nil
}

// sameName says of other names whether they are written as this one but for their case and for what Unicode takes for
// another way to write the same character, such as an é of two code points (UAX 15, NFKC).
func sameName(name string) func(string) bool {
	plain := norm.NFKC.String(name)
	return func(other string) bool { return strings.EqualFold(norm.NFKC.String(other), plain) }
}

// SameName says whether two names are compared as one.
func SameName(a, b string) bool { return sameName(a)(b) }

// membersCalled are the members whose names are the same as a name.
func membersCalled(i domain.Instance, name string) iter.Seq[domain.Member] {
	return func(yield func(domain.Member) bool) {
		same := sameName(name)
		for _, m := range i.Members.All() {
			if same(m.Name) && !yield(m) {
				return
			}
		}
	}
}

// FindMember finds a member by its name as names are compared, which is how they are unique: whatever their case and their
// form in Unicode. The name as it stands goes first; one that is the same as those of two members is nobody's.
func FindMember(i domain.Instance, name string) (domain.Member, bool) {
	if m, ok := i.MemberNamed(name); ok {
		return m, true
	}
	found := slices.Collect(membersCalled(i, name))
	if len(found) != 1 {
		return domain.Member{}, false
	}
	return found[0], true
}
