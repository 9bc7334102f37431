package domain

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
		{"instance", folded(EvolveInstance, MemberCreated{"m", "admin", true}, MemberCreated{"n", "bob", false}),
			Instance{Members: map[string]Member{"m": {"m", "admin", true}, "n": {"n", "bob", false}}}},
		{"workspace", folded(EvolveWorkspace, WorkspaceCreated{"w", "default"}, MemberGranted{"m", RoleViewer}, MemberGranted{"m", RoleOwner}),
			Workspace{ID: "w", Name: "default", Roles: map[string]string{"m": RoleOwner}}},
		{"project", folded(EvolveProject, ProjectCreated{"p", "w", "Shop"}, ProfileAdmitted{"a"}, ProfileAdmitted{"b"}),
			Project{ID: "p", WorkspaceID: "w", Name: "Shop", Profiles: map[string]bool{"a": true, "b": true}}},
		{"branch before a save", folded(EvolveBranch), Branch{}},
		{"branch", folded(EvolveBranch, ModelSaved{"p", "p", 1, "b1"}, ModelSaved{"p", "p", 2, "b2"}),
			Branch{ProjectID: "p", Version: 2, Blob: "b2"}},
		{"scenario", folded(EvolveScenario, ScenarioSaved{"p", "s", 1, "Buy", "b1"}, ScenarioSaved{"p", "s", 2, "Buy", "b2"}),
			ScenarioState{ID: "s", ProjectID: "p", Version: 2, Blob: "b2"}},
		{"profile", folded(EvolveProfile, ProfileSaved{"p", "f", 1, "Peak", "s", "1", "b1"}, ProfileSaved{"p", "f", 2, "Peak", "t", "2", "b2"}),
			ProfileState{ID: "f", ProjectID: "p", ScenarioID: "t", Seed: "2", Version: 2, Blob: "b2"}},
		{"run queued", folded(EvolveRun, requested), Run{Status: StatusQueued, Pins: requested}},
		{"run running", folded(EvolveRun, requested, RunStarted{"r", "a"}, RunStarted{"r", "b"}),
			Run{Status: StatusRunning, Pins: requested, Worker: "b"}},
		{"run completed", folded(EvolveRun, requested, RunStarted{"r", "a"}, completed),
			Run{Status: StatusCompleted, Pins: requested, Worker: "a", Outcome: completed}},
		{"run refused", folded(EvolveRun, requested, RunRefused{RunID: "r"}).Status, StatusRefused},
		{"run failed", folded(EvolveRun, requested, RunFailed{RunID: "r"}).Status, StatusFailed},
		{"admissions", folded(EvolveAdmissions, RunAdmitted{"r1", []Admission{one}, []Admission{one}}, RunReleased{"r1", nil, []Admission{one, two}}),
			Admissions{Recent: []Admission{one, two}}},
		{"an event of another aggregate", folded(EvolveProject, ProjectCreated{"p", "w", "Shop"}, RunStarted{"r", "a"}),
			Project{ID: "p", WorkspaceID: "w", Name: "Shop"}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
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
	for _, e := range []Event{RunCompleted{}, RunRefused{}, RunFailed{}} {
		if !IsOutcome(e) {
			t.Errorf("%s is no outcome", e.EventName())
		}
	}
	for _, e := range []Event{RunRequested{}, RunStarted{}, RunReleased{}} {
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
		{0, 1, 1}, {60*time.Second - time.Millisecond, 1, 1}, {60 * time.Second, 1, 0},
		{120*time.Second - time.Millisecond, 1, 0}, {120 * time.Second, 0, 0},
	} {
		got := all.At(start.Add(tt.age))
		if len(got.Open) != tt.open || len(got.Recent) != tt.recent {
			t.Errorf("after %s: %d open, %d recent, want %d and %d", tt.age, len(got.Open), len(got.Recent), tt.open, tt.recent)
		}
	}
	if !all.Has("r") || all.Has("q") || all.Without("r").Has("r") || !all.Without("q").Has("r") {
		t.Error("Has or Without is wrong")
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
