package engine

import (
	"cmp"
	"slices"
)

// twinBacklog is a time in which work waits without a break (E43).
type twinBacklog struct {
	start, end int64
	open       bool
	maxDepth   int64 // inside the measured window
	maxAt      int64
}

// seeDepth notes a depth that the queue takes inside the window (E42).
func (r *twinResource) seeDepth(at int64) {
	depth := int64(len(r.queue))
	r.depthMax = max(r.depthMax, depth)
	if depth == 0 {
		return
	}
	if current := r.backlogs[len(r.backlogs)-1]; depth > current.maxDepth {
		current.maxDepth, current.maxAt = depth, at
	}
}

// closeBacklog ends the current backlog. One that has no depth inside the window is never listed.
func (r *twinResource) closeBacklog() {
	current := r.backlogs[len(r.backlogs)-1]
	current.open, current.end = false, r.t.now
	if current.maxDepth < 2 { // below every noise bound
		r.backlogs = r.backlogs[:len(r.backlogs)-1]
	}
}

// listed is the at most four deepest backlogs that reach the bound, in order of start.
func (r *twinResource) listed(bound int64) []*twinBacklog {
	var places []int // in r.backlogs, which is in order of start
	for i, b := range r.backlogs {
		if b.maxDepth >= bound {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Compare(r.backlogs[b].maxDepth, r.backlogs[a].maxDepth)
	})
	places = places[:min(4, len(places))]
	slices.Sort(places)
	var list []*twinBacklog
	for _, i := range places {
		list = append(list, r.backlogs[i])
	}
	return list
}

func (r *twinResource) backlogWindows(bound int64) []BacklogWindow {
	windows := []BacklogWindow{}
	for _, b := range r.listed(bound) {
		window := BacklogWindow{StartMs: twinMs(b.start), MaxDepth: b.maxDepth, MaxAtMs: twinMs(b.maxAt)}
		if !b.open {
			end := twinMs(b.end)
			window.EndMs = &end
		}
		windows = append(windows, window)
	}
	return windows
}
