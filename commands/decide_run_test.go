package commands

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

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
