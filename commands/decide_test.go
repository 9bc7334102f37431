package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proofload/proofload/domain"
)

// Given events, when a command is decided, then these events or this error.
type decision struct {
	what  string
	given []domain.Event
	when  func(given []domain.Event) ([]domain.Event, error)
	then  []domain.Event
	err   error
}

func check(t *testing.T, table []decision) {
	t.Helper()
	for _, d := range table {
		t.Run(d.what, func(t *testing.T) {
			got, err := d.when(d.given)
			if !errors.Is(err, d.err) {
				t.Fatalf("error %v, want %v", err, d.err)
			}
			if diff := cmp.Diff(d.then, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// given folds events and gives the state to a decision.
func given[S any](evolve func(S, domain.Event) S, decide func(S) ([]domain.Event, error)) func([]domain.Event) ([]domain.Event, error) {
	return func(events []domain.Event) ([]domain.Event, error) {
		return decide(fold(target[S]{evolve: evolve}, *new(S), events))
	}
}

func list(events ...domain.Event) []domain.Event { return events }

func TestDecideBootstrap(t *testing.T) {
	b := Bootstrapped{WorkspaceID: "w", MemberID: "m"}
	member := given(domain.EvolveInstance, func(i domain.Instance) ([]domain.Event, error) { return decideFirstMember(i, "m"), nil })
	workspace := given(domain.EvolveWorkspace, func(w domain.Workspace) ([]domain.Event, error) { return decideFirstWorkspace(w, b), nil })
	admin := domain.MemberCreated{MemberID: "m", Name: "admin", Administrator: true}
	opened, granted := domain.WorkspaceCreated{WorkspaceID: "w", Name: "default"}, domain.MemberGranted{MemberID: "m", Role: "owner"}
	check(t, []decision{
		{"makes the administrator", nil, member, list(admin), nil},
		{"makes the administrator once", list(admin), member, nil, nil},
		{"makes the workspace and its owner", nil, workspace, list(opened, granted), nil},
		{"makes the workspace once", list(opened, granted), workspace, nil, nil},
	})
}

func TestDecideCreateProject(t *testing.T) {
	create := func(name string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveProject, func(p domain.Project) ([]domain.Event, error) {
			return decideCreateProject(p, "p", CreateProject{WorkspaceID: "w", Name: name})
		})
	}
	created := func(name string) domain.Event {
		return domain.ProjectCreated{ProjectID: "p", WorkspaceID: "w", Name: name}
	}
	longest := strings.Repeat("é", 200)
	check(t, []decision{
		{"opens a project", nil, create("Shop"), list(created("Shop")), nil},
		{"takes 200 characters", nil, create(longest), list(created(longest)), nil},
		{"refuses one that exists", list(created("Shop")), create("Shop"), nil, domain.ErrConflict},
	})
	for _, name := range []string{"", "  ", longest + "é", "two\nlines", "\xff"} {
		_, err := create(name)(nil)
		if got := targets(err); !slices.Equal(got, []string{"/name"}) {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

// targets are the JSON Pointers of an InvalidError.
func targets(err error) []string {
	var invalid *domain.InvalidError
	if !errors.As(err, &invalid) {
		return nil
	}
	var all []string
	for _, issue := range invalid.Issues {
		all = append(all, issue.Target)
	}
	return all
}

func TestDecideSaveModel(t *testing.T) {
	some := domain.Model{Elements: []domain.Element{{ID: "e"}}}
	save := func(branchID string, base int, m domain.Model, blob string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveBranch, func(b domain.Branch) ([]domain.Event, error) {
			return decideSaveModel(b, SaveModel{ProjectID: "p", BranchID: branchID, Base: base, Document: m}, blob)
		})
	}
	saved := func(version int, blob string) domain.Event {
		return domain.ModelSaved{ProjectID: "p", BranchID: "p", Version: version, Blob: blob}
	}
	other := domain.ModelSaved{ProjectID: "q", BranchID: "b", Version: 1, Blob: "b1"}
	check(t, []decision{
		{"saves version 1 of main", nil, save("p", 0, some, "b1"), list(saved(1, "b1")), nil},
		{"saves the next version", list(saved(1, "b1")), save("p", 1, some, "b2"), list(saved(2, "b2")), nil},
		{"goes back to an older document", list(saved(1, "b1"), saved(2, "b2")), save("p", 2, some, "b1"), list(saved(3, "b1")), nil},
		{"appends nothing for the same document", list(saved(1, "b1")), save("p", 1, some, "b1"), nil, nil},
		{"appends nothing for an empty model at version 0", nil, save("p", 0, domain.Model{}, "b0"), nil, nil},
		{"empties a model", list(saved(1, "b1")), save("p", 1, domain.Model{}, "b0"), list(saved(2, "b0")), nil},
		{"refuses a stale version", list(saved(1, "b1"), saved(2, "b2")), save("p", 1, some, "b3"), nil, domain.ErrStale},
		{"refuses a stale version of the same document", list(saved(1, "b1"), saved(2, "b2")), save("p", 1, some, "b2"), nil, domain.ErrStale},
		{"refuses a version to come", nil, save("p", 1, some, "b1"), nil, domain.ErrStale},
		{"refuses an unknown branch", nil, save("b", 0, some, "b1"), nil, domain.ErrNotFound},
		{"refuses a branch of another project", list(other), save("b", 1, some, "b2"), nil, domain.ErrNotFound},
	})
}

func TestDecideSaveScenario(t *testing.T) {
	save := func(create bool, base int, blob string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveScenario, func(s domain.ScenarioState) ([]domain.Event, error) {
			cmd := SaveScenario{ProjectID: "p", ScenarioID: "s", Base: base, Document: domain.Scenario{Name: "Buy"}}
			return decideSaveScenario(s, cmd, create, blob)
		})
	}
	saved := func(project string, version int, blob string) domain.Event {
		return domain.ScenarioSaved{ProjectID: project, ScenarioID: "s", Version: version, Name: "Buy", Blob: blob}
	}
	check(t, []decision{
		{"creates", nil, save(true, 0, "b1"), list(saved("p", 1, "b1")), nil},
		{"saves the next version", list(saved("p", 1, "b1")), save(false, 1, "b2"), list(saved("p", 2, "b2")), nil},
		{"appends nothing for the same document", list(saved("p", 1, "b1")), save(false, 1, "b1"), nil, nil},
		{"refuses a stale version", list(saved("p", 1, "b1")), save(false, 0, "b2"), nil, domain.ErrStale},
		{"refuses to create on a version", nil, save(true, 1, "b1"), nil, domain.ErrStale},
		{"refuses an unknown scenario", nil, save(false, 0, "b1"), nil, domain.ErrNotFound},
		{"refuses one of another project", list(saved("q", 1, "b1")), save(false, 1, "b2"), nil, domain.ErrNotFound},
	})
}

func TestDecideSaveProfile(t *testing.T) {
	save := func(f profileFacts, base int, blob string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveProfile, func(p domain.ProfileState) ([]domain.Event, error) {
			return decideSaveProfile(p, SaveProfile{
				ProjectID: "p", ProfileID: "f", Base: base,
				Document: domain.Profile{Name: "Peak", ScenarioID: "s", Seed: "9"},
			}, f, blob)
		})
	}
	saved := func(project string, version int, blob string) domain.Event {
		return domain.ProfileSaved{ProjectID: project, ProfileID: "f", Version: version, Name: "Peak", ScenarioID: "s", Seed: "9", Blob: blob}
	}
	create, update := profileFacts{create: true, inScenario: true}, profileFacts{visible: true, full: true, inScenario: true}
	full, orphan := create, update
	full.full, orphan.visible = true, false
	check(t, []decision{
		{"creates", nil, save(create, 0, "b1"), list(saved("p", 1, "b1")), nil},
		{"saves the next version, also where the project is full", list(saved("p", 1, "b1")), save(update, 1, "b2"), list(saved("p", 2, "b2")), nil},
		{"appends nothing for the same document", list(saved("p", 1, "b1")), save(update, 1, "b1"), nil, nil},
		{"refuses a stale version", list(saved("p", 1, "b1"), saved("p", 2, "b2")), save(update, 1, "b3"), nil, domain.ErrStale},
		{"refuses to create on a version", nil, save(create, 1, "b1"), nil, domain.ErrStale},
		{"refuses to create in a full project", nil, save(full, 0, "b1"), nil, domain.ErrConflict},
		{"refuses an unknown profile", nil, save(update, 0, "b1"), nil, domain.ErrNotFound},
		{"refuses one that was never admitted", list(saved("p", 1, "b1")), save(orphan, 1, "b2"), nil, domain.ErrNotFound},
		{"refuses one of another project", list(saved("q", 1, "b1")), save(update, 1, "b2"), nil, domain.ErrNotFound},
	})
	if _, err := save(profileFacts{create: true}, 0, "b1")(nil); !slices.Equal(targets(err), []string{"/scenarioId"}) {
		t.Errorf("without its scenario: %v", err)
	}
}

func TestProfileIssuesNameEveryMeasurementRef(t *testing.T) {
	o := domain.Origin{Label: domain.LabelMeasured, MeasurementRef: "m"}
	p := domain.Profile{
		Arrivals:      domain.Arrivals{Origin: o},
		Resources:     []domain.Resource{{}, {Origin: o}},
		ServiceTimes:  []domain.ServiceTime{{Origin: o}},
		Subscriptions: []domain.SubscriptionInput{{Origin: o}},
		Branches:      []domain.BranchInput{{Origin: o}, {Origin: o}},
		Overrides:     []domain.Override{{}, {}, {Origin: o}},
	}
	want := []string{
		"/scenarioId", "/arrivals/measurementRef", "/resources/1/measurementRef", "/serviceTimes/0/measurementRef",
		"/subscriptions/0/measurementRef", "/branches/0/measurementRef", "/branches/1/measurementRef", "/overrides/2/measurementRef",
	}
	got := targets(&domain.InvalidError{Issues: profileIssues(p, false)})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
	if got := profileIssues(domain.Profile{}, true); got != nil {
		t.Errorf("a declared profile has issues %v", got)
	}
}

func TestDecideAdmitProfile(t *testing.T) {
	admit := given(domain.EvolveProject, func(p domain.Project) ([]domain.Event, error) { return decideAdmitProfile(p, "f") })
	admitted := domain.ProfileAdmitted{ProfileID: "f"}
	check(t, []decision{
		{"admits the first", nil, admit, list(admitted), nil},
		{"admits once", list(admitted), admit, nil, nil},
		{"admits the 50th", profiles(49), admit, list(admitted), nil},
		{"refuses the 51st", profiles(50), admit, nil, domain.ErrConflict},
		{"knows one of 50 again", append(profiles(49), admitted), admit, nil, nil},
	})
}

func profiles(n int) []domain.Event {
	var all []domain.Event
	for i := range n {
		all = append(all, domain.ProfileAdmitted{ProfileID: fmt.Sprint("other", i)})
	}
	return all
}
