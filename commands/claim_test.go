package commands

import (
	"errors"
	"fmt"
	"testing"

	"github.com/proofload/proofload/domain"
)

// last is the position of the newest commit: it moves with whatever is appended.
func (w world) last(t testing.TB) uint64 {
	t.Helper()
	return must(w.store.Position(t.Context()))(t).Last
}

// mismatch checks that a command is refused as one of another body, and appends nothing.
func (w world) mismatch(t testing.TB, what string, command func() error) {
	t.Helper()
	before := w.last(t)
	if err := command(); !errors.Is(err, domain.ErrIdempotencyMismatch) {
		t.Errorf("%s: %v, want a mismatch", what, err)
	}
	if now := w.last(t); now != before {
		t.Errorf("%s appended %d commits", what, now-before)
	}
}

// project is the creation of a project by a key, with a body hash of its own for each workspace.
func (w world) project(key, workspaceID string) CreateProject {
	m := w.meta(key)
	m.BodyHash = "body for " + workspaceID
	return CreateProject{Meta: m, WorkspaceID: workspaceID, Name: "Shop"}
}

// One key makes a project in one workspace, which keeps it: on this process, on another one, and after it died between
// the claim and the project.
func TestAKeyMakesAProjectInOneWorkspace(t *testing.T) {
	w := newWorld(t)
	b := w.elsewhere(t, "b").WorkspaceID
	for name, first := range map[string]func(CreateProject) error{
		"created": func(cmd CreateProject) error { _, err := w.CreateProject(t.Context(), cmd); return err },
		"claimed": func(cmd CreateProject) error { return w.claim(t.Context(), cmd.Meta, "CreateProject") },
		"created before keys were claimed": func(cmd CreateProject) error {
			id := newID(cmd.CommandID, domain.AggregateProject)
			_, err := handle(t.Context(), w.Commands, cmd.Meta, project(cmd.WorkspaceID, id), func(p domain.Project) ([]domain.Event, error) {
				return decideCreateProject(p, id, cmd)
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			mine := w.project(name, w.WorkspaceID)
			if err := first(mine); err != nil {
				t.Fatal(err)
			}
			for _, c := range []*Commands{w.Commands, w.beside()} {
				w.mismatch(t, "the key with another workspace", func() error {
					_, err := c.CreateProject(t.Context(), w.project(name, b))
					return err
				})
			}
			a := must(w.CreateProject(t.Context(), mine))(t)
			if ws := must(w.beside().WorkspaceOf(t.Context(), a.ID))(t); ws != w.WorkspaceID {
				t.Errorf("the project is in %s, want %s", ws, w.WorkspaceID)
			}
			before := w.last(t)
			if again := must(w.beside().CreateProject(t.Context(), mine))(t); again != a || w.last(t) != before {
				t.Errorf("sent again: %+v, before %+v; %d commits", again, a, w.last(t)-before)
			}
		})
	}
}

// Twenty processes use one key at once, half of them for another workspace: one workspace has the project.
func TestAKeyMakesAProjectInOneWorkspaceUnderRaces(t *testing.T) {
	w := newWorld(t)
	workspaces := []string{w.WorkspaceID, w.elsewhere(t, "b").WorkspaceID}
	for round := range 5 {
		key := fmt.Sprint("round", round)
		made := make([]int, 2)
		for i, err := range together(20, func(i int) error {
			_, err := w.beside().CreateProject(t.Context(), w.project(key, workspaces[i%2]))
			return err
		}) {
			switch {
			case err == nil:
				made[i%2]++
			case !errors.Is(err, domain.ErrIdempotencyMismatch):
				t.Errorf("one got %v", err)
			}
		}
		if made[0]+made[1] != 10 || made[0]*made[1] != 0 {
			t.Errorf("answered with a project in the workspaces: %v, want 10 of one", made)
		}
		id, found := newID(w.meta(key).CommandID, domain.AggregateProject), 0
		for _, ws := range workspaces {
			found += len(w.log(t, project(ws, id).Aggregate))
		}
		if found != 1 {
			t.Errorf("the project was created %d times", found)
		}
	}
}

// A project that is refused takes no key.
func TestARefusedProjectLeavesItsKey(t *testing.T) {
	w := newWorld(t)
	cmd, before := w.project("key", w.WorkspaceID), w.last(t)
	cmd.Name = ""
	var invalid *domain.InvalidError
	if _, err := w.CreateProject(t.Context(), cmd); !errors.As(err, &invalid) || w.last(t) != before {
		t.Errorf("no name: %v, %d commits", err, w.last(t)-before)
	}
	cmd.Name, cmd.BodyHash = "Shop", "another"
	must(w.CreateProject(t.Context(), cmd))(t)
}

// A project that two workspaces have, as one key once made it, is that of the first for ever.
func TestAProjectOfTwoWorkspacesIsThatOfTheFirst(t *testing.T) {
	w := newWorld(t)
	b := w.elsewhere(t, "b").WorkspaceID
	cmd := CreateProject{Meta: w.meta("project"), WorkspaceID: b, Name: "Taken"}
	must(handle(t.Context(), w.Commands, cmd.Meta, project(b, w.projectID), func(p domain.Project) ([]domain.Event, error) {
		return decideCreateProject(p, w.projectID, cmd)
	}))(t)
	for _, c := range []*Commands{w.Commands, w.beside()} {
		if ws := must(c.WorkspaceOf(t.Context(), w.projectID))(t); ws != w.WorkspaceID {
			t.Errorf("the project is in %s, want %s", ws, w.WorkspaceID)
		}
		next := w.profile("next", "Peak 2")
		next.ProfileID, next.Base = w.profileID, 1
		if a, err := c.SaveProfile(t.Context(), next); err != nil || a.Version != 2 {
			t.Errorf("a save: %+v, %v", a, err)
		}
		w.mismatch(t, "the key with the other workspace", func() error { _, err := c.CreateProject(t.Context(), cmd); return err })
	}
}

// A save that changed nothing has no commit that could keep its key (ADR 24): the key is free for another body, and
// what was answered 200 is stale once somebody saved the next version. Nothing of it overwrites anything.
func TestASaveThatChangedNothingKeepsNoKey(t *testing.T) {
	w := newWorld(t)
	save := func(key, body string, base int) (Answer, error) {
		cmd := w.profile(key, body)
		cmd.ProfileID, cmd.Base, cmd.BodyHash = w.profileID, base, body
		return w.SaveProfile(t.Context(), cmd)
	}
	before := w.last(t)
	if a, err := save("n", "Peak", 1); err != nil || a.Version != 1 || w.last(t) != before {
		t.Errorf("a save that changes nothing: %+v, %v, %d commits", a, err, w.last(t)-before)
	}
	if a, err := save("n", "Peak 2", 1); err != nil || a.Version != 2 {
		t.Errorf("its key with another body: %+v, %v", a, err)
	}
	must(save("m", "Peak 2", 2))(t)
	must(save("other", "Peak 3", 2))(t)
	var stale *domain.StaleError
	if _, err := save("m", "Peak 2", 2); !errors.As(err, &stale) || stale.Version != 3 {
		t.Errorf("sent again after the next version: %v", err)
	}
}
