package domain

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Range of the instance policy maxConcurrentStressRuns, and what it is before anybody changes it (the page, Runs
// at the same time).
const (
	MinConcurrentRuns     = 1
	MaxConcurrentRuns     = 64
	DefaultConcurrentRuns = 4
)

// SessionToken is the name of a token that a browser got by a log-in link.
const SessionToken = "browser session"

// Instance is the state of the one instance aggregate.
type Instance struct {
	Members map[string]Member // by member id
	Tokens  map[string]Token  // those that are not revoked, by hash
	Policy  InstancePolicy    // as it was saved; see MaxRuns

	LinkUsed bool // an administrator's browser logged in by a link, once or more
}

// Member is a person or a program with a name in the instance.
type Member struct {
	ID            string
	Name          string
	Administrator bool
}

// Token is a bearer token of a member.
type Token struct {
	ID        string
	MemberID  string
	Name      string
	Hash      string    // SHA-256 of its text, lower-case hex
	ExpiresAt time.Time // UTC; zero: never
}

// Valid says whether the token still opens something at an instant.
func (t Token) Valid(now time.Time) bool { return t.ExpiresAt.IsZero() || now.Before(t.ExpiresAt) }

// InstancePolicy is what holds for every workspace. Version 0: nobody changed it.
type InstancePolicy struct {
	Version                 int
	MaxConcurrentStressRuns int
}

// MaxRuns is how many stress runs one process has at the same time, over all workspaces.
func (i Instance) MaxRuns() int {
	if i.Policy.Version == 0 {
		return DefaultConcurrentRuns
	}
	return i.Policy.MaxConcurrentStressRuns
}

// MemberNamed finds a member by name; names are unique in the instance.
func (i Instance) MemberNamed(name string) (Member, bool) {
	for _, m := range i.Members {
		if m.Name == name {
			return m, true
		}
	}
	return Member{}, false
}

// Token finds a token by its id.
func (i Instance) Token(id string) (Token, bool) {
	for _, t := range i.Tokens {
		if t.ID == id {
			return t, true
		}
	}
	return Token{}, false
}

// EvolveInstance folds one event into the state. It cannot fail: the event happened.
func EvolveInstance(i Instance, e Event) Instance {
	switch e := e.(type) {
	case MemberCreated:
		i.Members = with(i.Members, e.MemberID, Member{ID: e.MemberID, Name: e.Name, Administrator: e.Administrator})
	case TokenIssued:
		i.Tokens = with(i.Tokens, e.Hash, issued(e))
		i.LinkUsed = i.LinkUsed || e.Name == SessionToken && i.Members[e.MemberID].Administrator
	case TokenRevoked:
		if t, ok := i.Token(e.TokenID); ok {
			i.Tokens = withoutKey(i.Tokens, t.Hash)
		}
	case InstancePolicyChanged:
		i.Policy = InstancePolicy{Version: i.Policy.Version + 1, MaxConcurrentStressRuns: e.MaxConcurrentStressRuns}
	}
	return i
}

func issued(e TokenIssued) Token {
	t := Token{ID: e.TokenID, MemberID: e.MemberID, Name: e.Name, Hash: e.Hash}
	if e.ExpiresAt != nil {
		t.ExpiresAt = time.UnixMilli(*e.ExpiresAt).UTC()
	}
	return t
}

// with returns a copy of m in which key has the value: a fold never changes the state that it is given.
func with[V any](m map[string]V, key string, value V) map[string]V {
	next := make(map[string]V, len(m)+1)
	maps.Copy(next, m)
	next[key] = value
	return next
}

// withoutKey returns a copy of m that does not have the key.
func withoutKey[V any](m map[string]V, key string) map[string]V {
	next := maps.Clone(m)
	delete(next, key)
	return next
}

// TokensOf are the tokens of a member, by id.
func (i Instance) TokensOf(memberID string) []Token {
	var all []Token
	for _, t := range i.Tokens {
		if t.MemberID == memberID {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b Token) int { return strings.Compare(a.ID, b.ID) })
	return all
}
