package commands

import (
	"testing"

	"github.com/proofload/proofload/domain"
)

var (
	shop     = domain.ProjectCreated{ProjectID: "p", WorkspaceID: "w", Name: "Shop"}
	archived = domain.ProjectArchived{ProjectID: "p"}
)

func TestDecideRenameAndArchiveProject(t *testing.T) {
	rename := func(base int, name string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveProject, func(p domain.Project) ([]domain.Event, error) {
			return decideRenameProject(p, RenameProject{ProjectID: "p", Base: base, Name: name})
		})
	}
	archive := given(domain.EvolveProject, func(p domain.Project) ([]domain.Event, error) { return decideArchiveProject(p), nil })
	renamed := domain.ProjectRenamed{ProjectID: "p", Name: "Store"}
	check(t, []decision{
		{"renames", list(shop), rename(0, "Store"), list(renamed), nil},
		{"renames again", list(shop, renamed), rename(1, "Shop"), list(domain.ProjectRenamed{ProjectID: "p", Name: "Shop"}), nil},
		{"appends nothing for the same name", list(shop), rename(0, "Shop"), nil, nil},
		{"refuses a stale rename", list(shop, renamed), rename(0, "Third"), nil, domain.ErrStale},
		{"does not rename what is archived", list(shop, archived), rename(0, "Store"), nil, domain.ErrConflict},
		{"archives", list(shop), archive, list(archived), nil},
		{"archives once", list(shop, archived), archive, nil, nil},
	})
	wantTarget(t, "/name", rename(0, ""), shop)
}

func TestDecideOpenBranch(t *testing.T) {
	open := func(main domain.Branch, kind, name string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveBranch, func(b domain.Branch) ([]domain.Event, error) {
			return decideOpenBranch(b, main, "b", OpenBranch{ProjectID: "p", Kind: kind, Name: name})
		})
	}
	third := domain.Branch{ProjectID: "p", Version: 3, Blob: "m3"}
	opened := func(kind string, version int) domain.Event {
		return domain.BranchOpened{ProjectID: "p", BranchID: "b", Kind: kind, Name: "Try", MainVersion: version}
	}
	saved := func(blob string) domain.Event {
		return domain.ModelSaved{ProjectID: "p", BranchID: "b", Version: 1, Blob: blob}
	}
	check(t, []decision{
		{"opens a draft", nil, open(third, "draft", "Try"), list(opened("draft", 3), saved("m3")), nil},
		{"opens a variant of the empty model", nil, open(domain.Branch{Blob: "m0"}, "variant", "Try"), list(opened("variant", 0), saved("m0")), nil},
		{"refuses one that exists", list(opened("draft", 3), saved("m3")), open(third, "draft", "Try"), nil, domain.ErrConflict},
	})
	wantTarget(t, "/kind", open(third, "main", "Try"))
	wantTarget(t, "/name", open(third, "draft", " "))
}

func TestDecideObjectives(t *testing.T) {
	save := func(base int, blob string) func([]domain.Event) ([]domain.Event, error) {
		return given(domain.EvolveScenario, func(s domain.ScenarioState) ([]domain.Event, error) {
			return decideSaveObjectives(s, SaveObjectives{ProjectID: "p", ScenarioID: "s", Base: base}, blob)
		})
	}
	scenario := func(project string) domain.Event {
		return domain.ScenarioSaved{ProjectID: project, ScenarioID: "s", Version: 7, Blob: "b"}
	}
	saved := func(version int, blob string) domain.Event {
		return domain.ObjectivesSaved{ProjectID: "p", ScenarioID: "s", Version: version, Blob: blob}
	}
	check(t, []decision{
		{"saves version 1, whatever the scenario's", list(scenario("p")), save(0, "o1"), list(saved(1, "o1")), nil},
		{"saves the next version", list(scenario("p"), saved(1, "o1")), save(1, "o2"), list(saved(2, "o2")), nil},
		{"appends nothing for the same document", list(scenario("p"), saved(1, "o1")), save(1, "o1"), nil, nil},
		{"refuses a stale version", list(scenario("p"), saved(1, "o1")), save(0, "o2"), nil, domain.ErrStale},
		{"refuses those of no scenario", nil, save(0, "o1"), nil, domain.ErrNotFound},
		{"refuses those of another project", list(scenario("q")), save(0, "o1"), nil, domain.ErrNotFound},
		{"refuses those of a deleted scenario", list(scenario("p"), domain.ScenarioDeleted{}), save(0, "o1"), nil, domain.ErrNotFound},
	})
}

func TestDecideDeleteScenario(t *testing.T) {
	remove := given(domain.EvolveScenario, func(s domain.ScenarioState) ([]domain.Event, error) {
		return decideDeleteScenario(s, DeleteScenario{ProjectID: "p", ScenarioID: "s"})
	})
	saveNext := given(domain.EvolveScenario, func(s domain.ScenarioState) ([]domain.Event, error) {
		return decideSaveScenario(s, SaveScenario{ProjectID: "p", ScenarioID: "s", Base: 1}, false, "b2")
	})
	saved, deleted := domain.ScenarioSaved{ProjectID: "p", ScenarioID: "s", Version: 1}, domain.ScenarioDeleted{ProjectID: "p", ScenarioID: "s"}
	check(t, []decision{
		{"deletes", list(saved), remove, list(deleted), nil},
		{"deletes once", list(saved, deleted), remove, nil, domain.ErrNotFound},
		{"does not find none", nil, remove, nil, domain.ErrNotFound},
		{"does not find another project's", list(domain.ScenarioSaved{ProjectID: "q", Version: 1}), remove, nil, domain.ErrNotFound},
		{"does not save what is deleted", list(saved, deleted), saveNext, nil, domain.ErrNotFound},
	})
}

func TestDecideDeleteProfile(t *testing.T) {
	remove := given(domain.EvolveProject, func(p domain.Project) ([]domain.Event, error) { return decideRemoveProfile(p, "f") })
	last := given(domain.EvolveProfile, func(p domain.ProfileState) ([]domain.Event, error) {
		return decideDeleteProfile(p, DeleteProfile{ProjectID: "p", ProfileID: "f"}), nil
	})
	update := given(domain.EvolveProfile, func(p domain.ProfileState) ([]domain.Event, error) {
		return decideSaveProfile(p, SaveProfile{ProjectID: "p", ProfileID: "f", Base: 1}, profileFacts{visible: true, inScenario: true}, "b2")
	})
	admitted, removed := domain.ProfileAdmitted{ProfileID: "f"}, domain.ProfileRemoved{ProfileID: "f"}
	saved, deleted := domain.ProfileSaved{ProjectID: "p", ProfileID: "f", Version: 1}, domain.ProfileDeleted{ProjectID: "p", ProfileID: "f"}
	check(t, []decision{
		{"takes it from the project", list(shop, admitted), remove, list(removed), nil},
		{"takes it once", list(shop, admitted, removed), remove, nil, domain.ErrNotFound},
		{"takes nothing from an archived project", list(shop, admitted, archived), remove, nil, domain.ErrConflict},
		{"deletes it", list(saved), last, list(deleted), nil},
		{"deletes it once", list(saved, deleted), last, nil, nil},
		{"does not save what is deleted", list(saved, deleted), update, nil, domain.ErrNotFound},
	})
	room := given(domain.EvolveProject, func(p domain.Project) ([]domain.Event, error) { return decideAdmitProfile(p, "g") })
	check(t, []decision{
		{"has room after one of 50 is gone", append(profiles(50), domain.ProfileRemoved{ProfileID: "other7"}), room, list(domain.ProfileAdmitted{ProfileID: "g"}), nil},
		{"admits nothing to an archived project", list(shop, archived), room, nil, domain.ErrConflict},
	})
}

func TestDecideCancelAndDeleteRun(t *testing.T) {
	cmd := CancelRun{ProjectID: "p", RunID: "r"}
	cancel := given(domain.EvolveRun, func(r domain.Run) ([]domain.Event, error) { return decideCancelRun(r, cmd) })
	remove := given(domain.EvolveRun, func(r domain.Run) ([]domain.Event, error) { return decideDeleteRun(r, cmd) })
	end := given(domain.EvolveRun, func(r domain.Run) ([]domain.Event, error) { return decideEndRun(r, "r", domain.RunCompleted{}) })
	requested, foreign := domain.RunRequested{RunID: "r", ProjectID: "p"}, domain.RunRequested{RunID: "r", ProjectID: "q"}
	started, completed := domain.RunStarted{RunID: "r"}, domain.RunCompleted{RunID: "r"}
	cancelled := func(reason string) domain.Event { return domain.RunCancelled{RunID: "r", Reason: reason} }
	deleted := domain.RunDeleted{RunID: "r"}
	check(t, []decision{
		{"cancels a queued run", list(requested), cancel, list(cancelled("asked")), nil},
		{"cancels a running run", list(requested, started), cancel, list(cancelled("asked")), nil},
		{"does not cancel what has ended", list(requested, completed), cancel, nil, domain.ErrRunEnded},
		{"does not cancel twice", list(requested, cancelled("asked")), cancel, nil, domain.ErrRunEnded},
		{"does not find another project's", list(foreign), cancel, nil, domain.ErrNotFound},
		{"does not find none", nil, cancel, nil, domain.ErrNotFound},
		{"does not find a deleted one", list(requested, completed, deleted), cancel, nil, domain.ErrNotFound},
		{"lets no late outcome in", list(requested, started, cancelled("asked")), end, nil, domain.ErrRunEnded},
		{"deletes a run that has ended", list(requested, completed), remove, list(deleted), nil},
		{"cancels what it deletes", list(requested, started), remove, list(cancelled("run-deleted"), deleted), nil},
		{"deletes once", list(requested, completed, deleted), remove, nil, domain.ErrNotFound},
		{"does not delete another project's", list(foreign), remove, nil, domain.ErrNotFound},
	})
}

func TestEmptyModelIsCanonical(t *testing.T) {
	m, err := domain.ParseModel([]byte(emptyModel))
	if err != nil || !isEmpty(m) {
		t.Errorf("%+v, %v", m, err)
	}
	if canonical, err := domain.Canonical([]byte(emptyModel)); err != nil || string(canonical) != emptyModel {
		t.Errorf("its canonical form is %s, %v", canonical, err)
	}
}
