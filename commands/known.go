package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proofload/proofload/domain"
)

// knownFor is how long after the store last answered a reader is let in by what it said then.
const knownFor = 5 * time.Minute

// Known says who has a token and which role, to those who only read. As long as the store answers it is as exact as
// Authenticate and Role. When it does not, what it last said counts for knownFor: the read models can be read meanwhile
// (ADR 22). What this process itself changed is in it, and no token or role can be changed through it in an outage.
type Known struct{ c *Commands }

// Known is for requests that change nothing.
func (c *Commands) Known() Known { return Known{c} }

// Authenticate gives the member who has a token, as Commands.Authenticate does.
func (k Known) Authenticate(ctx context.Context, token string) (domain.Member, error) {
	i, err := k.instance(ctx)
	if err != nil {
		return domain.Member{}, err
	}
	return memberWith(i, token, k.c.now())
}

// MemberNamed gives the member of a name, as Commands.MemberNamed does.
func (k Known) MemberNamed(ctx context.Context, name string) (domain.Member, error) {
	i, err := k.instance(ctx)
	if err != nil {
		return domain.Member{}, err
	}
	return memberNamed(i, name)
}

// Role is the role of a member in a workspace, as Commands.Role gives it.
func (k Known) Role(ctx context.Context, workspaceID, memberID string) (string, error) {
	w, err := orKnown(k.c, k.c.access.workspace(workspaceID), func() (domain.Workspace, error) { return k.c.Workspace(ctx, workspaceID) })
	if err != nil {
		return "", err
	}
	return roleIn(w, workspaceID, memberID)
}

func (k Known) instance(ctx context.Context) (domain.Instance, error) {
	return orKnown(k.c, &k.c.access.instance, func() (domain.Instance, error) { return k.c.Instance(ctx) })
}

// orKnown reads, or gives what was read before when the store does not answer. A store that was just found silent is not
// asked: each who asks waits until it is given up.
func orKnown[S any](c *Commands, r *remembered[S], read func() (S, error)) (S, error) {
	err := fmt.Errorf("not asked again so soon: %w", domain.ErrUnavailable)
	if h := c.store.heard; !h.silent() {
		before := h.count()
		var state S
		if state, err = read(); !errors.Is(err, domain.ErrUnavailable) {
			return state, err
		}
		h.silentSince(before)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tail.Seq == 0 || c.now().Sub(r.confirmed) > knownFor {
		var none S
		return none, err
	}
	return r.state, nil
}
