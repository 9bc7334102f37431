package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
)

var (
	ann   = domain.MemberCreated{MemberID: "m", Name: "ann"}
	owner = domain.MemberGranted{MemberID: "m", Role: domain.RoleOwner}
	made  = domain.WorkspaceCreated{WorkspaceID: "w", Name: "Team"}
)

// wantTarget checks that a decision refuses one place.
func wantTarget(t *testing.T, target string, decide func([]domain.Event) ([]domain.Event, error), given ...domain.Event) {
	t.Helper()
	if events, err := decide(given); !slices.Equal(targets(err), []string{target}) {
		t.Errorf("%v, %v, want a refusal of %s", events, err, target)
	}
}

func TestDecideCreateMember(t *testing.T) {
	create := func(name string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) { return decideCreateMember(i, "n", name) })
	}
	check(t, []decision{
		{"makes a member", list(ann), create("bob"), list(domain.MemberCreated{MemberID: "n", Name: "bob"}), nil},
		{"does not tell case apart", list(ann), create("Ann"), nil, domain.ErrConflict},
		{"refuses a name that is taken", list(ann), create("ann"), nil, domain.ErrConflict},
	})
	for _, names := range [][2]string{{"Ren\u00e9", "Rene\u0301"}, {"ren\u00e9", "RENE\u0301"}, {"ann", "\uff41nn"}, {"o\ufb03ce", "office"}} {
		for i := range 2 { // written in one way and in another: one name
			taken := domain.MemberCreated{MemberID: "m", Name: names[i]}
			check(t, []decision{{fmt.Sprintf("%+q is %+q", names[i], names[1-i]), list(taken), create(names[1-i]), nil, domain.ErrConflict}})
		}
	}
	check(t, []decision{
		{"tells accents apart", list(ann), create("\u00e4nn"), list(domain.MemberCreated{MemberID: "n", Name: "\u00e4nn"}), nil},
	})
	for _, name := range []string{"", " ann", "ann ", "a\nb", "a\u200bnn", "\u202eann", "a\u00adnn", strings.Repeat("x", 201)} {
		wantTarget(t, "/name", create(name))
	}
}

func TestDecideCreateWorkspace(t *testing.T) {
	create := func(name string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveWorkspace, func(w domain.Workspace) ([]domain.Event, error) {
			return decideCreateWorkspace(w, "w", CreateWorkspace{Meta: Meta{Member: "m"}, Name: name})
		})
	}
	check(t, []decision{
		{"opens it, and who asks owns it", nil, create("Team"), list(made, owner), nil},
		{"refuses one that exists", list(made), create("Team"), nil, domain.ErrConflict},
	})
	wantTarget(t, "/name", create(""))
}

func TestDecideGrantMember(t *testing.T) {
	grant := func(known bool, member, role string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveWorkspace, func(w domain.Workspace) ([]domain.Event, error) {
			return decideGrantMember(w, known, GrantMember{MemberID: member, Role: role})
		})
	}
	join := func(member, role string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveWorkspace, func(w domain.Workspace) ([]domain.Event, error) {
			return decideGrantMember(w, true, GrantMember{MemberID: member, Role: role, Join: true})
		})
	}
	granted := func(member, role string) domain.Event { return domain.MemberGranted{MemberID: member, Role: role} }
	check(t, []decision{
		{"grants", list(made, owner), grant(true, "n", "viewer"), list(granted("n", "viewer")), nil},
		{"grants more", list(made, owner, granted("n", "viewer")), grant(true, "n", "editor"), list(granted("n", "editor")), nil},
		{"grants the same role again", list(made, owner), grant(true, "m", "owner"), list(granted("m", "owner")), nil},
		{"lets an owner go that is not the last", list(made, owner, granted("n", "owner")), grant(true, "m", "editor"), list(granted("m", "editor")), nil},
		{"keeps the last owner", list(made, owner), grant(true, "m", "editor"), nil, domain.ErrConflict},
		{"joins", list(made, owner), join("n", "viewer"), list(granted("n", "viewer")), nil},
		{"keeps the role of who is there", list(made, owner, granted("n", "editor")), join("n", "viewer"), nil, domain.ErrConflict},
		{"refuses an unknown member", list(made, owner), grant(false, "n", "viewer"), nil, domain.ErrNotFound},
	})
	wantTarget(t, "/role", grant(true, "n", "admin"))
	wantTarget(t, "/role", grant(true, "n", ""))
}

func TestDecideRevokeMember(t *testing.T) {
	revoke := given(domain.EvolveWorkspace, func(w domain.Workspace) ([]domain.Event, error) { return decideRevokeMember(w, "m") })
	revoked := domain.MemberRevoked{MemberID: "m"}
	check(t, []decision{
		{"revokes a viewer", list(made, domain.MemberGranted{MemberID: "m", Role: "viewer"}), revoke, list(revoked), nil},
		{"revokes one of two owners", list(made, owner, domain.MemberGranted{MemberID: "n", Role: "owner"}), revoke, list(revoked), nil},
		{"keeps the last owner", list(made, owner, domain.MemberGranted{MemberID: "n", Role: "editor"}), revoke, nil, domain.ErrConflict},
		{"refuses who has no role", list(made), revoke, nil, domain.ErrNotFound},
		{"refuses who was revoked", list(made, owner, revoked), revoke, nil, domain.ErrNotFound},
	})
}

func TestDecideIssueToken(t *testing.T) {
	at := noon.UnixMilli()
	issue := func(token domain.TokenIssued) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) { return decideIssueToken(i, token, noon) })
	}
	token := domain.TokenIssued{TokenID: "t", MemberID: "m", Name: "ci", Hash: "h", ExpiresAt: new(at + 1)}
	unnamed, gone, foreign, unreadable := token, token, token, token
	unnamed.Name, unnamed.ExpiresAt, gone.ExpiresAt, foreign.MemberID, unreadable.Name = "", nil, new(at), "n", "a\nb"
	check(t, []decision{
		{"issues", list(ann), issue(token), list(token), nil},
		{"issues without name and end", list(ann), issue(unnamed), list(unnamed), nil},
		{"refuses an unknown member", list(ann), issue(foreign), nil, domain.ErrNotFound},
	})
	wantTarget(t, "/expiresAt", issue(gone), ann)
	wantTarget(t, "/name", issue(unreadable), ann)
}

// The bound counts what opens something; what has expired is revoked by the way. What a start issues is not bounded.
func TestDecideTokensAreBounded(t *testing.T) {
	at := noon.UnixMilli()
	tokens := func(n int, expires *int64) []domain.Event {
		events := list(ann)
		for i := range n {
			events = append(events, domain.TokenIssued{TokenID: fmt.Sprintf("t%03d", i), MemberID: "m", Hash: fmt.Sprint("h", i), ExpiresAt: expires})
		}
		return events
	}
	next := domain.TokenIssued{TokenID: "next", MemberID: "m", Name: "ci", Hash: "h"}
	decide := func(rule decideToken) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) { return rule(i, next, noon) })
	}
	full, revoked := tokens(domain.MaxTokens, nil), domain.TokenRevoked{TokenID: "t007"}
	foreign := domain.TokenIssued{TokenID: "other", MemberID: "n", Hash: "hx", ExpiresAt: new(at)}
	over := domain.TokenIssued{TokenID: "over", MemberID: "m", Hash: "hy", ExpiresAt: new(at)}
	check(t, []decision{
		{"issues the last", tokens(domain.MaxTokens-1, new(at+1)), decide(decideOneMoreToken), list(next), nil},
		{"refuses one more", full, decide(decideOneMoreToken), nil, domain.ErrConflict},
		{"issues after a revocation", append(full, revoked), decide(decideOneMoreToken), list(next), nil},
		{"does not count those of others", append(tokens(domain.MaxTokens-1, nil), foreign), decide(decideOneMoreToken), list(next), nil},
		{
			"does not count what has expired, and revokes it", append(tokens(domain.MaxTokens-1, nil), over),
			decide(decideOneMoreToken), list(domain.TokenRevoked{TokenID: "over"}, next), nil,
		},
		{"issues what a start needs", full, decide(decideIssueToken), list(next), nil},
		{"issues the token of the folder", full, decide(decideFirstToken), list(next), nil},
	})
}

func TestDecideFirstToken(t *testing.T) {
	token := func(id, member, name string) domain.TokenIssued {
		return domain.TokenIssued{TokenID: id, MemberID: member, Name: name, Hash: "h" + id}
	}
	next := token("t9", "m", FolderToken)
	issue := given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) { return decideFirstToken(i, next, noon) })
	check(t, []decision{
		{"issues the first", list(ann), issue, list(next), nil},
		{
			"revokes those before it, and no others",
			list(ann, token("t1", "m", FolderToken), token("t2", "m", "ci"), token("t3", "n", FolderToken), token("t4", "m", FolderToken)),
			issue, list(domain.TokenRevoked{TokenID: "t1"}, domain.TokenRevoked{TokenID: "t4"}, next), nil,
		},
		{"refuses without the member", nil, issue, nil, domain.ErrNotFound},
	})
}

func TestDecideRevokeToken(t *testing.T) {
	revoke := func(id, owner string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) {
			return decideRevokeToken(i, RevokeToken{TokenID: id, Owner: owner})
		})
	}
	issued, revoked := domain.TokenIssued{TokenID: "t", MemberID: "m", Hash: "h"}, domain.TokenRevoked{TokenID: "t"}
	check(t, []decision{
		{"revokes one's own", list(issued), revoke("t", "m"), list(revoked), nil},
		{"revokes anybody's", list(issued), revoke("t", ""), list(revoked), nil},
		{"does not find another's", list(issued), revoke("t", "n"), nil, domain.ErrNotFound},
		{"does not find it twice", list(issued, revoked), revoke("t", ""), nil, domain.ErrNotFound},
		{"does not find none", nil, revoke("t", ""), nil, domain.ErrNotFound},
	})
}

func TestDecideRevokeTokens(t *testing.T) {
	revoke := given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) { return decideRevokeTokens(i, "m") })
	issued := func(id, member string) domain.Event {
		return domain.TokenIssued{TokenID: id, MemberID: member, Hash: "h" + id}
	}
	check(t, []decision{
		{
			"revokes all of the member and no others", list(ann, issued("t1", "m"), issued("t2", "n"), issued("t3", "m")),
			revoke, list(domain.TokenRevoked{TokenID: "t1"}, domain.TokenRevoked{TokenID: "t3"}), nil,
		},
		{"appends nothing where there are none", list(ann, issued("t2", "n")), revoke, nil, nil},
		{"refuses an unknown member", list(issued("t1", "m")), revoke, nil, domain.ErrNotFound},
	})
}

func TestDecideChangeInstancePolicy(t *testing.T) {
	change := func(base, runs int) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) {
			return decideChangeInstancePolicy(i, ChangeInstancePolicy{Base: base, MaxConcurrentStressRuns: runs})
		})
	}
	changed := func(runs int) domain.Event { return domain.InstancePolicyChanged{MaxConcurrentStressRuns: runs} }
	check(t, []decision{
		{"changes to the least", nil, change(0, 1), list(changed(1)), nil},
		{"changes to the most", list(changed(1)), change(1, 64), list(changed(64)), nil},
		{"appends nothing for the default", nil, change(0, 4), nil, nil},
		{"appends nothing for the same", list(changed(9)), change(1, 9), nil, nil},
		{"refuses a stale version", list(changed(9)), change(0, 8), nil, domain.ErrStale},
	})
	for _, runs := range []int{-1, 0, 65} {
		wantTarget(t, "/policy/maxConcurrentStressRuns", change(0, runs))
	}
}

func TestDecideChangeSimulationSettings(t *testing.T) {
	some := domain.SimulationSettings{Seed: "2", DurationSeconds: 60, WarmUpSeconds: 1, ArrivalRatePerSecond: 5}
	change := func(base int, s domain.SimulationSettings) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveWorkspace, func(w domain.Workspace) ([]domain.Event, error) {
			return decideChangeSimulationSettings(w, ChangeSimulationSettings{Base: base, Settings: s})
		})
	}
	changed := domain.SimulationSettingsChanged{SimulationSettings: some}
	check(t, []decision{
		{"changes", list(made), change(0, some), list(changed), nil},
		{"appends nothing for the defaults", list(made), change(0, domain.DefaultSimulationSettings), nil, nil},
		{"appends nothing for the same", list(made, changed), change(1, some), nil, nil},
		{"refuses a stale version", list(made, changed), change(0, some), nil, domain.ErrStale},
	})
	some.Seed = "x"
	wantTarget(t, "/simulation/seed", change(0, some), made)
}
