package engine

// operation is what the calls of one operation count and wait for.
type operation struct {
	timeout     int32 // ring; none: no timeout
	backoff     int32 // ring
	maxAttempts uint8
	latency     summary
	counts      operationCounts
}

// operationCounts are by mark (E18, E47).
type operationCounts struct {
	attempts, succeeded, timedOut, rejected, failedByOutage, failedInside, retries, exhausted [2]int64
}

// attempt starts an attempt of a call (the page, Calls; E7): outage test, timeout, request for a worker.
func (e *engine) attempt(caller int32, f *frame, in *instruction) uint8 {
	f.tries++
	w, o, mark := &e.works[in.work], &e.operations[in.work], f.mark()
	o.counts.attempts[mark]++
	r := &e.resources[w.resource]
	if w.out.at(e.now) {
		o.counts.failedByOutage[mark]++
		r.element.failedByOutage[mark]++
		return attemptFailed
	}
	id, call := e.newFrame(callFrame, caller, in.a, f.flags&markedFlag)
	call.work = in.work
	if o.timeout != none {
		call.timer = e.schedule(o.timeout, id)
	}
	if e.request(id, call, r) == isTurnedAway {
		o.counts.rejected[mark]++
		r.element.rejected[mark]++
		e.close(id, call)
		return attemptFailed
	}
	return waits
}

// failAttempt waits for the backoff, or runs the onError steps or fails after the last attempt (E32, E47).
func (e *engine) failAttempt(caller int32, f *frame) uint8 {
	in := &e.code[f.pc]
	o := &e.operations[in.work]
	if f.tries < o.maxAttempts {
		e.schedule(o.backoff, caller)
		return waits
	}
	o.counts.exhausted[f.mark()]++
	if in.b == none {
		return stepFailed
	}
	f.pc = in.b
	return proceed
}

// retry starts the next attempt after the backoff.
func (e *engine) retry(caller int32, f *frame) uint8 {
	in := &e.code[f.pc]
	e.operations[in.work].counts.retries[f.mark()]++
	return e.attempt(caller, f, in)
}

// timeoutDue fails the attempt at its caller. The call goes on without one (the page, Wasted work). On a call that has
// ended it does nothing (E8).
func (e *engine) timeoutDue(due ringEntry) {
	f := e.slab.at(due.frame)
	if f.timer != due.seq {
		return
	}
	caller := f.parent
	e.operations[f.work].counts.timedOut[f.mark()]++
	f.timer, f.parent = 0, none
	f.flags |= goneFlag
	e.goOn(task{caller, attemptFailed})
}

// endCall ends a call that a worker holds (the page, Completed, wasted and failed calls), frees the worker and gives
// who goes on: first the works that the worker found failed, then the caller (E30).
func (e *engine) endCall(id int32, f *frame, ok bool) task {
	w, o, mark := &e.works[f.work], &e.operations[f.work], f.mark()
	r := &e.resources[w.resource]
	caller := task{f.parent, stepDone}
	switch {
	case f.gone():
		r.element.wasted[mark]++
		r.element.wastedNs[mark] += e.now - f.since
		caller = nothing()
	case ok:
		o.counts.succeeded[mark]++
		r.completed[mark]++
		if mark == 1 {
			o.latency.add(e.now - f.start)
		}
	default:
		o.counts.failedInside[mark]++
		r.element.failedInside[mark]++
		caller.next = attemptFailed
	}
	return e.leaveElement(id, f, r, caller)
}

// leaveElement frees the worker of a call or a write.
func (e *engine) leaveElement(id int32, f *frame, r *resource, caller task) task {
	if f.mark() == 1 {
		r.latency.add(e.now - f.start)
	}
	failed := e.release(f, r)
	e.close(id, f)
	return e.first(failed, caller)
}

// first gives the works that failed at the worker before another task.
func (e *engine) first(failed int32, then task) task {
	if failed == none {
		return then
	}
	if then.next != waits {
		e.todo = append(e.todo, then)
	}
	return task{failed, isFailed}
}

// failAtWorker fails a work that reached a worker during an outage; the ones behind it in the list follow (E4, E30).
func (e *engine) failAtWorker(id int32, f *frame) task {
	if f.next != none {
		e.todo = append(e.todo, task{f.next, isFailed})
	}
	e.resources[e.works[f.work].resource].failedAtWorker[f.mark()]++
	switch f.kind {
	case callFrame:
		return e.failCallAtWorker(id, f)
	case writeFrame:
		return e.failWriteAtWorker(id, f)
	}
	e.failDelivery(id, f)
	return nothing()
}

// failCallAtWorker counts the failed call for a caller that still waits, wasted work otherwise (E18).
func (e *engine) failCallAtWorker(id int32, f *frame) task {
	mark, caller := f.mark(), task{f.parent, attemptFailed}
	element := &e.resources[e.works[f.work].resource].element
	if f.gone() {
		element.wasted[mark]++
		caller = nothing()
	} else {
		e.operations[f.work].counts.failedByOutage[mark]++
		element.failedByOutage[mark]++
	}
	e.close(id, f)
	return caller
}
