package commands

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// beside is another process on the same store.
func (w world) beside() *Commands { return New(w.store.Store, func() time.Time { return noon }) }

func (w world) member(t testing.TB, name string) string {
	t.Helper()
	return must(w.CreateMember(t.Context(), CreateMember{Meta: w.meta("member " + name), Name: name}))(t).ID
}

func (w world) token(t testing.TB, key, memberID string) IssuedToken {
	t.Helper()
	return must(w.IssueToken(t.Context(), IssueToken{Meta: w.meta(key), MemberID: memberID, Name: key}))(t)
}

// A token opens at once and is closed at once, on this node and on another that has used it before.
func TestTokensOpenAndCloseAtOnce(t *testing.T) {
	w := newWorld(t)
	ctx, other := t.Context(), w.beside()
	bob := w.member(t, "bob")
	issued := w.token(t, "laptop", bob)
	for _, c := range []*Commands{w.Commands, other} {
		for range 2 {
			if m, err := c.Authenticate(ctx, issued.Text); err != nil || m.ID != bob || m.Name != "bob" {
				t.Errorf("the token is %v's, %v", m, err)
			}
		}
	}
	must(w.RevokeToken(ctx, RevokeToken{Meta: w.meta("revoke"), TokenID: issued.ID, Owner: bob}))(t)
	for _, c := range []*Commands{w.Commands, other} {
		if _, err := c.Authenticate(ctx, issued.Text); !errors.Is(err, domain.ErrUnauthenticated) {
			t.Errorf("a revoked token gives %v", err)
		}
	}
	for _, text := range []string{"", "pl_", issued.Text + "x", hashOf(issued.Text)} {
		if _, err := w.Authenticate(ctx, text); !errors.Is(err, domain.ErrUnauthenticated) {
			t.Errorf("token %q gives %v", text, err)
		}
	}
}

func TestATokenIsShownOnceAndStoredAsItsHash(t *testing.T) {
	w := newWorld(t)
	first, second := w.token(t, "ci", w.MemberID), w.token(t, "ci", w.MemberID)
	if len(first.Text) != len(tokenPrefix)+43 || second.Text != "" || second.Answer != first.Answer {
		t.Errorf("first %+v, sent again %+v", first, second)
	}
	if other := w.token(t, "other", w.MemberID); other.Text == first.Text {
		t.Error("two tokens are the same")
	}
	stored := must(w.Instance(t.Context()))(t).Tokens
	if token, ok := stored.Get(hashOf(first.Text)); !ok || token.ID != first.ID || stored.Len() != 2 {
		t.Errorf("stored %v", stored)
	}
}

func TestATokenExpires(t *testing.T) {
	w := newWorld(t)
	cmd := IssueToken{Meta: w.meta("ci"), MemberID: w.MemberID, ExpiresAt: new(noon.Add(time.Hour))}
	issued := must(w.IssueToken(t.Context(), cmd))(t)
	for _, tt := range []struct {
		after time.Duration
		want  error
	}{{time.Hour - time.Millisecond, nil}, {time.Hour, domain.ErrUnauthenticated}} {
		c := New(w.store.Store, func() time.Time { return noon.Add(tt.after) })
		if _, err := c.Authenticate(t.Context(), issued.Text); !errors.Is(err, tt.want) {
			t.Errorf("after %s: %v", tt.after, err)
		}
	}
}

// Thousands of tokens of many members stand beside each other; each member has its bound.
func TestThousandsOfTokens(t *testing.T) {
	w := newWorld(t)
	var texts []string
	for m := range 10 {
		member := w.member(t, fmt.Sprint("member ", m))
		for i := range domain.MaxTokens {
			texts = append(texts, w.token(t, fmt.Sprint(m, " ", i), member).Text)
		}
		_, err := w.IssueToken(t.Context(), IssueToken{Meta: w.meta(fmt.Sprint(m, " over")), MemberID: member})
		if !errors.Is(err, domain.ErrConflict) || !strings.Contains(err.Error(), "200 tokens") || !strings.Contains(err.Error(), "token revoke") {
			t.Errorf("one token more: %v", err)
		}
		if _, err := w.OpenSession(t.Context(), w.meta(fmt.Sprint(m, " session")), member); err != nil {
			t.Errorf("a log-in link: %v", err)
		}
	}
	for _, c := range []*Commands{w.Commands, w.beside()} {
		for i, text := range texts {
			if m, err := c.Authenticate(t.Context(), text); err != nil || m.Name != fmt.Sprint("member ", i/domain.MaxTokens) {
				t.Fatalf("token %d is %v's, %v", i, m, err)
			}
		}
	}
}

// Roles are those of the stream, on a node that has asked before too. Who has none does not learn whether the
// workspace exists.
func TestRolesChangeAtOnce(t *testing.T) {
	w := newWorld(t)
	ctx, other, bob := t.Context(), w.beside(), w.member(t, "bob")
	want := func(role string, err error) {
		t.Helper()
		for _, c := range []*Commands{w.Commands, other} {
			got, gotErr := c.Role(ctx, w.WorkspaceID, bob)
			if got != role || !errors.Is(gotErr, err) {
				t.Errorf("the role is %q, %v, want %q, %v", got, gotErr, role, err)
			}
		}
	}
	want("", domain.ErrNotFound)
	for i, role := range []string{"viewer", "editor", "owner"} {
		must(w.GrantMember(ctx, GrantMember{Meta: w.meta(fmt.Sprint("grant", i)), WorkspaceID: w.WorkspaceID, MemberID: bob, Role: role}))(t)
		want(role, nil)
	}
	must(w.RevokeMember(ctx, RevokeMember{Meta: w.meta("revoke"), WorkspaceID: w.WorkspaceID, MemberID: bob}))(t)
	want("", domain.ErrNotFound)
	if _, err := w.RevokeMember(ctx, RevokeMember{Meta: w.meta("last"), WorkspaceID: w.WorkspaceID, MemberID: w.MemberID}); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("the last owner is gone: %v", err)
	}
	for _, id := range []string{"", "*", "a.b", newID("no", "workspace")} {
		if _, err := w.Role(ctx, id, w.MemberID); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("workspace %q: %v", id, err)
		}
	}
	if n := len(w.access.workspaces); n != 1 {
		t.Errorf("%d workspaces are remembered", n)
	}
}

func TestMemberNames(t *testing.T) {
	w := newWorld(t)
	bob := w.member(t, "bob")
	if _, err := w.CreateMember(t.Context(), CreateMember{Meta: w.meta("second"), Name: "bob"}); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("a second bob: %v", err)
	}
	if m, err := w.MemberNamed(t.Context(), "bob"); err != nil || m.ID != bob || m.Administrator {
		t.Errorf("bob is %v, %v", m, err)
	}
	if _, err := w.MemberNamed(t.Context(), "eve"); !errors.Is(err, domain.ErrUnauthenticated) {
		t.Errorf("eve: %v", err)
	}
	cmd := CreateWorkspace{Meta: w.meta("team"), Name: "Team"}
	cmd.Member = bob
	team := must(w.CreateWorkspace(t.Context(), cmd))(t).ID
	if role, err := w.Role(t.Context(), team, bob); role != domain.RoleOwner || err != nil {
		t.Errorf("who opens a workspace is its %q, %v", role, err)
	}
	if _, err := w.Role(t.Context(), team, w.MemberID); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the administrator sees another's workspace: %v", err)
	}
}

// A hundred requests at once read each commit once, and all see the end.
func TestWhatIsRememberedIsNeverOld(t *testing.T) {
	w := newWorld(t)
	other := w.beside()
	for round := range 5 {
		issued := w.token(t, fmt.Sprint("token", round), w.MemberID)
		for i, err := range together(20, func(int) error {
			_, err := other.Authenticate(t.Context(), issued.Text)
			return err
		}) {
			if err != nil {
				t.Errorf("round %d, request %d: %v", round, i, err)
			}
		}
	}
	// A tail that this stream never had is that of a stream which an older backup replaced: everything is read anew.
	other.access.instance.tail = eventstore.Tail{Seq: 1 << 40, Hash: "other"}
	other.access.instance.state = domain.Instance{}
	if i, err := other.Instance(t.Context()); err != nil || i.Tokens.Len() != 5 {
		t.Errorf("after a restore: %v, %v", i, err)
	}
}

// A start issues a token when its file is missing; whatever was issued for the file before is closed.
func TestFirstToken(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	has := func(want bool) {
		t.Helper()
		if got := must(w.AdministratorHasToken(ctx))(t); got != want {
			t.Errorf("the administrator has a token: %t", got)
		}
	}
	has(false)
	w.token(t, "bob's", w.member(t, "bob"))
	has(false)
	lost := must(w.FirstToken(ctx, w.MemberID))(t) // the process dies before it writes the file
	next := must(w.FirstToken(ctx, w.MemberID))(t)
	has(true)
	if _, err := w.Authenticate(ctx, lost.Text); !errors.Is(err, domain.ErrUnauthenticated) {
		t.Errorf("the lost token gives %v", err)
	}
	if m, err := w.Authenticate(ctx, next.Text); err != nil || !m.Administrator {
		t.Errorf("the next token gives %v, %v", m, err)
	}
}

func TestAdmitToken(t *testing.T) {
	w := newWorld(t)
	ctx, text := t.Context(), newToken()
	for _, c := range []*Commands{w.Commands, w.beside(), w.beside()} {
		if err := c.AdmitToken(ctx, w.MemberID, text); err != nil {
			t.Fatal(err)
		}
	}
	tokens := must(w.Instance(ctx))(t).TokensOf(w.MemberID)
	if m, err := w.Authenticate(ctx, text); err != nil || m.ID != w.MemberID || len(tokens) != 1 {
		t.Errorf("%v, %v, %d tokens", m, err, len(tokens))
	}
	must(w.RevokeToken(ctx, RevokeToken{Meta: w.meta("revoke"), TokenID: tokens[0].ID}))(t)
	if err := w.AdmitToken(ctx, w.MemberID, text); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(ctx, text); !errors.Is(err, domain.ErrUnauthenticated) {
		t.Errorf("a token that was revoked is back: %v", err)
	}
	for _, bad := range []string{"", "short", text[:42], text + " x", text + "é", text + "\n"} {
		if err := w.AdmitToken(ctx, w.MemberID, bad); fmt.Sprintf("%q", targets(err)) != `[""]` {
			t.Errorf("token %q: %v", bad, err)
		}
	}
}

// What a request costs before its handler: who has the token, and which role.
func BenchmarkAuthenticate(b *testing.B) {
	for _, tokens := range []int{1, 200} {
		b.Run(fmt.Sprint(tokens, " tokens"), func(b *testing.B) {
			w := newWorld(b)
			var last IssuedToken
			for i := range tokens {
				last = w.token(b, fmt.Sprint(i), w.MemberID)
			}
			b.ResetTimer()
			for b.Loop() {
				m, err := w.Authenticate(b.Context(), last.Text)
				if err != nil {
					b.Fatal(err)
				}
				ws, err := w.WorkspaceOf(b.Context(), w.projectID)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Role(b.Context(), ws, m.ID); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
