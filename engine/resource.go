package engine

import "math"

// resource is a pool of workers (of an element) or of consumers (of a subscription) with its queue.
type resource struct {
	workers  int64
	busy     int64 // workers that hold work
	capacity int64 // of the queue: waiting works
	depth    int64 // waiting work, not work in service (E20)
	head     int32 // the first and the last waiting frame
	tail     int32

	area     area
	requests requests
	holds    welford // from the start of service to the release, releases inside the window (E19)
	wait     summary
	latency  summary
	backlog  backlog

	served         [2]int64 // works that a worker took, by mark
	failedAtWorker [2]int64 // works that an outage failed when they reached one, by mark
	completed      [2]int64 // works that succeeded, by mark
	turnedAway     int64    // all work, from instant 0 (E45)

	waited  int64 // ns; the sum of all waits that have ended
	held    int64 // ns; the sum of all holds that have ended
	element elementCounts
	window  windowLook
}

const unbounded int64 = math.MaxInt64 // the capacity of a queue that turns nothing away

// elementCounts are what an element counts and a subscription does not, by mark.
type elementCounts struct {
	writes         [2]int64 // that started
	wasted         [2]int64
	wastedNs       [2]int64 // E53
	failedInside   [2]int64
	rejected       [2]int64
	failedByOutage [2]int64
}

// requests counts the works that ask for a worker and the gaps between them inside the window (E19, E38).
type requests struct {
	n    int64 // from instant 0
	last int64 // the last one inside the window; none: -1
	gaps welford
}

// How a request for a worker ends.
const (
	isHeld = iota
	isWaiting
	isTurnedAway
)

// requested counts a request for a worker of the resource.
func (e *engine) requested(r *resource) {
	r.requests.n++
	if !e.inWindow {
		return
	}
	if r.requests.last >= 0 {
		r.requests.gaps.add(e.now - r.requests.last)
	}
	r.requests.last = e.now
}

// request asks for a worker (the page, Calls 3): a free one, else a place in the queue.
func (e *engine) request(id int32, f *frame, r *resource) int {
	e.requested(r)
	f.since = e.now
	if r.busy < r.workers {
		e.hold(id, f, r)
		return isHeld
	}
	return e.join(id, f, r)
}

// join puts a frame at the back of the queue, unless that is full.
func (e *engine) join(id int32, f *frame, r *resource) int {
	if r.depth >= r.capacity {
		r.turnedAway++
		return isTurnedAway
	}
	r.sumUntil(e.now)
	f.next = none
	if r.depth == 0 {
		r.head = id
	} else {
		e.slab.at(r.tail).next = id
	}
	r.tail = id
	r.depth++
	r.backlog.grew(e.now, r.depth, e.inWindow)
	e.queued++
	if e.queued > e.limits.Queued {
		e.exceed(limitQueued)
	}
	return isWaiting
}

// leave takes the head of the queue.
func (e *engine) leave(r *resource) (int32, *frame) {
	r.sumUntil(e.now)
	id := r.head
	f := e.slab.at(id)
	r.head = f.next
	r.depth--
	e.queued--
	if r.depth == 0 {
		r.backlog.emptied(e.now)
	}
	r.waited += e.now - f.since
	return id, f
}

// hold lets a worker take the frame for one service time, which is drawn now (E11).
func (e *engine) hold(id int32, f *frame, r *resource) {
	r.sumUntil(e.now)
	r.busy++
	mark := f.mark()
	r.served[mark]++
	if mark == 1 {
		r.wait.add(e.now - f.since)
	}
	f.since = e.now
	w := &e.works[f.work]
	if w.ring != none {
		e.schedule(w.ring, id)
		return
	}
	e.scheduleAt(e.now+w.time.draw(), serviceEvent, id)
}

// release frees the worker of a frame and lets it go through the queue until a work is served. It returns the
// list of the works that an outage failed on that way; they go on afterwards (E4, E30).
func (e *engine) release(f *frame, r *resource) (failed int32) {
	r.sumUntil(e.now)
	r.busy--
	held := e.now - f.since
	r.held += held
	if e.inWindow {
		r.holds.add(held)
	}
	failed = none
	if r.depth > 0 {
		failed = e.takeNext(r)
	}
	return failed
}

// takeNext serves the first waiting work that no outage fails at the worker (E6).
func (e *engine) takeNext(r *resource) (failed int32) {
	failed, last := none, (*frame)(nil)
	for r.depth > 0 {
		id, f := e.leave(r)
		if !e.works[f.work].out.at(e.now) {
			e.hold(id, f, r)
			return failed
		}
		f.next = none
		if last == nil {
			failed = id
		} else {
			last.next = id
		}
		last = f
	}
	return failed
}
