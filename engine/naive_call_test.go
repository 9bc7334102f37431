package engine

// twinOperation is an operation with its policy in force; it counts attempts as their callers see them.
type twinOperation struct {
	id, elementID string
	timeout       int64 // ns; 0: none
	maxAttempts   int
	backoff       int64 // ns
	time          func() int64

	attempts, succeeded, timedOut, rejected int64
	failedByOutage, failedInside            int64
	retries, exhausted                      int64
	latency                                 *twinSummary
}

// twinElement counts what an element did (the page: completed, wasted and failed calls).
type twinElement struct {
	completed, wasted, wastedTime          int64
	failedInside, rejected, failedByOutage int64
	latency                                *twinSummary
}

// sample takes the time at the element of served work, at its release (E49).
func (e *twinElement) sample(w *twinWork, now int64) {
	if w.marked {
		e.latency.add(now - w.arrived)
	}
}

// twinAttempt is one attempt of a call.
type twinAttempt struct {
	t        *twin
	step     *twinCallStep
	op       *twinOperation
	element  *twinElement
	resource *twinResource
	number   int
	marked   bool
	started  int64
	gone     bool // the caller does not wait any more
	done     func(ok bool)
}

func (s *twinCallStep) run(t *twin, marked bool, done func(ok bool)) {
	s.attempt(t, 1, marked, done)
}

// attempt starts an attempt: the outage test, the timeout, the worker (E7).
func (s *twinCallStep) attempt(t *twin, number int, marked bool, done func(ok bool)) {
	op := t.operations[s.operationID]
	a := &twinAttempt{
		t: t, step: s, op: op, element: t.elements[op.elementID], resource: t.resources[op.elementID],
		number: number, marked: marked, started: t.now, done: done,
	}
	twinCount(&op.attempts, marked)
	if number > 1 {
		twinCount(&op.retries, marked)
	}
	if a.isOut() {
		a.failByOutage()
		return
	}
	if op.timeout > 0 {
		t.schedule(op.timeout, a.timeOut)
	}
	t.left.Calls++
	work := &twinWork{marked: marked, time: op.time, reaches: func() bool { return !a.isOut() }, failed: a.failAtWorker, served: a.runInside}
	if !a.resource.request(work) {
		a.close()
		twinCount(&op.rejected, marked)
		twinCount(&a.element.rejected, marked)
		a.fail()
	}
}

func (a *twinAttempt) isOut() bool { return a.t.isOut(a.op.id, a.op.elementID) }

// close says that the call is no more open work.
func (a *twinAttempt) close() {
	a.t.left.Calls--
	a.t.end = a.t.now
}

// timeOut fails the attempt at the caller; the element goes on. A call that has ended is left alone (E8).
func (a *twinAttempt) timeOut() {
	if a.gone {
		return
	}
	twinCount(&a.op.timedOut, a.marked)
	a.fail()
}

func (a *twinAttempt) failByOutage() {
	twinCount(&a.op.failedByOutage, a.marked)
	twinCount(&a.element.failedByOutage, a.marked)
	a.fail()
}

// failAtWorker is for a call that reached a worker in an outage: wasted when nobody waits for it (E18).
func (a *twinAttempt) failAtWorker() {
	a.close()
	if a.gone {
		twinCount(&a.element.wasted, a.marked)
		return
	}
	a.failByOutage()
}

// runInside holds the worker while the steps inside the call run.
func (a *twinAttempt) runInside(w *twinWork) {
	a.step.inner.run(a.t, a.marked, func(ok bool) { a.respond(w, ok) })
}

// respond counts the call, releases the worker and then lets the caller go on, if it still waits (E30).
func (a *twinAttempt) respond(w *twinWork, ok bool) {
	a.close()
	waited := !a.gone
	a.gone = true
	a.element.sample(w, a.t.now)
	switch {
	case !waited:
		twinCount(&a.element.wasted, a.marked)
		if a.marked {
			a.element.wastedTime += a.t.now - w.began
		}
	case !ok:
		twinCount(&a.element.failedInside, a.marked)
		twinCount(&a.op.failedInside, a.marked)
	default:
		a.succeed()
	}
	a.resource.release(w)
	if waited && ok {
		a.done(true)
	} else if waited {
		a.fail()
	}
}

func (a *twinAttempt) succeed() {
	a.resource.complete()
	twinCount(&a.element.completed, a.marked)
	twinCount(&a.op.succeeded, a.marked)
	if a.marked {
		a.op.latency.add(a.t.now - a.started)
	}
}

// fail ends the attempt at the caller: another one after the backoff, or onError, or the step fails (E32).
func (a *twinAttempt) fail() {
	a.gone = true
	switch {
	case a.number < a.op.maxAttempts:
		a.t.schedule(a.op.backoff, func() { a.step.attempt(a.t, a.number+1, a.marked, a.done) })
	default:
		twinCount(&a.op.exhausted, a.marked)
		if len(a.step.onError) == 0 {
			a.done(false)
			return
		}
		a.step.onError.run(a.t, a.marked, a.done)
	}
}
