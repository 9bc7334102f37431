package commands

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
)

// clocked is a world whose clock can be set.
func clocked(t *testing.T) (world, *time.Time) {
	t.Helper()
	w := newWorld(t)
	now := noon
	w.now = func() time.Time { return now }
	return w, &now
}

// wantLimited expects that a run is refused, and that it is worth to be asked for again soon.
func (w world) wantLimited(t *testing.T, key string, soon time.Duration) {
	t.Helper()
	var limited *domain.RateLimitedError
	if _, err := w.tryRun(t, w.Commands, key); !errors.As(err, &limited) || limited.RetryAfter > soon {
		t.Errorf("run %s: %v (%+v), want it refused for at most %v", key, err, limited, soon)
	}
}

// The clock is set back by years while two runs are open: no third is let in, and runs that nobody gives back block the
// workspace for 120 s, not for years.
func TestClockSetBackWhileRunsAreOpen(t *testing.T) {
	w, now := clocked(t)
	*now = noon.AddDate(10, 0, 0)
	must(w.tryRun(t, w.Commands, "1"))(t)
	must(w.tryRun(t, w.Commands, "2"))(t)
	*now = noon
	w.wantLimited(t, "3", busyRetry)
	*now = noon.Add(domain.AdmissionLasts - time.Second)
	w.wantLimited(t, "3", busyRetry)
	*now = noon.Add(domain.AdmissionLasts)
	must(w.tryRun(t, w.Commands, "3"))(t)
	if open := state(t, w, admission(w.WorkspaceID)).Open; len(open) != 1 {
		t.Errorf("%d runs are open, want the third alone", len(open))
	}
}

// The clock is set back after 30 runs in a minute: the 31st waits for a minute, neither longer nor shorter.
func TestClockSetBackAfterThirtyRuns(t *testing.T) {
	w, now := clocked(t)
	*now = noon.Add(time.Hour)
	for i := range domain.MaxRecentRuns {
		w.end(t, w.Commands, must(w.tryRun(t, w.Commands, fmt.Sprint(i)))(t))
	}
	*now = noon
	w.wantLimited(t, "31", domain.RecentFor)
	*now = noon.Add(domain.RecentFor - time.Second)
	w.wantLimited(t, "31", domain.RecentFor)
	*now = noon.Add(domain.RecentFor)
	must(w.tryRun(t, w.Commands, "31"))(t)
}

// Clocks of processes that are a little apart leave no mark when a run is refused.
func TestClocksALittleApart(t *testing.T) {
	w, now := clocked(t)
	*now = noon.Add(4 * time.Second)
	must(w.tryRun(t, w.Commands, "1"))(t)
	must(w.tryRun(t, w.Commands, "2"))(t)
	*now = noon
	w.wantLimited(t, "3", busyRetry)
	if got := len(w.log(t, admission(w.WorkspaceID).Aggregate)); got != 2 {
		t.Errorf("a refused run left its mark: %d events", got)
	}
}

// Set forward, the clock frees the places early; the runs themselves are not touched.
func TestClockSetForward(t *testing.T) {
	w, now := clocked(t)
	first := must(w.tryRun(t, w.Commands, "1"))(t)
	must(w.tryRun(t, w.Commands, "2"))(t)
	*now = noon.AddDate(1, 0, 0)
	must(w.tryRun(t, w.Commands, "3"))(t)
	w.end(t, w.Commands, first)
	if run, err := w.LoadRun(t.Context(), w.WorkspaceID, first); err != nil || run.Status != domain.StatusFailed {
		t.Errorf("%+v, %v", run, err)
	}
}

// A token and a session end by the clock as it stands, whichever way it was set.
func TestClockAndTokens(t *testing.T) {
	w, now := clocked(t)
	session := must(w.OpenSession(t.Context(), w.meta("session"), w.MemberID))(t).Text
	for _, at := range []struct {
		after time.Duration
		valid bool
	}{{0, true}, {SessionTime, false}, {SessionTime - time.Second, true}, {-time.Hour, true}} {
		*now = noon.Add(at.after)
		if _, err := w.Authenticate(t.Context(), session); (err == nil) != at.valid {
			t.Errorf("after %v: %v", at.after, err)
		}
	}
}

// The log is in the order of its commits, whatever times they bear, and a version that is saved on a clock that was set back
// is the newest all the same.
func TestClockSetBackLeavesTheOrder(t *testing.T) {
	w, now := clocked(t)
	var versions []int
	for i, after := range []time.Duration{time.Hour, -time.Hour, 0} {
		*now = noon.Add(after)
		cmd := w.profile(fmt.Sprint("save", i), fmt.Sprint("Peak", i))
		cmd.ProfileID, cmd.Base = w.profileID, i+1
		versions = append(versions, must(w.SaveProfile(t.Context(), cmd))(t).Version)
	}
	if !slices.Equal(versions, []int{2, 3, 4}) {
		t.Errorf("versions %v", versions)
	}
	records := must(w.store.Load(t.Context(), profile(w.WorkspaceID, w.profileID).Aggregate))(t)
	times := make([]time.Duration, 0, len(records))
	for _, r := range records {
		times = append(times, r.At.Sub(noon))
	}
	if want := []time.Duration{0, time.Hour, -time.Hour, 0}; !slices.Equal(times, want) {
		t.Errorf("the commits are of %v, want %v", times, want)
	}
}
