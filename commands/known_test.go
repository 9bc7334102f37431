package commands

import (
	"errors"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// Who only reads is let in by what the log last said, for a while; who changes something is not.
func TestReadersAreKnownWhileTheLogIsGone(t *testing.T) {
	c, stop := open(t, t.TempDir())
	now := noon
	c.now = func() time.Time { return now }
	w, ctx := populate(t, c), t.Context()
	token := must(c.FirstToken(ctx, w.MemberID))(t).Text
	other := must(New(c.store.Store, c.now).CreateWorkspace(ctx, CreateWorkspace{Meta: w.meta("other"), Name: "Other"}))(t).ID
	revoked := must(c.IssueToken(ctx, IssueToken{Meta: w.meta("revoked"), MemberID: w.MemberID, Name: "x"}))(t)
	must(c.Known().Authenticate(ctx, revoked.Text))(t)
	must(c.RevokeToken(ctx, RevokeToken{Meta: w.meta("revoke"), TokenID: revoked.ID}))(t)
	if _, err := c.Known().Authenticate(ctx, revoked.Text); !errors.Is(err, domain.ErrUnauthenticated) {
		t.Errorf("a revoked token, while the log answers: %v", err)
	}
	must(c.Known().Role(ctx, w.WorkspaceID, w.MemberID))(t)
	stop()
	now = now.Add(knownFor)
	for range 2 { // the second does not even ask
		if m, err := c.Known().Authenticate(ctx, token); err != nil || m.ID != w.MemberID {
			t.Errorf("a reader: %+v, %v", m, err)
		}
	}
	if m, err := c.Known().MemberNamed(ctx, "admin"); err != nil || m.ID != w.MemberID {
		t.Errorf("a reader by name: %+v, %v", m, err)
	}
	if role, err := c.Known().Role(ctx, w.WorkspaceID, w.MemberID); err != nil || role != domain.RoleOwner {
		t.Errorf("a reader's role: %q, %v", role, err)
	}
	for what, err := range map[string]error{
		"no token":                      second(c.Known().Authenticate(ctx, "wrong")),
		"a token that had been revoked": second(c.Known().Authenticate(ctx, revoked.Text)),
		"no member":                     second(c.Known().MemberNamed(ctx, "nobody")),
	} {
		if !errors.Is(err, domain.ErrUnauthenticated) {
			t.Errorf("%s: %v", what, err)
		}
	}
	unavailable := map[string]error{
		"a writer":                          second(c.Authenticate(ctx, token)),
		"a writer's role":                   second(c.Role(ctx, w.WorkspaceID, w.MemberID)),
		"a workspace that nobody asked for": second(c.Known().Role(ctx, other, w.MemberID)),
	}
	now = now.Add(time.Second)
	unavailable["a reader, too late"] = second(c.Known().Authenticate(ctx, token))
	unavailable["a reader's role, too late"] = second(c.Known().Role(ctx, w.WorkspaceID, w.MemberID))
	for what, err := range unavailable {
		if !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[V any](_ V, err error) error { return err }
