package commands

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/proofload/proofload/domain"
)

// instanceRetry is when an instance with all its runs in progress is worth to be asked again.
const instanceRetry = time.Second

// running are the interactive runs that this process admitted and that have no outcome that it knows of. A run may
// end in another process: the log says so when there is no room for one more.
type running struct {
	mu   sync.Mutex
	runs map[string]string // workspace by run id
}

// take counts a run when there is room for it, or when it is counted already.
func (r *running) take(workspace, runID string, most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.runs[runID]; ok {
		return true
	}
	if len(r.runs) >= most {
		return false
	}
	if r.runs == nil {
		r.runs = map[string]string{}
	}
	r.runs[runID] = workspace
	return true
}

// give gives back the room of a run.
func (r *running) give(runID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.runs, runID)
}

// counted are the runs, by id, with their workspaces.
func (r *running) counted() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.runs)
}

// takeRun counts a run on this process. The policy is read for each run, so that a change of it holds from the
// next one on. BusyError: there is no room.
func (c *Commands) takeRun(ctx context.Context, ws, runID string) error {
	i, err := c.Instance(ctx)
	if err != nil || c.running.take(ws, runID, i.MaxRuns()) {
		return err
	}
	if err := c.giveEnded(ctx); err != nil || c.running.take(ws, runID, i.MaxRuns()) {
		return err
	}
	return &domain.BusyError{Most: i.MaxRuns(), RetryAfter: instanceRetry}
}

// giveEnded gives back the room of the runs that have ended, in whatever process.
func (c *Commands) giveEnded(ctx context.Context) error {
	for id, ws := range c.running.counted() {
		records, err := c.records(ctx, run(ws, id).Aggregate, true)
		if err != nil {
			return err
		}
		for _, r := range records { // the last; none while the run is being requested
			events, err := decode(r)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(events, endsRun) {
				c.running.give(id)
			}
		}
	}
	return nil
}

// endsRun says whether a run that has the event as its last one has ended.
func endsRun(e domain.Event) bool {
	_, deleted := e.(domain.RunDeleted)
	return deleted || domain.IsOutcome(e)
}
