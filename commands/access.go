package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// access is what every request asks for: who has a token, and which role. It is read from the stream, so that a
// token that was revoked opens nothing from then on, on every node, whatever the read models show.
type access struct {
	instance   remembered[domain.Instance]
	mu         sync.Mutex
	workspaces map[string]*remembered[domain.Workspace] // those that exist
}

// remembered is the state of one aggregate at its last commit that was read. Each use reads the aggregate's last
// commit; only what came since is read again. It saves reading, never asking: it is not older than the stream.
type remembered[S any] struct {
	mu        sync.Mutex
	tail      eventstore.Tail
	state     S
	confirmed time.Time // when the stream was last asked
}

// at is the state and the tail that it was read at.
func (r *remembered[S]) at() (S, eventstore.Tail) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state, r.tail
}

// read is the state at the end of the aggregate.
func (r *remembered[S]) read(ctx context.Context, c *Commands, t target[S]) (S, error) {
	known, tail := r.at()
	last, newer, err := c.store.LastAfter(ctx, t.Aggregate, tail)
	if errors.Is(err, eventstore.ErrNoAggregate) {
		var none S
		return none, nil
	}
	if err == nil && newer {
		known, err = r.follow(ctx, c, t, tail, last.Seq)
	}
	if err != nil {
		var none S
		return none, fmt.Errorf("%s %s: %w", t.Type, t.ID, err)
	}
	r.confirm(c.now())
	return known, nil
}

func (r *remembered[S]) confirm(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.confirmed = now
}

// take goes on to a state that a command read or made, unless the one that is remembered is newer: what this process
// took away must not count again when the stream cannot be asked.
func (r *remembered[S]) take(state S, tail eventstore.Tail, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if tail.Seq > r.tail.Seq {
		r.state, r.tail, r.confirmed = state, tail, now
	}
}

// follow folds the commits up to the end, once for all that wait for it. An end that is not behind the tail that was
// seen is of another stream, such as a backup that was restored: then it starts anew.
func (r *remembered[S]) follow(ctx context.Context, c *Commands, t target[S], seen eventstore.Tail, end uint64) (S, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state, tail := r.state, r.tail
	if tail == seen && end <= seen.Seq {
		var none S
		state, tail = none, eventstore.Tail{}
	}
	records, err := c.store.LoadAfter(ctx, t.Aggregate, tail)
	if err != nil {
		return state, err
	}
	for _, record := range records {
		events, err := decode(record)
		if err != nil {
			return state, err
		}
		state, tail = fold(t, state, events), record.Tail()
	}
	r.state, r.tail = state, tail
	return state, nil
}

// Instance is the instance as it stands: its members, tokens and policy. Nothing in it may be changed.
func (c *Commands) Instance(ctx context.Context) (domain.Instance, error) {
	return c.access.instance.read(ctx, c, instance())
}

// Workspace is a workspace as it stands: its name, roles and settings; ErrNotFound when there is none.
func (c *Commands) Workspace(ctx context.Context, id string) (domain.Workspace, error) {
	if !validID(id) {
		return domain.Workspace{}, fmt.Errorf("workspace %s: %w", id, domain.ErrNotFound)
	}
	known := c.access.workspace(id)
	w, err := known.read(ctx, c, workspace(id))
	if err != nil {
		return domain.Workspace{}, err
	}
	if w.ID == "" {
		return domain.Workspace{}, fmt.Errorf("workspace %s: %w", id, domain.ErrNotFound)
	}
	c.access.keep(id, known)
	return w, nil
}

// workspace is what is remembered of a workspace, or a new memory.
func (a *access) workspace(id string) *remembered[domain.Workspace] {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.workspaces[id]; known != nil {
		return known
	}
	return &remembered[domain.Workspace]{}
}

// keep remembers a workspace that was found. Ids from outside that name none leave nothing behind.
func (a *access) keep(id string, w *remembered[domain.Workspace]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.workspaces == nil {
		a.workspaces = map[string]*remembered[domain.Workspace]{}
	}
	if a.workspaces[id] == nil {
		a.workspaces[id] = w
	}
}

// take remembers the state of an aggregate that a command has read or appended to, where access depends on it.
func (a *access) take(state any, tail eventstore.Tail, now time.Time) {
	switch s := state.(type) {
	case domain.Instance:
		a.instance.take(s, tail, now)
	case domain.Workspace:
		a.keep(s.ID, &remembered[domain.Workspace]{})
		a.workspace(s.ID).take(s, tail, now)
	}
}

// Authenticate gives the member who has a token. ErrUnauthenticated: nobody has it, or it has expired.
func (c *Commands) Authenticate(ctx context.Context, token string) (domain.Member, error) {
	i, err := c.Instance(ctx)
	if err != nil {
		return domain.Member{}, err
	}
	return memberWith(i, token, c.now())
}

func memberWith(i domain.Instance, token string, now time.Time) (domain.Member, error) {
	t, ok := i.Tokens.Get(hashOf(token))
	if !ok || !t.Valid(now) {
		return domain.Member{}, domain.ErrUnauthenticated
	}
	m, _ := i.Members.Get(t.MemberID)
	return m, nil
}

// MemberNamed gives the member of a name; ErrUnauthenticated when there is none.
func (c *Commands) MemberNamed(ctx context.Context, name string) (domain.Member, error) {
	i, err := c.Instance(ctx)
	if err != nil {
		return domain.Member{}, err
	}
	return memberNamed(i, name)
}

func memberNamed(i domain.Instance, name string) (domain.Member, error) {
	m, ok := FindMember(i, name)
	if !ok {
		return domain.Member{}, domain.ErrUnauthenticated
	}
	return m, nil
}

// Role is the role of a member in a workspace. Without one it is ErrNotFound: who has none does not learn whether
// the workspace exists.
func (c *Commands) Role(ctx context.Context, workspaceID, memberID string) (string, error) {
	w, err := c.Workspace(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	return roleIn(w, workspaceID, memberID)
}

func roleIn(w domain.Workspace, workspaceID, memberID string) (string, error) {
	role, ok := w.Roles[memberID]
	if !ok {
		return "", fmt.Errorf("workspace %s: %w", workspaceID, domain.ErrNotFound)
	}
	return role, nil
}

// hashOf is what is stored of a token.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
