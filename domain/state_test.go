package domain

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEvolve(t *testing.T) {
	requested := RunRequested{RunID: "r", ProfileVersion: 2}
	completed := RunCompleted{RunID: "r", ResultHash: "h"}
	one, two := Admission{RunID: "r1", At: 1}, Admission{RunID: "r2", At: 2}
	for _, tt := range []struct {
		what string
		got  any
		want any
	}{
		{
			"instance", shown(folded(EvolveInstance, MemberCreated{"m", "admin", true}, MemberCreated{"n", "bob", false})),
			shownInstance{Members: map[string]Member{"m": {"m", "admin", true}, "n": {"n", "bob", false}}},
		},
		{
			"workspace", folded(EvolveWorkspace, WorkspaceCreated{"w", "default"}, MemberGranted{"m", RoleViewer}, MemberGranted{"m", RoleOwner}),
			Workspace{ID: "w", Name: "default", Roles: map[string]string{"m": RoleOwner}},
		},
		{
			"project", folded(EvolveProject, ProjectCreated{"p", "w", "Shop"}, ProfileAdmitted{"a"}, ProfileAdmitted{"b"}),
			Project{ID: "p", WorkspaceID: "w", Name: "Shop", Profiles: map[string]bool{"a": true, "b": true}},
		},
		{
			"workspace whose settings nobody changed", folded(EvolveWorkspace, WorkspaceCreated{"w", "default"}).Settings(),
			SimulationSettings{Seed: "1", DurationSeconds: 300, WarmUpSeconds: 5, ArrivalRatePerSecond: 10},
		},
		{
			"workspace with settings", folded(EvolveWorkspace, SimulationSettingsChanged{SimulationSettings{"1", 2, 1, 3}}, SimulationSettingsChanged{SimulationSettings{"2", 4, 0, 6}}),
			Workspace{Simulation: SimulationSettings{"2", 4, 0, 6}, SimulationVersion: 2},
		},
		{
			"workspace after a revocation", folded(EvolveWorkspace, MemberGranted{"m", RoleOwner}, MemberGranted{"n", RoleViewer}, MemberRevoked{"m"}),
			Workspace{Roles: map[string]string{"n": RoleViewer}},
		},
		{
			"instance with tokens", shown(folded(EvolveInstance, TokenIssued{"t", "m", "ci", "h1", nil}, TokenIssued{"u", "m", "", "h2", new(int64(1_796_000_000_000))}, TokenRevoked{"t"}, TokenRevoked{"v"})),
			shownInstance{Tokens: map[string]Token{"h2": {"u", "m", "", "h2", new(time.Date(2026, 11, 30, 0, 53, 20, 0, time.UTC))}}},
		},
		{
			"instance whose link was used", shown(folded(EvolveInstance, MemberCreated{"m", "admin", true}, TokenIssued{"t", "m", SessionToken, "h1", nil}, TokenRevoked{"t"})),
			shownInstance{Members: map[string]Member{"m": {"m", "admin", true}}, LinkUsed: true},
		},
		{
			"instance whose link was used by another member", shown(folded(EvolveInstance, MemberCreated{"n", "bob", false}, TokenIssued{"t", "n", SessionToken, "h1", nil}, TokenRevoked{"t"})),
			shownInstance{Members: map[string]Member{"n": {"n", "bob", false}}},
		},
		{"instance policy", shown(folded(EvolveInstance, InstancePolicyChanged{7}, InstancePolicyChanged{64})), shownInstance{Policy: InstancePolicy{2, 64}}},
		{
			"project renamed", folded(EvolveProject, ProjectCreated{"p", "w", "Shop"}, ProjectRenamed{"p", "Store"}),
			Project{ID: "p", WorkspaceID: "w", Name: "Store", Renames: 1},
		},
		{"project archived", folded(EvolveProject, ProjectArchived{"p"}), Project{Archived: true}},
		{
			"project without a profile", folded(EvolveProject, ProfileAdmitted{"a"}, ProfileAdmitted{"b"}, ProfileRemoved{"a"}),
			Project{Profiles: map[string]bool{"b": true}},
		},
		{
			"draft", folded(EvolveBranch, BranchOpened{"p", "b", BranchDraft, "Try", 3}, ModelSaved{"p", "b", 1, "m3"}),
			Branch{ProjectID: "p", Kind: BranchDraft, Name: "Try", Version: 1, Blob: "m3"},
		},
		{
			"scenario with objectives", folded(EvolveScenario, ScenarioSaved{"p", "s", 1, "Buy", "b1"}, ObjectivesSaved{"p", "s", 1, "o1"}, ObjectivesSaved{"p", "s", 2, "o2"}),
			ScenarioState{ID: "s", ProjectID: "p", Version: 1, Blob: "b1", ObjectivesVersion: 2, ObjectivesBlob: "o2"},
		},
		{"scenario deleted", folded(EvolveScenario, ScenarioDeleted{"p", "s"}), ScenarioState{Deleted: true}},
		{"profile deleted", folded(EvolveProfile, ProfileDeleted{"p", "f"}), ProfileState{Deleted: true}},
		{
			"run cancelled and deleted", folded(EvolveRun, requested, RunCancelled{"r", CancelAsked}, RunDeleted{"r"}),
			Run{Status: StatusCancelled, Pins: requested, Outcome: RunCancelled{"r", CancelAsked}, Deleted: true},
		},
		{"branch before a save", folded(EvolveBranch), Branch{}},
		{
			"branch", folded(EvolveBranch, ModelSaved{"p", "p", 1, "b1"}, ModelSaved{"p", "p", 2, "b2"}),
			Branch{ProjectID: "p", Version: 2, Blob: "b2"},
		},
		{
			"scenario", folded(EvolveScenario, ScenarioSaved{"p", "s", 1, "Buy", "b1"}, ScenarioSaved{"p", "s", 2, "Buy", "b2"}),
			ScenarioState{ID: "s", ProjectID: "p", Version: 2, Blob: "b2"},
		},
		{
			"profile", folded(EvolveProfile, ProfileSaved{"p", "f", 1, "Peak", "s", "1", "b1"}, ProfileSaved{"p", "f", 2, "Peak", "t", "2", "b2"}),
			ProfileState{ID: "f", ProjectID: "p", ScenarioID: "t", Seed: "2", Version: 2, Blob: "b2"},
		},
		{"run queued", folded(EvolveRun, requested), Run{Status: StatusQueued, Pins: requested}},
		{
			"run running", folded(EvolveRun, requested, RunStarted{"r", "a"}, RunStarted{"r", "b"}),
			Run{Status: StatusRunning, Pins: requested, Worker: "b"},
		},
		{
			"run completed", folded(EvolveRun, requested, RunStarted{"r", "a"}, completed),
			Run{Status: StatusCompleted, Pins: requested, Worker: "a", Outcome: completed},
		},
		{"run refused", folded(EvolveRun, requested, RunRefused{RunID: "r"}).Status, StatusRefused},
		{"run failed", folded(EvolveRun, requested, RunFailed{RunID: "r"}).Status, StatusFailed},
		{
			"admissions", folded(EvolveAdmissions, RunAdmitted{"r1", []Admission{one}, []Admission{one}}, RunReleased{"r1", nil, []Admission{one, two}}),
			Admissions{Recent: []Admission{one, two}},
		},
		{
			"an event of another aggregate", folded(EvolveProject, ProjectCreated{"p", "w", "Shop"}, RunStarted{"r", "a"}),
			Project{ID: "p", WorkspaceID: "w", Name: "Shop"},
		},
	} {
		if diff := cmp.Diff(tt.want, tt.got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
}

// shownInstance is an instance to compare, without its indexes.
type shownInstance struct {
	Members  map[string]Member
	Tokens   map[string]Token
	Policy   InstancePolicy
	LinkUsed bool
}

func shown(i Instance) shownInstance {
	return shownInstance{maps.Collect(i.Members.All()), maps.Collect(i.Tokens.All()), i.Policy, i.LinkUsed}
}

func folded[S any](evolve func(S, Event) S, events ...Event) S {
	var state S
	for _, e := range events {
		state = evolve(state, e)
	}
	return state
}

// A state that was kept stays as it was when a later one is folded from it.
func TestEvolveLeavesTheOldStateAlone(t *testing.T) {
	before := folded(EvolveProject, ProfileAdmitted{"a"})
	EvolveProject(before, ProfileAdmitted{"b"})
	EvolveProject(before, ProfileRemoved{"a"})
	if !cmp.Equal(before.Profiles, map[string]bool{"a": true}) {
		t.Errorf("the old state has %v", before.Profiles)
	}
}

func TestRunPredicates(t *testing.T) {
	queued := Run{Status: StatusQueued}
	ended := Run{Status: StatusFailed, Outcome: RunFailed{}}
	if (Run{}).Exists() || !queued.Exists() || queued.Ended() || !ended.Ended() {
		t.Error("Exists or Ended is wrong")
	}
	for _, e := range []Event{RunCompleted{}, RunRefused{}, RunFailed{}, RunCancelled{}} {
		if !IsOutcome(e) {
			t.Errorf("%s is no outcome", e.EventName())
		}
	}
	for _, e := range []Event{RunRequested{}, RunStarted{}, RunReleased{}, RunDeleted{}} {
		if IsOutcome(e) {
			t.Errorf("%s is an outcome", e.EventName())
		}
	}
}

func TestAdmissionsAt(t *testing.T) {
	start := time.UnixMilli(1_796_000_000_000)
	a := Admission{RunID: "r", At: start.UnixMilli()}
	all := Admissions{Open: []Admission{a}, Recent: []Admission{a}}
	for _, tt := range []struct {
		age          time.Duration
		open, recent int
	}{
		{0, 1, 1},
		{60*time.Second - time.Millisecond, 1, 1},
		{60 * time.Second, 1, 0},
		{120*time.Second - time.Millisecond, 1, 0},
		{120 * time.Second, 0, 0},
		{-time.Second, 1, 1},
		{-time.Hour, 1, 1}, // a clock that was set back
	} {
		got := all.At(start.Add(tt.age))
		if len(got.Open) != tt.open || len(got.Recent) != tt.recent {
			t.Errorf("after %s: %d open, %d recent, want %d and %d", tt.age, len(got.Open), len(got.Recent), tt.open, tt.recent)
		}
	}
	back := all.At(start.Add(-time.Hour))
	if want := start.Add(-time.Hour).UnixMilli(); back.Open[0].At != want || back.Recent[0].At != want || all.Open[0].At != start.UnixMilli() {
		t.Errorf("%+v: what lies ahead counts as of now", back)
	}
	for ahead, want := range map[time.Duration]bool{time.Hour: true, 5*time.Second + time.Millisecond: true, 5 * time.Second: false, -time.Hour: false} {
		if all.Ahead(start.Add(-ahead)) != want || back.Ahead(start.Add(-time.Hour)) {
			t.Errorf("ahead by %v: %v", ahead, !want)
		}
	}
	if !all.Has("r") || all.Has("q") || all.Without("r").Has("r") || !all.Without("q").Has("r") {
		t.Error("Has or Without is wrong")
	}
}

// What was deleted is in no project any more.
func TestWhatIsDeletedIsInNoProject(t *testing.T) {
	pins := RunRequested{RunID: "r", ProjectID: "p"}
	for what, in := range map[string][2]bool{
		"profile":  {ProfileState{Version: 1, ProjectID: "p"}.In("p"), ProfileState{Version: 1, ProjectID: "p", Deleted: true}.In("p")},
		"scenario": {ScenarioState{Version: 1, ProjectID: "p"}.In("p"), ScenarioState{Version: 1, ProjectID: "p", Deleted: true}.In("p")},
		"run":      {Run{Status: StatusQueued, Pins: pins}.In("p"), Run{Status: StatusQueued, Pins: pins, Deleted: true}.In("p")},
	} {
		if in != [2]bool{true, false} {
			t.Errorf("%s before and after: %v", what, in)
		}
	}
	if (Run{Status: StatusQueued, Pins: pins}).In("q") || (Run{}).In("") {
		t.Error("a run is in another project, or one that does not exist in any")
	}
}

func TestRoles(t *testing.T) {
	order := []string{RoleViewer, RoleEditor, RoleOwner}
	for i, role := range order {
		for j, needed := range order {
			if RoleAllows(role, needed) != (i >= j) {
				t.Errorf("%s is taken for %s, or not", role, needed)
			}
		}
		if !IsRole(role) || RoleAllows("", role) || RoleAllows("admin", role) {
			t.Errorf("%s", role)
		}
	}
	w := Workspace{Roles: map[string]string{"a": RoleOwner, "b": RoleEditor, "c": RoleOwner}}
	if w.Owners() != 2 || IsRole("") || IsRole("admin") {
		t.Error("owners or roles are wrong")
	}
}

func TestInstanceLookups(t *testing.T) {
	i := folded(EvolveInstance, MemberCreated{"m", "ann", false}, TokenIssued{"u", "m", "", "h2", nil}, TokenIssued{"t", "m", "", "h1", nil}, TokenIssued{"v", "n", "", "h3", nil})
	if m, ok := i.MemberNamed("ann"); !ok || m.ID != "m" {
		t.Errorf("ann is %v", m)
	}
	if _, ok := i.MemberNamed("Ann"); ok {
		t.Error("Ann is taken for ann")
	}
	if ids := i.TokensOf("m"); len(ids) != 2 || ids[0].ID != "t" || ids[1].ID != "u" {
		t.Errorf("tokens of m: %v", ids)
	}
	if left := EvolveInstance(i, TokenRevoked{"t"}); len(left.TokensOf("m")) != 1 || len(i.TokensOf("m")) != 2 {
		t.Errorf("after a revocation: %v, and before: %v", left.TokensOf("m"), i.TokensOf("m"))
	}
	if token, ok := i.Token("v"); !ok || token.Hash != "h3" || i.IsAdministrator("m") || i.IsAdministrator("x") {
		t.Errorf("token v is %v", token)
	}
	if i.MaxRuns() != 4 || (Instance{Policy: InstancePolicy{1, 9}}).MaxRuns() != 9 {
		t.Error("the policy is wrong")
	}
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]bool{-time.Nanosecond: true, 0: false, time.Hour: false} {
		if (Token{ExpiresAt: &at}).Valid(at.Add(after)) != want {
			t.Errorf("valid %s after it expires: want %t", after, want)
		}
	}
	if !(Token{}).Valid(at) {
		t.Error("a token without an end has expired")
	}
	if ended := EvolveInstance(i, TokenIssued{"z", "m", "", "h4", new(time.Time{}.UnixMilli())}).TokensOf("m")[2]; ended.Valid(at) {
		t.Errorf("a token that ended in the year 1 is valid: %+v", ended)
	}
}

func TestStaleErrorNamesTheVersion(t *testing.T) {
	err := error(&StaleError{What: "profile f", Version: 3, Member: "m", At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)})
	if want := "profile f is at version 3, saved by m at 2026-11-29T12:00:00Z"; err.Error() != want {
		t.Errorf("got %q", err)
	}
	if !errors.Is(err, ErrStale) || errors.Is(err, ErrConflict) {
		t.Error("a StaleError is an ErrStale and no ErrConflict")
	}
	if !errors.Is(ErrRunEnded, ErrConflict) {
		t.Error("ErrRunEnded is a conflict")
	}
}

// What a 429 says is what its Retry-After says.
func TestTooManyRunsInWords(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		59_465_558_779: "60 s", 60 * time.Second: "60 s", time.Second: "1 s", time.Nanosecond: "1 s", 0: "1 s", time.Second + 1: "2 s",
	} {
		rate, busy := &RateLimitedError{Bound: "full", RetryAfter: wait}, &BusyError{Most: 4, RetryAfter: wait}
		if rate.Error() != "full; try again in "+want || !strings.HasSuffix(busy.Error(), " 4 runs in progress, the most that its policy allows; try again in "+want) {
			t.Errorf("%s: %q, %q", wait, rate, busy)
		}
	}
}
