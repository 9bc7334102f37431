package worker

import (
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// progressEvery is the least time between two tellings of the progress of one run: 4 times a second at most.
const progressEvery = 250 * time.Millisecond

// progressOf tells those who listen how far a run is. A run that takes less than progressEvery tells nothing.
func (w *Worker) progressOf(pins domain.RunRequested) func(engine.Progress) {
	if w.Now == nil {
		return nil
	}
	start := w.Now()
	last := start
	return func(p engine.Progress) {
		now := w.Now()
		if now.Sub(last) < progressEvery {
			return
		}
		last = now
		if err := w.Commands.TellProgress(pins, progressAt(pins.RunID, p, now.Sub(start))); err != nil {
			w.Logger.Debug("progress was not told", "run", pins.RunID, "err", err)
		}
	}
}

// progressAt is the progress after a time of work. What remains is estimated from the share that is done.
func progressAt(runID string, p engine.Progress, worked time.Duration) domain.RunProgress {
	told := domain.RunProgress{
		RunID: runID, VirtualSeconds: time.Duration(p.VirtualNs).Seconds(), Events: p.Events, Done: p.Done,
	}
	if p.Done > 0 {
		told.RemainingSeconds = new(worked.Seconds() * (1 - p.Done) / p.Done)
	}
	return told
}
