package main

import (
	"os"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"github.com/proofload/proofload/engine"
)

// progress is a bar on a terminal for runs that take over a second together; elsewhere it shows nothing.
type progress struct {
	bar     *progressbar.ProgressBar // nil: no terminal
	elapsed func() time.Duration

	mu   sync.Mutex
	done []float64 // of each run, 0 to 1
}

// progressSteps are the steps of the bar for one run, or of a copy.
const progressSteps = 1000

func newProgress(io streams, runs int) *progress {
	return &progress{bar: newBar(io, progressSteps*runs, "running"), elapsed: sinceStart(), done: make([]float64, runs)}
}

// newBar is a bar that is empty and not yet drawn; nil where standard error is no terminal.
func newBar(io streams, steps int, description string) *progressbar.ProgressBar {
	file, ok := io.err.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return nil
	}
	return progressbar.NewOptions(steps, progressbar.OptionSetWriter(file), progressbar.OptionSetDescription(description),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true))
}

// of watches one of the runs; nil where there is nothing to show.
func (p *progress) of(run int) *engine.Observer {
	if p.bar == nil {
		return nil
	}
	return &engine.Observer{Progress: func(at engine.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.done[run] = at.Done
		if p.elapsed() < time.Second {
			return
		}
		var sum float64
		for _, done := range p.done {
			sum += done
		}
		_ = p.bar.Set(int(sum * progressSteps))
	}}
}

// clear takes the bar off the terminal.
func (p *progress) clear() {
	if p.bar != nil && p.elapsed() >= time.Second {
		_ = p.bar.Clear()
	}
}
