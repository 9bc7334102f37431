package commands

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// noon is the clock of the tests.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// open starts a server on the folder; stop ends it before the test does.
func open(t testing.TB, dir string) (c *Commands, stop func()) {
	t.Helper()
	e, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var stopped bool
	stop = func() {
		if !stopped {
			stopped = true
			_ = e.Close()
		}
	}
	t.Cleanup(stop)
	store, err := eventstore.Open(t.Context(), e.Conn(), eventstore.Options{AnswerWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return New(store, func() time.Time { return noon }), stop
}

// world is a started instance with a project, a scenario and a profile in it.
type world struct {
	*Commands
	Bootstrapped
	projectID, scenarioID, profileID string
}

func newWorld(t testing.TB) world {
	t.Helper()
	c, _ := open(t, t.TempDir())
	return populate(t, c)
}

func populate(t testing.TB, c *Commands) world {
	t.Helper()
	w := world{Commands: c, Bootstrapped: must(c.Bootstrap(t.Context()))(t)}
	w.projectID = must(c.CreateProject(t.Context(), CreateProject{Meta: w.meta("project"), WorkspaceID: w.WorkspaceID, Name: "Shop"}))(t).ID
	w.scenarioID = must(c.SaveScenario(t.Context(), w.scenario("scenario", 1)))(t).ID
	w.profileID = must(c.SaveProfile(t.Context(), w.profile("profile", "Peak")))(t).ID
	return w
}

func (w world) meta(key string) Meta {
	return Meta{CommandID: CommandID(w.MemberID, "test", key), BodyHash: "body", Member: w.MemberID}
}

func (w world) scenario(key string, n byte) SaveScenario {
	return SaveScenario{
		Meta: w.meta(key), ProjectID: w.projectID,
		Document: domain.Scenario{Name: "Buy"}, Raw: []byte{'{', '0' + n, '}'},
	}
}

// profile is the creation of a profile that is told from others by its name.
func (w world) profile(key, name string) SaveProfile {
	return SaveProfile{
		Meta: w.meta(key), ProjectID: w.projectID,
		Document: domain.Profile{Name: name, ScenarioID: w.scenarioID, Seed: "7"}, Raw: []byte(name),
	}
}

// must is must(f())(t): it ends the test when f fails.
func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// log gives the events of an aggregate in order, and checks that each commit names the member.
func (w world) log(t testing.TB, agg eventstore.Aggregate) []domain.Event {
	t.Helper()
	var all []domain.Event
	for _, r := range must(w.store.Load(t.Context(), agg))(t) {
		if r.Member != w.MemberID {
			t.Errorf("%s: the commit at %d is by %q", agg.Subject(), r.Seq, r.Member)
		}
		all = append(all, must(decode(r))(t)...)
	}
	return all
}

// state is the state of an aggregate as it is stored.
func state[S any](t testing.TB, w world, tg target[S]) S {
	t.Helper()
	return must(stateOf(t.Context(), w.Commands, tg))(t)
}

func wantEvents(t testing.TB, got []domain.Event, want ...domain.Event) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
