package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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

func TestDecidePins(t *testing.T) {
	cmd := RequestRun{ProjectID: "p", ProfileID: "f", BranchID: "p"}
	whole := func() pinned {
		return pinned{
			project:  domain.Project{ID: "p", Profiles: map[string]bool{"f": true}},
			profile:  domain.ProfileState{ID: "f", ProjectID: "p", ScenarioID: "s", Seed: "9", Version: 4, Blob: "bf"},
			branch:   domain.Branch{ProjectID: "p", Version: 3, Blob: "bm"},
			scenario: domain.ScenarioState{ID: "s", ProjectID: "p", Version: 2, Blob: "bs"},
		}
	}
	two := 2
	want := domain.RunRequested{
		RunID: "r", WorkspaceID: "w", ProjectID: "p", ProfileID: "f", ProfileVersion: 4, ProfileBlob: "bf",
		BranchID: "p", ModelVersion: 3, ModelBlob: "bm", ScenarioID: "s", ScenarioVersion: &two, ScenarioBlob: "bs",
		Seed: "9", EngineVersion: 3, Doubts: []domain.Doubt{},
	}
	unsaved, unknown := want, want
	unsaved.ModelVersion, unsaved.ModelBlob = 0, ""
	unknown.ScenarioVersion, unknown.ScenarioBlob = nil, ""
	for _, tt := range []struct {
		what   string
		change func(*pinned, *RequestRun)
		want   domain.RunRequested
		err    error
	}{
		{"pins everything", func(*pinned, *RequestRun) {}, want, nil},
		{"pins the empty model", func(p *pinned, _ *RequestRun) { p.branch = domain.Branch{} }, unsaved, nil},
		{"pins no scenario that is gone", func(p *pinned, _ *RequestRun) { p.scenario = domain.ScenarioState{} }, unknown, nil},
		{"refuses an unknown profile", func(p *pinned, _ *RequestRun) { p.profile = domain.ProfileState{} }, domain.RunRequested{}, domain.ErrNotFound},
		{"refuses a profile that was never admitted", func(p *pinned, _ *RequestRun) { p.project.Profiles = nil }, domain.RunRequested{}, domain.ErrNotFound},
		{"refuses a profile of another project", func(p *pinned, _ *RequestRun) { p.profile.ProjectID = "q" }, domain.RunRequested{}, domain.ErrNotFound},
		{"refuses an unknown branch", func(p *pinned, c *RequestRun) { c.BranchID, p.branch = "b", domain.Branch{} }, domain.RunRequested{}, domain.ErrNotFound},
	} {
		p, c := whole(), cmd
		tt.change(&p, &c)
		got, err := decidePins(p, "w", "r", c)
		if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v (-want +got):\n%s", tt.what, err, diff)
		}
	}
}

func TestDecideRun(t *testing.T) {
	pins, started, failed := domain.RunRequested{RunID: "r"}, domain.RunStarted{RunID: "r", Worker: "a"}, domain.RunFailed{RunID: "r"}
	request := given(domain.EvolveRun, func(r domain.Run) ([]domain.Event, error) { return decideRequestRun(r, pins) })
	start := given(domain.EvolveRun, func(r domain.Run) ([]domain.Event, error) { return decideStartRun(r, "r", "a") })
	end := given(domain.EvolveRun, func(r domain.Run) ([]domain.Event, error) { return decideEndRun(r, "r", failed) })
	check(t, []decision{
		{"requests", nil, request, list(pins), nil},
		{"refuses to request twice", list(pins), request, nil, domain.ErrConflict},
		{"starts", list(pins), start, list(started), nil},
		{"starts once for one worker", list(pins, started), start, nil, nil},
		{"starts again for another", list(pins, domain.RunStarted{RunID: "r", Worker: "b"}), start, list(started), nil},
		{"refuses to start what has ended", list(pins, failed), start, nil, domain.ErrRunEnded},
		{"refuses to start what is not there", nil, start, nil, domain.ErrNotFound},
		{"ends a queued run", list(pins), end, list(failed), nil},
		{"ends a running run", list(pins, started), end, list(failed), nil},
		{"refuses a second outcome", list(pins, domain.RunCompleted{RunID: "r"}), end, nil, domain.ErrRunEnded},
		{"refuses to end what is not there", nil, end, nil, domain.ErrNotFound},
	})
	if _, err := decideEndRun(domain.Run{Status: domain.StatusQueued}, "r", started); err == nil {
		t.Error("RunStarted is taken as an outcome")
	}
}

func TestDecideAdmitRun(t *testing.T) {
	at := func(runID string, ago time.Duration) domain.Admission {
		return domain.Admission{RunID: runID, At: noon.Add(-ago).UnixMilli()}
	}
	recent := func(n int, oldest time.Duration) []domain.Admission {
		all := []domain.Admission{at("r0", oldest)}
		for i := 1; i < n; i++ {
			all = append(all, at(fmt.Sprint("r", i), 0))
		}
		return all
	}
	bounds := admissionBounds{open: domain.MaxOpenRuns, recent: domain.MaxRecentRuns}
	type admissions = []domain.Admission
	for _, tt := range []struct {
		what         string
		open, recent admissions
		most         admissionBounds
		retry        time.Duration // 0: admitted
		wantOpen     int
		wantRecent   int
	}{
		{"the first", nil, nil, bounds, 0, 1, 1},
		{"a second beside one", recent(1, 0), recent(1, 0), bounds, 0, 2, 2},
		{"no third beside two", recent(2, 0), nil, bounds, busyRetry, 0, 0},
		{"a third when one was lost for 120 s", recent(2, 120*time.Second), nil, bounds, 0, 2, 1},
		{"no third when one was lost for less", recent(2, 119*time.Second), nil, bounds, busyRetry, 0, 0},
		{"the 30th of a minute", nil, recent(29, 59*time.Second), bounds, 0, 1, 30},
		{"no 31st of a minute", nil, recent(30, 59*time.Second), bounds, time.Second, 0, 0},
		{"the 31st after a minute", nil, recent(30, 60*time.Second), bounds, 0, 1, 30},
		{"any, unbounded", recent(64, 0), recent(64, 0), admissionBounds{}, 0, 65, 65},
	} {
		events, err := decideAdmitRun(domain.Admissions{Open: tt.open, Recent: tt.recent}, "r", noon, tt.most)
		var limited *domain.RateLimitedError
		switch {
		case tt.retry > 0:
			if !errors.As(err, &limited) || limited.RetryAfter != tt.retry || events != nil {
				t.Errorf("%s: %v, %v", tt.what, events, err)
			}
		case err != nil || len(events) != 1:
			t.Errorf("%s: %v, %v", tt.what, events, err)
		default:
			e := events[0].(domain.RunAdmitted)
			if e.RunID != "r" || len(e.Open) != tt.wantOpen || len(e.Recent) != tt.wantRecent || e.Open[tt.wantOpen-1] != at("r", 0) {
				t.Errorf("%s: %+v", tt.what, e)
			}
		}
	}
}

func TestDecideReleaseRun(t *testing.T) {
	mine, other := domain.Admission{RunID: "r", At: noon.UnixMilli()}, domain.Admission{RunID: "q", At: noon.UnixMilli()}
	both := domain.Admissions{Open: []domain.Admission{mine, other}, Recent: []domain.Admission{mine, other}}
	want := domain.RunReleased{RunID: "r", Open: []domain.Admission{other}, Recent: []domain.Admission{mine, other}}
	wantEvents(t, decideReleaseRun(both, "r", noon), want)
	wantEvents(t, decideReleaseRun(both.Without("r"), "r", noon))
	wantEvents(t, decideReleaseRun(both, "r", noon.Add(domain.AdmissionLasts)))
}
