package domain

import (
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

// MaxTokens is how many tokens a member has at the same time that were issued by IssueToken and still open something.
const MaxTokens = 200

// SessionToken is the name of a token that a browser got by a log-in link.
const SessionToken = "browser session"

// Instance is the state of the one instance aggregate.
type Instance struct {
	Members Table[Member]  // by member id
	Tokens  Table[Token]   // those that are not revoked, by hash
	Policy  InstancePolicy // as it was saved; see MaxRuns

	names  Table[string]   // member id by name
	hashes Table[string]   // of the tokens, by token id
	owned  Table[[]string] // hashes of the tokens of a member, by member id

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
	Hash      string     // SHA-256 of its text, lower-case hex
	ExpiresAt *time.Time // UTC; nil: never
}

// Valid says whether the token still opens something at an instant.
func (t Token) Valid(now time.Time) bool { return t.ExpiresAt == nil || now.Before(*t.ExpiresAt) }

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

// MemberNamed finds a member by its name as it was written.
func (i Instance) MemberNamed(name string) (Member, bool) {
	id, ok := i.names.Get(name)
	if !ok {
		return Member{}, false
	}
	return i.Members.Get(id)
}

// Token finds a token by its id.
func (i Instance) Token(id string) (Token, bool) {
	hash, ok := i.hashes.Get(id)
	if !ok {
		return Token{}, false
	}
	t, ok := i.Tokens.Get(hash)
	return t, ok && t.ID == id
}

// IsAdministrator says whether a member is an administrator of the instance.
func (i Instance) IsAdministrator(memberID string) bool {
	m, _ := i.Members.Get(memberID)
	return m.Administrator
}

// EvolveInstance folds one event into the state. It cannot fail: the event happened.
func EvolveInstance(i Instance, e Event) Instance {
	switch e := e.(type) {
	case MemberCreated:
		i.Members = i.Members.With(e.MemberID, Member{ID: e.MemberID, Name: e.Name, Administrator: e.Administrator})
		i.names = i.names.With(e.Name, e.MemberID)
	case TokenIssued:
		i = i.issue(e)
		i.LinkUsed = i.LinkUsed || e.Name == SessionToken && i.IsAdministrator(e.MemberID)
	case TokenRevoked:
		if t, ok := i.Token(e.TokenID); ok {
			i = i.revoke(t)
		}
	case InstancePolicyChanged:
		i.Policy = InstancePolicy{Version: i.Policy.Version + 1, MaxConcurrentStressRuns: e.MaxConcurrentStressRuns}
	}
	return i
}

func (i Instance) issue(e TokenIssued) Instance {
	t := Token{ID: e.TokenID, MemberID: e.MemberID, Name: e.Name, Hash: e.Hash}
	if e.ExpiresAt != nil {
		t.ExpiresAt = new(time.UnixMilli(*e.ExpiresAt).UTC())
	}
	own, _ := i.owned.Get(t.MemberID)
	i.Tokens = i.Tokens.With(t.Hash, t)
	i.hashes = i.hashes.With(t.ID, t.Hash)
	i.owned = i.owned.With(t.MemberID, append(slices.Clip(own), t.Hash)) // clipped, it is copied
	return i
}

func (i Instance) revoke(t Token) Instance {
	own, _ := i.owned.Get(t.MemberID)
	own = slices.DeleteFunc(slices.Clone(own), func(hash string) bool { return hash == t.Hash })
	i.Tokens, i.hashes, i.owned = i.Tokens.Without(t.Hash), i.hashes.Without(t.ID), i.owned.With(t.MemberID, own)
	return i
}

// TokensOf are the tokens of a member, by id.
func (i Instance) TokensOf(memberID string) []Token {
	var all []Token
	own, _ := i.owned.Get(memberID)
	for _, hash := range own {
		t, _ := i.Tokens.Get(hash)
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Token) int { return strings.Compare(a.ID, b.ID) })
	return all
}
