package commands

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// together runs f n times at once and gives the errors in the order of their numbers.
func together(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = f(i) })
	}
	wg.Wait()
	return errs
}

func TestBootstrapOfTwoStartsMakesOne(t *testing.T) {
	c, _ := open(t, t.TempDir())
	made := make([]Bootstrapped, 8)
	for _, err := range together(len(made), func(i int) (err error) {
		made[i], err = c.Bootstrap(t.Context())
		return err
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w := world{Commands: c, Bootstrapped: made[0]}
	for _, b := range made {
		if b != made[0] {
			t.Errorf("one start made %v, another %v", made[0], b)
		}
	}
	wantEvents(t, w.log(t, instance().Aggregate),
		domain.MemberCreated{MemberID: w.MemberID, Name: "admin", Administrator: true})
	wantEvents(t, w.log(t, workspace(w.WorkspaceID).Aggregate),
		domain.WorkspaceCreated{WorkspaceID: w.WorkspaceID, Name: "default"},
		domain.MemberGranted{MemberID: w.MemberID, Role: domain.RoleOwner})
}

func TestFiftyWritersRaceOnOneProfile(t *testing.T) {
	w := newWorld(t)
	errs := together(50, func(i int) error {
		cmd := w.profile(fmt.Sprint("writer", i), fmt.Sprint("Peak", i))
		cmd.ProfileID, cmd.Base = w.profileID, 1
		a, err := w.SaveProfile(t.Context(), cmd)
		if err == nil && a.Version != 2 {
			t.Errorf("the winner saved version %d", a.Version)
		}
		return err
	})
	var won int
	for _, err := range errs {
		var stale *domain.StaleError
		switch {
		case err == nil:
			won++
		case !errors.As(err, &stale) || stale.Version != 2 || stale.Member != w.MemberID || !stale.At.Equal(noon):
			t.Errorf("a loser got %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won", won)
	}
	if got := len(w.log(t, profile(w.WorkspaceID, w.profileID).Aggregate)); got != 2 {
		t.Errorf("the log of the profile holds %d events, want the creation and one save", got)
	}
}

// Each command is sent twice, and once more after a restart: one commit, the same answer.
func TestACommandSentAgainIsAnsweredTheSame(t *testing.T) {
	dir := t.TempDir()
	c, stop := open(t, dir)
	w := populate(t, c)
	send := func(c *Commands) []Answer {
		ctx := t.Context()
		model := SaveModel{Meta: w.meta("model"), ProjectID: w.projectID, Document: domain.Model{Elements: []domain.Element{{ID: "e"}}}, Raw: []byte("m")}
		next := w.profile("next", "Peak 2")
		next.ProfileID, next.Base = w.profileID, 1
		return []Answer{
			must(c.CreateProject(ctx, CreateProject{Meta: w.meta("project"), WorkspaceID: w.WorkspaceID, Name: "Shop"}))(t),
			must(c.SaveModel(ctx, model))(t),
			must(c.SaveScenario(ctx, w.scenario("scenario", 1)))(t),
			must(c.SaveProfile(ctx, w.profile("profile", "Peak")))(t),
			must(c.SaveProfile(ctx, next))(t),
			must(c.RequestRun(ctx, RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID}))(t),
		}
	}
	first := send(c)
	position := must(c.store.Position(t.Context()))(t)
	second := send(c)
	stop()
	again, _ := open(t, dir)
	third := send(again)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(first, third); diff != "" {
		t.Errorf("after the restart (-first +third):\n%s", diff)
	}
	if got := must(again.store.Position(t.Context()))(t); got.Last != position.Last {
		t.Errorf("the stream went from %d to %d", position.Last, got.Last)
	}
}

func TestTheSameKeyWithAnotherBodyIsRefused(t *testing.T) {
	w := newWorld(t)
	create, run := w.profile("profile", "Another"), RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: w.profileID}
	must(w.RequestRun(t.Context(), run))(t)
	create.BodyHash, run.BodyHash = "other", "other"
	if _, err := w.SaveProfile(t.Context(), create); !errors.Is(err, domain.ErrIdempotencyMismatch) {
		t.Errorf("SaveProfile: %v", err)
	}
	if _, err := w.RequestRun(t.Context(), run); !errors.Is(err, domain.ErrIdempotencyMismatch) {
		t.Errorf("RequestRun: %v", err)
	}
}

// The append is stored, but its answer is lost: the commit is found by its command id.
func TestAnUnknownOutcomeIsLookedUp(t *testing.T) {
	w := newWorld(t)
	stored := w.publish
	w.publish = func(ctx context.Context, agg eventstore.Aggregate, after eventstore.Tail, c eventstore.Commit) (eventstore.Record, error) {
		if _, err := stored(ctx, agg, after, c); err != nil {
			return eventstore.Record{}, err
		}
		return eventstore.Record{}, eventstore.ErrUnknownOutcome
	}
	cmd := w.profile("next", "Peak 2")
	cmd.ProfileID, cmd.Base = w.profileID, 1
	a := must(w.SaveProfile(t.Context(), cmd))(t)
	if a.Version != 2 || len(w.log(t, profile(w.WorkspaceID, w.profileID).Aggregate)) != 2 {
		t.Errorf("answered %+v", a)
	}
}

// A store that gives no answer, or lets every race be lost, costs a bounded number of tries, and none of its
// errors reaches the caller.
func TestTriesAreBounded(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		err    error
		want   int
		answer error
	}{{eventstore.ErrUnknownOutcome, maxUnknown, domain.ErrUnknownOutcome}, {eventstore.ErrRaced, maxTries, domain.ErrUnavailable}} {
		var tries int
		w.publish = func(context.Context, eventstore.Aggregate, eventstore.Tail, eventstore.Commit) (eventstore.Record, error) {
			tries++
			return eventstore.Record{}, tt.err
		}
		_, err := w.SaveScenario(t.Context(), w.scenario("other", 2))
		if !errors.Is(err, tt.answer) || errors.Is(err, tt.err) || tries != tt.want {
			t.Errorf("%v: after %d tries: %v", tt.err, tries, err)
		}
	}
}

func TestTriesEndWithTheClient(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	var tries int
	w.publish = func(context.Context, eventstore.Aggregate, eventstore.Tail, eventstore.Commit) (eventstore.Record, error) {
		tries++
		cancel()
		return eventstore.Record{}, eventstore.ErrRaced
	}
	if _, err := w.SaveScenario(ctx, w.scenario("other", 2)); !errors.Is(err, context.Canceled) || tries != 1 {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

// The process dies after the profile is saved and before its project admits it.
func TestAProfileThatWasNotAdmittedIsInvisibleUntilTheCommandIsSentAgain(t *testing.T) {
	w := newWorld(t)
	cmd := w.profile("second", "Second")
	id := newID(cmd.CommandID, domain.AggregateProfile)
	half := cmd
	half.ProfileID = id
	must(w.saveProfileVersion(t.Context(), place{workspace: w.WorkspaceID}, half, profileFacts{create: true, inScenario: true}))(t)

	update := w.profile("update", "Third")
	update.ProfileID, update.Base = id, 1
	if _, err := w.SaveProfile(t.Context(), update); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an orphan can be saved: %v", err)
	}
	if _, err := w.RequestRun(t.Context(), RequestRun{Meta: w.meta("run"), ProjectID: w.projectID, ProfileID: id}); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("an orphan can be run: %v", err)
	}
	a := must(w.SaveProfile(t.Context(), cmd))(t)
	if a.ID != id || a.Version != 1 || !state(t, w, project(w.WorkspaceID, w.projectID)).Profiles[id] {
		t.Errorf("answered %+v", a)
	}
	if got := len(w.log(t, profile(w.WorkspaceID, id).Aggregate)); got != 1 {
		t.Errorf("the profile has %d events", got)
	}
}

// The answer's position is the one at which the profile is visible, not the one at which it was saved.
func TestANewProfileIsAnsweredWithItsAdmission(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		a := must(w.SaveProfile(t.Context(), w.profile("second", "Second")))(t)
		last := must(w.store.Last(t.Context(), project(w.WorkspaceID, w.projectID).Aggregate))(t)
		if last.Events[0].Name != "ProfileAdmitted" || a.Position != last.Seq {
			t.Errorf("answered at %d, admitted at %d", a.Position, last.Seq)
		}
	}
}

// 100 clients create profiles at once, beside the one that is there: 49 get in.
func TestFiftyProfilesAreTheMost(t *testing.T) {
	w := newWorld(t)
	var created int
	for _, err := range together(100, func(i int) error {
		_, err := w.SaveProfile(t.Context(), w.profile(fmt.Sprint("create", i), fmt.Sprint("Peak", i)))
		return err
	}) {
		switch {
		case err == nil:
			created++
		case !errors.Is(err, domain.ErrConflict):
			t.Errorf("a create failed with %v", err)
		}
	}
	if got := len(state(t, w, project(w.WorkspaceID, w.projectID)).Profiles); created != 49 || got != 50 {
		t.Errorf("%d were created, the project has %d", created, got)
	}
}

func TestSavesLookForWhatTheyName(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	other := must(w.CreateProject(ctx, CreateProject{Meta: w.meta("other"), WorkspaceID: w.WorkspaceID, Name: "Other"}))(t).ID
	for _, id := range []string{"", "*", ">", "a.b", newID("x", "y"), other} {
		inScenario, inProfile := w.profile("a"+id, "A"), w.profile("b"+id, "B")
		inScenario.Document.ScenarioID, inProfile.ProfileID = id, id
		if _, err := w.SaveProfile(ctx, inScenario); fmt.Sprint(targets(err)) != "[/scenarioId]" {
			t.Errorf("scenario %q: %v", id, err)
		}
		if _, err := w.SaveProfile(ctx, inProfile); id != "" && !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("profile %q: %v", id, err)
		}
		if id == other {
			continue
		}
		if _, err := w.SaveModel(ctx, SaveModel{Meta: w.meta("c" + id), ProjectID: id, Raw: []byte("m")}); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("project %q: %v", id, err)
		}
		if _, err := w.CreateProject(ctx, CreateProject{Meta: w.meta("d" + id), WorkspaceID: id, Name: "D"}); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("workspace %q: %v", id, err)
		}
	}
	foreign := w.profile("e", "E")
	foreign.ProjectID = other
	if _, err := w.SaveProfile(ctx, foreign); fmt.Sprint(targets(err)) != "[/scenarioId]" {
		t.Errorf("the scenario of another project: %v", err)
	}
	foreign.ProfileID, foreign.Base = w.profileID, 1
	if _, err := w.SaveProfile(ctx, foreign); !errors.Is(err, domain.ErrNotFound) {
		t.Errorf("the profile of another project: %v", err)
	}
}

func TestDocumentsAreStoredBeforeTheirEvent(t *testing.T) {
	w := newWorld(t)
	for _, blob := range []string{
		state(t, w, scenario(w.WorkspaceID, w.scenarioID)).Blob,
		state(t, w, profile(w.WorkspaceID, w.profileID)).Blob,
	} {
		if data, err := w.store.Blob(t.Context(), blob); err != nil || len(data) == 0 {
			t.Errorf("blob %s: %v", blob, err)
		}
	}
}

// One client's commands carry the same id for all they do, and where it comes from.
func TestCommitsSayWhoWhenAndWhy(t *testing.T) {
	w := newWorld(t)
	cmd := w.scenario("named", 2)
	cmd.CorrelationID, cmd.CausationID = "request", "cause"
	a := must(w.SaveScenario(t.Context(), cmd))(t)
	r := must(w.store.Last(t.Context(), scenario(w.WorkspaceID, a.ID).Aggregate))(t)
	got := []string{r.CommandID, r.BodyHash, r.Member, r.CorrelationID, r.CausationID, r.At.String()}
	want := []string{cmd.CommandID, "body", w.MemberID, "request", "cause", noon.String()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commit (-want +got):\n%s", diff)
	}
	if r.Seq != a.Position {
		t.Errorf("the answer is at %d, the commit at %d", a.Position, r.Seq)
	}
}

func TestIDs(t *testing.T) {
	id := newID("command", "profile")
	if !validID(id) || len(id) != 26 || id == newID("command", "run") || id == newID("other", "profile") || id != newID("command", "profile") {
		t.Errorf("id %q", id)
	}
	first, again := CommandID("a", "b", "c"), CommandID("a", "b", "c")
	oneNew, otherNew := NewCommandID(), NewCommandID()
	if first != again || first == CommandID("a", "bc", "") || oneNew == otherNew {
		t.Error("command ids")
	}
}
