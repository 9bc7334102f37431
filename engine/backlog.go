package engine

import (
	"cmp"
	"slices"
)

const maxBacklogWindows = 4 // that a resource lists

// period is a time in which work waits without a break (E43).
type period struct {
	start, end int64 // ns; end is never while work waits
	max        int64 // the greatest depth inside the measured window
	maxAt      int64 // the first instant of that depth, ns
}

// backlog follows the queue of a resource: its depth in the window and the periods with the highest one.
type backlog struct {
	now     period
	highest []period // at most maxBacklogWindows, in order of start
	least   int64    // a period at or below it is not kept
	max     int64    // of the depth inside the window (E42)
}

// newBacklog keeps no period of depth 1: the noise bound is at least 2.
func newBacklog() backlog {
	return backlog{highest: make([]period, 0, maxBacklogWindows+1), least: 1}
}

// grew notes that the queue took a depth by a work that joined.
func (b *backlog) grew(now, depth int64, inWindow bool) {
	if depth == 1 {
		b.now = period{start: now, end: never}
	}
	if inWindow && depth > b.now.max {
		b.now.max, b.now.maxAt = depth, now
		b.max = max(b.max, depth)
	}
}

// opened notes the depth that is found when the window opens, before the events of that instant (E42).
func (b *backlog) opened(now, depth int64) {
	b.now.max, b.now.maxAt = depth, now
	b.max = depth
}

// emptied ends the period (E43).
func (b *backlog) emptied(now int64) {
	if b.now.max > b.least {
		b.now.end = now
		b.keep()
	}
}

// keep adds the period to the highest ones. Of equal depth the earlier is kept.
func (b *backlog) keep() {
	b.highest = append(b.highest, b.now)
	if len(b.highest) <= maxBacklogWindows {
		return
	}
	lowest := 0
	for i, p := range b.highest {
		if p.max <= b.highest[lowest].max {
			lowest = i
		}
	}
	b.highest = slices.Delete(b.highest, lowest, lowest+1)
	b.least = slices.MinFunc(b.highest, func(p, q period) int { return cmp.Compare(p.max, q.max) }).max
}

// windows lists the periods that reach the noise bound; waiting says that work still waits at the end.
func (b *backlog) windows(bound int64, waiting bool) []BacklogWindow {
	if waiting && b.now.max > b.least {
		b.keep()
	}
	listed := []BacklogWindow{}
	for _, p := range b.highest {
		if p.max < bound {
			continue
		}
		w := BacklogWindow{StartMs: nsToMs(p.start), MaxDepth: p.max, MaxAtMs: nsToMs(p.maxAt)}
		if p.end != never {
			w.EndMs = msOf(p.end)
		}
		listed = append(listed, w)
	}
	return listed
}
