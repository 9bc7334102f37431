package engine

// twinWork is a call, a write or a message that asks a resource for a worker.
type twinWork struct {
	marked  bool            // its flow started at or after the warm-up (E17)
	arrived int64           // ns
	began   int64           // start of service, ns
	reaches func() bool     // it reaches a worker: false when an outage fails it there
	failed  func()          // what follows when an outage failed it at the worker
	time    func() int64    // the service time, drawn when service starts (E11)
	served  func(*twinWork) // the service time is over
}

// twinResource is an element with its workers or a subscription with its consumers.
type twinResource struct {
	t        *twin
	workers  int64
	capacity *int
	busy     int64
	queue    []*twinWork
	wait     *twinSummary

	requests          int64 // n: inside the window (E19)
	lastRequest       int64
	gaps, holds       twinVariance
	changed           int64 // the instant up to which the two integrals go
	depthTime         [4]int64
	busyTime          int64
	depthMax          int64
	depthAtHalf       int64
	depthAtFull       int64
	turnedAway        int64
	completedInWindow int64
	backlogs          []*twinBacklog

	depthPoints, busyPoints, completedPoints, turnedAwayPoints []int64 // of the series
}

// request asks for a worker: at once, in the queue, or rejected (false).
func (r *twinResource) request(w *twinWork) bool {
	r.countRequest()
	w.arrived = r.t.now
	switch {
	case r.busy < r.workers:
		if w.reaches() {
			r.serve(w)
		} else {
			w.failed()
		}
	case r.capacity != nil && len(r.queue) >= *r.capacity:
		r.turnAway()
		return false
	default:
		r.push(w)
	}
	return true
}

// serve starts the service of work that has reached a worker.
func (r *twinResource) serve(w *twinWork) {
	r.integrate()
	r.busy++
	w.began = r.t.now
	if w.marked {
		r.wait.add(w.began - w.arrived)
	}
	r.t.schedule(w.time(), func() { w.served(w) })
}

// release ends the hold and lets the freed worker go through the queue (E4, E30).
func (r *twinResource) release(w *twinWork) {
	r.integrate()
	r.busy--
	if r.t.inWindow() {
		r.holds.add(float64(r.t.now - w.began))
	}
	var failed []*twinWork
	for len(r.queue) > 0 {
		next := r.pop()
		if next.reaches() {
			r.serve(next)
			break
		}
		failed = append(failed, next)
	}
	for _, w := range failed {
		w.failed()
	}
}

func (r *twinResource) push(w *twinWork) {
	r.integrate()
	if len(r.queue) == 0 {
		r.backlogs = append(r.backlogs, &twinBacklog{start: r.t.now, open: true})
	}
	r.queue = append(r.queue, w)
	if r.t.inWindow() {
		r.seeDepth(r.t.now)
	}
	if r.t.waiting++; r.t.waiting > r.t.in.Limits.Queued {
		r.t.refuse("queued")
	}
}

func (r *twinResource) pop() *twinWork {
	r.integrate()
	w := r.queue[0]
	r.queue[0] = nil
	r.queue = r.queue[1:]
	r.t.waiting--
	if len(r.queue) == 0 { // also for no time (E43)
		r.closeBacklog()
	}
	return w
}

// countRequest counts n and the gaps between requests inside the window (E19, E38).
func (r *twinResource) countRequest() {
	if !r.t.inWindow() {
		return
	}
	if r.requests > 0 {
		r.gaps.add(float64(r.t.now - r.lastRequest))
	}
	r.requests++
	r.lastRequest = r.t.now
}

// turnAway counts by instant, all work (E45, E58).
func (r *twinResource) turnAway() {
	r.t.series.count(&r.turnedAwayPoints, r.t.now)
	if r.t.now >= r.t.warmUp {
		r.turnedAway++
	}
}

// complete counts successful work of all flows.
func (r *twinResource) complete() {
	r.t.series.count(&r.completedPoints, r.t.now)
	if r.t.inWindow() {
		r.completedInWindow++
	}
}

// integrate adds depth and busy workers over the time since the last change, as far as it lies in the window.
func (r *twinResource) integrate() { r.integrateTo(r.t.now) }

func (r *twinResource) integrateTo(now int64) {
	from, window := r.changed, r.t.duration-r.t.warmUp
	r.changed = now
	if from == now || from >= r.t.duration || now <= r.t.warmUp {
		return
	}
	for q := range int64(4) {
		quarter := twinWindow{r.t.warmUp + window*q/4, r.t.warmUp + window*(q+1)/4}
		shared := max(0, min(now, quarter.to)-max(from, quarter.from))
		r.depthTime[q] += int64(len(r.queue)) * shared
		r.busyTime += r.busy * shared
	}
}
