package engine

import (
	"container/heap"
	"math"

	"github.com/proofload/proofload/domain"
)

// The twin is a second engine, written from the specification alone: closures as continuations, step
// interfaces, maps by id, container/heap of pointers, timers that stay in the heap when their call has ended.
// It is the oracle of the differential tests and the baseline of the benchmarks. It shares with the engine the
// result types, the checks before a run, the assumptions and the generators (which the vectors prove).

// twinEvent is something that happens at an instant, in virtual ns.
type twinEvent struct {
	at, seq int64
	run     func()
}

// twinHeap orders events by (time, sequence), as the page says.
type twinHeap []*twinEvent

func (h twinHeap) Len() int { return len(h) }
func (h twinHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}
func (h twinHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *twinHeap) Push(e any)   { *h = append(*h, e.(*twinEvent)) }
func (h *twinHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}

// twin is one run. Instants and durations are virtual ns.
type twin struct {
	in                   Input
	uses                 domain.Flow
	warmUp, duration     int64
	drainLimit           int64
	now, end             int64 // end: the last instant at which work was open
	seq, events, waiting int64
	queue                twinHeap
	over                 string // the limit that stopped the run

	arrivals     func() (at int64, ok bool)
	steps        twinSequence
	handlers     map[string]twinSequence
	operations   map[string]*twinOperation
	stores       map[string]func() int64 // service time of the writes
	resources    map[string]*twinResource
	elements     map[string]*twinElement
	consumers    map[string]*twinSubscription
	channels     map[string]*twinChannel
	branches     map[string]func() bool
	outages      map[string][]twinWindow
	routes       map[[2]string][]string
	flow         twinFlow
	left         Left
	series       twinSeries
	windowOpened bool
	halfTaken    bool
	fullTaken    bool
}

// twinWindow is [from, to) in ns.
type twinWindow struct{ from, to int64 }

func (w twinWindow) holds(at int64) bool { return w.from <= at && at < w.to }

// schedule gives an event the next sequence number (E2).
func (t *twin) schedule(after int64, run func()) {
	heap.Push(&t.queue, &twinEvent{at: t.now + after, seq: t.seq, run: run})
	t.seq++
	if int64(t.queue.Len()) > t.in.Limits.Pending {
		t.refuse("pending")
	}
}

// refuse stops the run at the first limit that it is over.
func (t *twin) refuse(limit string) {
	if t.over == "" {
		t.over = limit
	}
}

// run handles the events up to the drain limit (E34, E68).
func (t *twin) run() {
	t.scheduleArrival()
	for t.queue.Len() > 0 && t.over == "" {
		next := heap.Pop(&t.queue).(*twinEvent)
		if next.at > t.drainLimit {
			break
		}
		if t.events++; t.events > t.in.Limits.Events {
			t.refuse("events")
			break
		}
		t.passTo(next.at)
		t.now = next.at
		next.run()
	}
	t.passTo(math.MaxInt64)
	if t.left != (Left{}) {
		t.end = t.drainLimit
	}
}

// passTo does what lies before the first event of the instant at: the opening of the window (E42), the samples
// (E9) and the two depths of the growth (E44).
func (t *twin) passTo(at int64) {
	if !t.windowOpened && at >= t.warmUp {
		t.windowOpened = true
		for _, r := range t.resources {
			r.seeDepth(t.warmUp)
		}
	}
	if half := t.warmUp + (t.duration-t.warmUp)*2/4; !t.halfTaken && at > half {
		t.halfTaken = true
		for _, r := range t.resources {
			r.depthAtHalf = int64(len(r.queue))
		}
	}
	if !t.fullTaken && at > t.duration {
		t.fullTaken = true
		for _, r := range t.resources {
			r.depthAtFull = int64(len(r.queue))
		}
	}
	t.series.passTo(t, at)
}

// scheduleArrival schedules the next arrival; it is handled in the order of E3.
func (t *twin) scheduleArrival() {
	at, ok := t.arrivals()
	if !ok || at >= t.duration {
		return
	}
	t.schedule(at-t.now, func() {
		t.startFlow()
		t.scheduleArrival()
	})
}

// inWindow tells whether the current instant lies in the measured window.
func (t *twin) inWindow() bool { return t.warmUp <= t.now && t.now < t.duration }

// isOut tells whether one of the targets is in an outage window now.
func (t *twin) isOut(targets ...string) bool {
	if len(t.outages) == 0 {
		return false
	}
	for _, target := range targets {
		for _, window := range t.outages[target] {
			if window.holds(t.now) {
				return true
			}
		}
	}
	return false
}
