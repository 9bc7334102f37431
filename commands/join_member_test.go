package commands

import (
	"errors"
	"testing"

	"github.com/proofload/proofload/domain"
)

func (w world) join(key, name, role string) JoinMember {
	m := w.meta(key)
	m.BodyHash = name + role
	return JoinMember{Meta: m, WorkspaceID: w.WorkspaceID, Name: name, Role: role}
}

func (w world) role(t testing.TB, name string) string {
	t.Helper()
	m, known := must(w.Instance(t.Context()))(t).MemberNamed(name)
	if !known {
		return "no member"
	}
	return must(w.Workspace(t.Context(), w.WorkspaceID))(t).Roles[m.ID]
}

func TestJoinMember(t *testing.T) {
	w := newWorld(t)
	must(w.CreateMember(t.Context(), CreateMember{Meta: w.meta("alice"), Name: "alice"}))(t)
	for _, name := range []string{"alice", "zed"} {
		cmd := w.join(name+" joins", name, "viewer")
		first := must(w.JoinMember(t.Context(), cmd))(t)
		before := w.last(t)
		if again := must(w.beside().JoinMember(t.Context(), cmd))(t); again != first || w.last(t) != before || w.role(t, name) != "viewer" {
			t.Errorf("%s: %+v, again %+v, %d commits, role %s", name, first, again, w.last(t)-before, w.role(t, name))
		}
	}
}

// What is refused makes no member, and takes no key.
func TestARefusedJoinMakesNoMember(t *testing.T) {
	w := newWorld(t)
	alice := must(w.JoinMember(t.Context(), w.join("mk", "alice", "viewer")))(t)
	w.mismatch(t, "the key for a new member", func() error { _, err := w.JoinMember(t.Context(), w.join("mk", "zed", "viewer")); return err })

	noWorkspace := w.join("w", "zed", "viewer")
	noWorkspace.WorkspaceID = newID("no", "workspace")
	badWorkspace := w.join("w", "zed", "viewer")
	badWorkspace.WorkspaceID = "*"
	var invalid *domain.InvalidError
	for _, tt := range []struct {
		what string
		cmd  JoinMember
		is   func(error) bool
	}{
		{"a workspace that does not exist", noWorkspace, func(err error) bool { return errors.Is(err, domain.ErrNotFound) }},
		{"a workspace that cannot be", badWorkspace, func(err error) bool { return errors.Is(err, domain.ErrNotFound) }},
		{"no role", w.join("r", "zed", "chief"), func(err error) bool { return errors.As(err, &invalid) }},
		{"no name", w.join("e", " zed", "viewer"), func(err error) bool { return errors.As(err, &invalid) }},
		{"a role already", w.join("o", "alice", "owner"), func(err error) bool { return errors.Is(err, domain.ErrConflict) }},
	} {
		before := w.last(t)
		if _, err := w.JoinMember(t.Context(), tt.cmd); !tt.is(err) || w.last(t) != before {
			t.Errorf("%s: %v, %d commits", tt.what, err, w.last(t)-before)
		}
	}
	if got := w.role(t, "zed"); got != "no member" {
		t.Errorf("zed is a member with the role %q", got)
	}
	if alice.ID == "" || w.role(t, "alice") != "viewer" {
		t.Errorf("alice: %+v, %s", alice, w.role(t, "alice"))
	}
}

// One key at once for a member that exists and for a new one: only what wins has an effect.
func TestAJoinThatLosesMakesNoMember(t *testing.T) {
	w := newWorld(t)
	for _, round := range []string{"a", "b", "c", "d", "e", "f"} {
		old, fresh := "old "+round, "new "+round
		must(w.CreateMember(t.Context(), CreateMember{Meta: w.meta(old), Name: old}))(t)
		names := []string{old, fresh}
		errs := together(10, func(i int) error {
			_, err := w.beside().JoinMember(t.Context(), w.join(round, names[i%2], "viewer"))
			return err
		})
		for i, err := range errs {
			if err != nil && !errors.Is(err, domain.ErrIdempotencyMismatch) {
				t.Errorf("%s: %v", names[i%2], err)
			}
		}
		if errs[0] == nil && w.role(t, fresh) != "no member" || errs[1] == nil && w.role(t, old) != "" || (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("%s has the role %q (%v), %s %q (%v)", old, w.role(t, old), errs[0], fresh, w.role(t, fresh), errs[1])
		}
	}
}

// A role that a member has already is granted for good: sent again after it was taken away, it does not come back.
func TestARoleThatChangedNothingKeepsItsKey(t *testing.T) {
	w := newWorld(t)
	id := must(w.JoinMember(t.Context(), w.join("join", "alice", "editor")))(t).ID
	grant := func(key, role string) error {
		_, err := w.GrantMember(t.Context(), GrantMember{Meta: w.meta(key), WorkspaceID: w.WorkspaceID, MemberID: id, Role: role})
		return err
	}
	for _, step := range []struct{ key, role string }{{"same", "editor"}, {"lower", "viewer"}, {"same", "editor"}} {
		if err := grant(step.key, step.role); err != nil {
			t.Errorf("%s: %v", step.key, err)
		}
	}
	if got := w.role(t, "alice"); got != "viewer" {
		t.Errorf("the role is %s", got)
	}
}
