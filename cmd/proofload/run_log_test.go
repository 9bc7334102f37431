package main

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// runLog is what the log says of the runs, as it is followed.
type runLog struct {
	mu   sync.Mutex
	runs map[string]*loggedRun
	open map[string]int // admissions that hold a place, by workspace
}

type loggedRun struct {
	starts   []string // the workers that took it up
	outcomes []domain.Event
}

// followRuns follows the log from where it is, until stop is called.
func followRuns(t *testing.T, store *eventstore.Store) (_ *runLog, stop func()) {
	t.Helper()
	at, err := store.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reader, err := store.Read(t.Context(), at.Last)
	if err != nil {
		t.Fatal(err)
	}
	l := &runLog{runs: map[string]*loggedRun{}, open: map[string]int{}}
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() {
		defer close(done)
		for {
			records, err := reader.NextBatch(ctx, 100, time.Second)
			if err == nil {
				err = l.note(records)
			}
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				return
			}
		}
	}()
	return l, func() { cancel(); <-done; reader.Close() }
}

// followRunsOn opens the log on a NATS server, and follows it until the test ends.
func followRunsOn(t *testing.T, url string) (*eventstore.Store, *runLog) {
	t.Helper()
	conn, err := eventstore.Connect(url)
	must(t, err)
	t.Cleanup(conn.Close)
	store, err := eventstore.Open(t.Context(), conn, eventstore.Options{Existing: true})
	must(t, err)
	follow, unfollow := followRuns(t, store)
	t.Cleanup(unfollow)
	return store, follow
}

func (l *runLog) note(records []eventstore.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range records {
		for _, stored := range r.Events {
			event, err := domain.Decode(stored.Name, stored.Schema, stored.Data)
			if err != nil {
				return err
			}
			switch r.Aggregate.Type {
			case domain.AggregateRun:
				l.noteRun(r.Aggregate.ID, event)
			case domain.AggregateAdmission:
				l.open[r.Aggregate.Workspace] = len(domain.EvolveAdmissions(domain.Admissions{}, event).Open)
			}
		}
	}
	return nil
}

func (l *runLog) noteRun(id string, event domain.Event) {
	if l.runs[id] == nil {
		l.runs[id] = &loggedRun{}
	}
	run := l.runs[id]
	if e, ok := event.(domain.RunStarted); ok {
		run.starts = append(run.starts, e.Worker)
	}
	if domain.IsOutcome(event) {
		run.outcomes = append(run.outcomes, event)
	}
}

// unended counts the runs without an outcome, and those whose place was not given back.
func (l *runLog) unended() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := 0
	for _, run := range l.runs {
		if len(run.outcomes) == 0 {
			count++
		}
	}
	for _, open := range l.open {
		count += open
	}
	return count
}

// at is the worker that took a run up last, and whether the run has ended; empty: nobody took it up.
func (l *runLog) at(id string) (worker string, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	run := l.runs[id]
	if run == nil || len(run.starts) == 0 {
		return "", false
	}
	return run.starts[len(run.starts)-1], len(run.outcomes) > 0
}

// count counts the runs.
func (l *runLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs)
}

// tries is how often the run was taken up that a worker computes; 0: it computes none.
func (l *runLog) tries(worker string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := 0 // it is idle
	for _, run := range l.runs {
		if n := len(run.starts); n > 0 && run.starts[n-1] == worker && len(run.outcomes) == 0 {
			most = max(most, n)
		}
	}
	return most
}

func (l *runLog) takenUpAgain() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := 0
	for _, run := range l.runs {
		if len(run.starts) > 1 {
			count++
		}
	}
	return count
}

// check asks for one outcome of each run, the same of all.
func (l *runLog) check(t *testing.T, count int, hash string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.runs) != count {
		t.Errorf("%d runs, want %d", len(l.runs), count)
	}
	for id, run := range l.runs {
		outcome, _ := json.Marshal(run.outcomes)
		if len(run.outcomes) != 1 {
			t.Errorf("run %s, taken up by %v, has the outcomes %s", id, run.starts, outcome)
		} else if e, ok := run.outcomes[0].(domain.RunCompleted); !ok || e.ResultHash != hash {
			t.Errorf("run %s, taken up by %v, ended with %s, want completed with %s", id, run.starts, outcome, hash)
		}
	}
}
