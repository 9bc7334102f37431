package domain

import (
	"slices"
	"time"
)

// Bounds of the runs of one workspace (the page, Runs at the same time), and the age at which an admission
// that was never released no longer counts.
const (
	MaxOpenRuns    = 2
	MaxRecentRuns  = 30
	RecentFor      = 60 * time.Second
	AdmissionLasts = 120 * time.Second
)

// clocksDiffer is how far the clocks of processes may be apart without anything being put right.
const clocksDiffer = 5 * time.Second

// Admissions is the state of a workspace's admission aggregate: the runs that it let in.
type Admissions struct {
	Open   []Admission // admitted, not released; in the order of their starts
	Recent []Admission // starts of the last 60 s
}

// EvolveAdmissions folds one event into the state: each event carries the whole of it.
func EvolveAdmissions(a Admissions, e Event) Admissions {
	switch e := e.(type) {
	case RunAdmitted:
		return Admissions{Open: e.Open, Recent: e.Recent}
	case RunReleased:
		return Admissions{Open: e.Open, Recent: e.Recent}
	}
	return a
}

// At is the state without what no longer counts at an instant. What lies ahead of it is of a clock that was set back since:
// it counts as if it were of now, neither for as long as that clock was ahead nor not at all.
func (a Admissions) At(now time.Time) Admissions {
	return Admissions{Open: younger(a.Open, now, AdmissionLasts), Recent: younger(a.Recent, now, RecentFor)}
}

// Ahead says whether something is dated so far ahead of an instant that the state at it has to be kept, or it would be
// of now for ever.
func (a Admissions) Ahead(now time.Time) bool {
	latest := now.Add(clocksDiffer).UnixMilli()
	ahead := func(a Admission) bool { return a.At > latest }
	return slices.ContainsFunc(a.Open, ahead) || slices.ContainsFunc(a.Recent, ahead)
}

// Has says whether the run is open.
func (a Admissions) Has(runID string) bool {
	for _, open := range a.Open {
		if open.RunID == runID {
			return true
		}
	}
	return false
}

// Without is the state after the run was released.
func (a Admissions) Without(runID string) Admissions {
	var open []Admission
	for _, o := range a.Open {
		if o.RunID != runID {
			open = append(open, o)
		}
	}
	return Admissions{Open: open, Recent: a.Recent}
}

// younger keeps what happened less than age ago; what lies ahead, as of now.
func younger(list []Admission, now time.Time, age time.Duration) []Admission {
	var kept []Admission
	for _, a := range list {
		if a.At = min(a.At, now.UnixMilli()); now.Sub(time.UnixMilli(a.At)) < age {
			kept = append(kept, a)
		}
	}
	return kept
}
