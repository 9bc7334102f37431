package commands

import (
	"errors"
	"testing"

	"github.com/proofload/proofload/domain"
)

// What this process took away is not given back when the log stops answering, also when nobody asked in between.
func TestWhatWasTakenAwayStaysAway(t *testing.T) {
	c, stop := open(t, t.TempDir())
	w, ctx := populate(t, c), t.Context()
	one := must(c.IssueToken(ctx, IssueToken{Meta: w.meta("one"), MemberID: w.MemberID, Name: "x"}))(t)
	late := must(c.CreateMember(ctx, CreateMember{Meta: w.meta("late"), Name: "late"}))(t).ID
	all := must(c.IssueToken(ctx, IssueToken{Meta: w.meta("all"), MemberID: late, Name: "x"}))(t)
	grant := func(key, role string) {
		t.Helper()
		must(c.GrantMember(ctx, GrantMember{Meta: w.meta(key), WorkspaceID: w.WorkspaceID, MemberID: late, Role: role}))(t)
	}
	grant("grant", domain.RoleOwner)
	second := must(c.CreateWorkspace(ctx, CreateWorkspace{Meta: w.meta("second"), Name: "Second"}))(t).ID
	must(c.GrantMember(ctx, GrantMember{Meta: w.meta("grant 2"), WorkspaceID: second, MemberID: late, Role: domain.RoleOwner}))(t)
	for _, text := range []string{one.Text, all.Text} {
		must(c.Known().Authenticate(ctx, text))(t)
	}
	for _, id := range []string{w.WorkspaceID, second} {
		must(c.Known().Role(ctx, id, late))(t)
	}
	grant("less", domain.RoleViewer) // asks who there is; the others below do not
	must(c.RevokeMember(ctx, RevokeMember{Meta: w.meta("out"), WorkspaceID: second, MemberID: late}))(t)
	must(c.RevokeToken(ctx, RevokeToken{Meta: w.meta("revoke"), TokenID: one.ID}))(t)
	must(c.RevokeTokens(ctx, RevokeTokens{Meta: w.meta("revoke all"), MemberID: late}))(t)
	stop()
	for name, text := range map[string]string{"a token": one.Text, "all tokens of a member": all.Text} {
		if m, err := c.Known().Authenticate(ctx, text); !errors.Is(err, domain.ErrUnauthenticated) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	if role, err := c.Known().Role(ctx, second, late); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("a role that was taken away: %q, %v", role, err)
	}
	if role, err := c.Known().Role(ctx, w.WorkspaceID, late); err != nil || role != domain.RoleViewer {
		t.Errorf("a role that was changed: %q, %v", role, err)
	}
}

// A revocation whose outcome was unknown is found when it is sent again: from then on it counts too.
func TestARevocationThatIsFound(t *testing.T) {
	c, stop := open(t, t.TempDir())
	w, ctx := populate(t, c), t.Context()
	token := must(c.IssueToken(ctx, IssueToken{Meta: w.meta("one"), MemberID: w.MemberID, Name: "x"}))(t)
	other := New(c.store.Store, c.now) // appends what c does not know of
	must(c.Known().Authenticate(ctx, token.Text))(t)
	revoke := RevokeToken{Meta: w.meta("revoke"), TokenID: token.ID}
	must(other.RevokeToken(ctx, revoke))(t)
	must(c.RevokeToken(ctx, revoke))(t)
	stop()
	if m, err := c.Known().Authenticate(ctx, token.Text); !errors.Is(err, domain.ErrUnauthenticated) {
		t.Errorf("%+v, %v", m, err)
	}
}

// Readers are answered from memory until the log says anything to anybody, and not a moment longer.
func TestTheOutageEndsWithTheFirstAnswer(t *testing.T) {
	for name, answer := range map[string]func(w world) error{
		"a reading": func(w world) error { return second(w.Workspace(t.Context(), w.WorkspaceID)) },
		"a commit": func(w world) error {
			return second(w.CreateWorkspace(t.Context(), CreateWorkspace{Meta: w.meta("another"), Name: "Another"}))
		},
		"the end of the log": func(w world) error { return second(w.LogEnd(t.Context())) },
		"that there is none": func(w world) error {
			err := second(w.Workspace(t.Context(), "aaaaaaaaaaaaaaaaaaaaaaaaaa"))
			if errors.Is(err, domain.ErrNotFound) {
				return nil
			}
			return err
		},
	} {
		w := newWorld(t)
		ctx := t.Context()
		token := must(w.IssueToken(ctx, IssueToken{Meta: w.meta("one"), MemberID: w.MemberID, Name: "x"}))(t)
		must(w.Known().Authenticate(ctx, token.Text))(t)
		w.store.heard.silentSince(w.store.heard.count()) // a reader was not answered
		must(New(w.store.Store, w.now).RevokeToken(ctx, RevokeToken{Meta: w.meta("revoke"), TokenID: token.ID}))(t)
		if _, err := w.Known().Authenticate(ctx, token.Text); err != nil {
			t.Errorf("%s: the log is asked before it answered: %v", name, err)
		}
		if err := answer(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if m, err := w.Known().Authenticate(ctx, token.Text); !errors.Is(err, domain.ErrUnauthenticated) {
			t.Errorf("%s: afterwards: %+v, %v", name, m, err)
		}
	}
}

// A reader that was given up says nothing about a log that has answered another since.
func TestAnAnswerSinceIsNoOutage(t *testing.T) {
	h := &heard{}
	before := h.count()
	h.answered()
	h.silentSince(before)
	if h.silent() {
		t.Error("the log answered after the reader had asked, and is held for silent")
	}
	h.silentSince(h.count())
	if !h.silent() {
		t.Error("the log has not answered since the reader asked, and is not held for silent")
	}
}
