package commands

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

func (w world) rename(key string, base int, name string) RenameProject {
	return RenameProject{Meta: w.meta(key), ProjectID: w.projectID, Base: base, Name: name}
}

// TestMemoryOfAnotherNode: what one node remembers is behind what another did. No command is decided on it for good.
func TestMemoryOfAnotherNode(t *testing.T) {
	w := newWorld(t)
	here, there := w.Commands, New(w.store.Store, func() time.Time { return noon })
	must(here.RenameProject(t.Context(), w.rename("1", 0, "One")))(t)
	must(there.RenameProject(t.Context(), w.rename("2", 1, "Two")))(t)

	var stale *domain.StaleError
	if _, err := here.RenameProject(t.Context(), w.rename("3", 1, "Three")); !errors.As(err, &stale) || stale.Version != 2 || stale.Member != w.MemberID {
		t.Errorf("a save on the version before the other node's: %v, want a StaleError with version 2 by %s", err, w.MemberID)
	}
	must(there.RenameProject(t.Context(), w.rename("4", 2, "Four")))(t)
	must(there.RenameProject(t.Context(), w.rename("5", 3, "Five")))(t)
	if a := must(here.RenameProject(t.Context(), w.rename("6", 4, "Six")))(t); a.Version != 5 {
		t.Errorf("version %d after 5 renames", a.Version)
	}
	if a := must(here.RenameProject(t.Context(), w.rename("4", 2, "Four")))(t); a.Version != 3 {
		t.Errorf("the other node's command, sent again here, gives version %d, want 3", a.Version)
	}
	must(there.ArchiveProject(t.Context(), ArchiveProject{Meta: w.meta("end"), ProjectID: w.projectID}))(t)
	if _, err := here.RenameProject(t.Context(), w.rename("7", 5, "Seven")); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("a rename of a project that the other node archived: %v", err)
	}
	if got := state(t, w, project(w.WorkspaceID, w.projectID)); got.Renames != 5 || got.Name != "Six" || !got.Archived {
		t.Errorf("the project is %+v", got)
	}
}

// TestMemoryOfWhatASaveReads: what a save only reads, another node has changed since this one saw it.
func TestMemoryOfWhatASaveReads(t *testing.T) {
	w := newWorld(t)
	here, there := w.Commands, New(w.store.Store, func() time.Time { return noon })
	save := func(key, name string) error {
		cmd := w.profile(key, name)
		cmd.ProfileID, cmd.Base = w.profileID, state(t, w, profile(w.WorkspaceID, w.profileID)).Version
		_, err := here.SaveProfile(t.Context(), cmd)
		return err
	}
	if err := save("1", "One"); err != nil {
		t.Fatal(err)
	}
	must(there.DeleteScenario(t.Context(), DeleteScenario{Meta: w.meta("gone"), ProjectID: w.projectID, ScenarioID: w.scenarioID}))(t)
	var invalid *domain.InvalidError
	if err := save("2", "Two"); !errors.As(err, &invalid) || invalid.Issues[0].Target != "/scenarioId" {
		t.Errorf("a save with a scenario that the other node deleted: %v", err)
	}
	must(there.ArchiveProject(t.Context(), ArchiveProject{Meta: w.meta("end"), ProjectID: w.projectID}))(t)
	if err := save("3", "Three"); !errors.Is(err, domain.ErrConflict) {
		t.Errorf("a save in a project that the other node archived: %v", err)
	}
}

// TestMemoryOfWhatASaveReadsAfterALostConnection: a tail from before it is compared with the stream, not asked behind.
func TestMemoryOfWhatASaveReadsAfterALostConnection(t *testing.T) {
	w := newWorld(t)
	save := func(base int) {
		cmd := w.profile(fmt.Sprint("save", base), fmt.Sprint(base))
		cmd.ProfileID, cmd.Base = w.profileID, base
		must(w.SaveProfile(t.Context(), cmd))(t)
	}
	save(1)
	p := w.memory.aggregates[project(w.WorkspaceID, w.projectID).Subject()].(*known[domain.Project])
	p.tail.Hash, p.state.Archived, p.reconnects = "other", true, 1
	save(2)
	s := w.memory.aggregates[scenario(w.WorkspaceID, w.scenarioID).Subject()].(*known[domain.ScenarioState])
	s.tail.Hash, s.state.Deleted, s.reconnects = "other", true, 1
	save(3)
}

// TestMessagesOfACommand: how often a command asks the server decides how fast it can be (docs/performance.md).
func TestMessagesOfACommand(t *testing.T) {
	w := newWorld(t)
	sent := func(command func()) uint64 {
		before := w.store.JetStream().Conn().Stats().OutMsgs
		command()
		return w.store.JetStream().Conn().Stats().OutMsgs - before
	}
	for base := range 2 {
		rename := sent(func() { must(w.RenameProject(t.Context(), w.rename(fmt.Sprint(base), base, fmt.Sprint(base))))(t) })
		save := sent(func() {
			cmd := w.profile(fmt.Sprint("save", base), fmt.Sprint(base))
			cmd.ProfileID, cmd.Base = w.profileID, base+1
			must(w.SaveProfile(t.Context(), cmd))(t)
		})
		if rename != 1 || save != 4 { // the commit; the ends of project and scenario, the document, the commit
			t.Errorf("a rename sends %d messages, a save of a profile %d; want 1 and 4", rename, save)
		}
	}
}

// TestMemoryOfAnotherStream: the remembered tail is not in the stream, as after an older backup was restored.
func TestMemoryOfAnotherStream(t *testing.T) {
	w := newWorld(t)
	must(w.RenameProject(t.Context(), w.rename("1", 0, "One")))(t)
	tg := project(w.WorkspaceID, w.projectID)
	last := must(w.store.Last(t.Context(), tg.Aggregate))(t)
	for name, tail := range map[string]eventstore.Tail{
		"another commit at its place": {Seq: last.Seq, Hash: "other"},
		"the stream is shorter":       {Seq: last.Seq + 7, Hash: "other"},
		"another commit before":       {Seq: last.Seq - 1, Hash: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			k := w.memory.aggregates[tg.Subject()].(*known[domain.Project])
			k.tail, k.state.Renames, k.reconnects = tail, 99, 1 // so that it is not guessed on
			if got := state(t, w, tg); got.Renames != 1 || got.Name != "One" {
				t.Errorf("the project is %+v, want what is in the stream", got)
			}
		})
	}
	k := w.memory.aggregates[tg.Subject()].(*known[domain.Project])
	k.tail.Hash, k.state.Renames, k.reconnects = "other", 99, 1
	if _, err := w.RenameProject(t.Context(), w.rename("2", 99, "Two")); err == nil {
		t.Error("a command was decided on what was read before the connection was lost")
	}
}

// TestMemoryIsBounded: of many aggregates some are forgotten, and the count of commits stays true.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	const aggregates = maxRemembered/10 + 50
	for i := range aggregates {
		k := &known[int]{commands: map[string]struct{}{}}
		for j := range 10 {
			k.commands[fmt.Sprint(j)] = struct{}{}
		}
		m.keep(fmt.Sprint(i), k, 10)
	}
	if m.commits != maxRemembered || len(m.aggregates) != maxRemembered/10 {
		t.Errorf("%d commits of %d aggregates are remembered, want %d", m.commits, len(m.aggregates), maxRemembered)
	}
}
