package http

import (
	"sync"
	"time"

	"github.com/proofload/proofload/domain"
)

// shownProgress is how long the last word of a run is shown: a worker tells it 4 times a second while it works.
const shownProgress = 10 * time.Second

// progressBoard keeps the last word of each run in progress, from whatever process it comes. Nothing of it is stored.
type progressBoard struct {
	mu   sync.Mutex
	last map[string]toldProgress // by run id
}

type toldProgress struct {
	domain.RunProgress
	at time.Time
}

func (b *progressBoard) hear(p domain.RunProgress, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil {
		b.last = map[string]toldProgress{}
	}
	for id, told := range b.last { // as many as there are runs at the same time
		if now.Sub(told.at) > shownProgress {
			delete(b.last, id)
		}
	}
	b.last[p.RunID] = toldProgress{p, now}
}

// of is the progress of a run; nil: none was told lately.
func (b *progressBoard) of(runID string, now time.Time) *domain.RunProgress {
	b.mu.Lock()
	defer b.mu.Unlock()
	told, ok := b.last[runID]
	if !ok || now.Sub(told.at) > shownProgress {
		return nil
	}
	return &told.RunProgress
}
