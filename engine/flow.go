package engine

// What a frame does next, or how its step has ended.
const (
	proceed       = iota // run the instruction at pc
	stepDone             // the step at pc has ended well
	ended                // the sequence has ended well
	waits                // an event, or another frame, carries it on
	stepFailed           // the step at pc has failed, and so has its sequence
	attemptFailed        // the attempt of the call at pc has failed
	tryAgain             // the backoff of the call at pc is over
	isFailed             // the first of a list of works that an outage failed at the worker
	givenUp              // a delivery has failed
)

// task is a frame with what it does next.
type task struct {
	frame int32
	next  uint8
}

// nothing is the task of nobody.
func nothing() task { return task{frame: none, next: waits} }

// goOn carries a frame on, and all that its end sets free, as far as it goes at this instant. What has to wait for
// that stands in e.todo; the last one put there is the next one. So works go on one after the other, each with all
// that follows from it (E4, E5, E30).
func (e *engine) goOn(t task) {
	for {
		f := e.slab.at(t.frame)
		for t.next <= stepDone {
			if t.next == stepDone {
				f.pc++
			}
			t.next = e.step(t.frame, f)
		}
		switch t.next {
		case waits:
		case ended, stepFailed:
			t = e.finish(t.frame, f, t.next == ended)
		case attemptFailed:
			t.next = e.failAttempt(t.frame, f)
		case tryAgain:
			t.next = e.retry(t.frame, f)
		case isFailed:
			t = e.failAtWorker(t.frame, f)
		case givenUp:
			e.failDelivery(t.frame, f)
			t.next = waits
		}
		if t.next == waits {
			last := len(e.todo) - 1
			if last < 0 {
				return
			}
			t = e.todo[last]
			e.todo = e.todo[:last]
		}
	}
}

// step executes the instruction at pc.
func (e *engine) step(id int32, f *frame) uint8 {
	in := &e.code[f.pc]
	switch in.op {
	case callOp:
		f.tries = 0
		return e.attempt(id, f, in)
	case writeOp:
		return e.write(id, f, in)
	case publishOp:
		return e.publish(f, in)
	case forkOp:
		return e.fork(id, f, in)
	case choiceOp:
		f.pc = e.choose(f.pc, in)
		return proceed
	case jumpOp:
		f.pc = in.a
		return proceed
	}
	return ended
}

// choose gives the place of the path that a branch step takes.
func (e *engine) choose(pc int32, in *instruction) int32 {
	if e.choosers[in.a].then() {
		return pc + 1
	}
	return in.b
}

// finish ends the sequence of a frame and gives who goes on.
func (e *engine) finish(id int32, f *frame, ok bool) task {
	switch f.kind {
	case flowFrame:
		e.endFlow(id, f, ok)
		return nothing()
	case forkFrame:
		return e.endBranch(id, f, ok)
	case callFrame:
		return e.endCall(id, f, ok)
	case messageFrame:
		return e.endDelivery(id, f, ok)
	}
	return e.endWrite(id, f)
}

// newFrame gives a frame for work that starts now.
func (e *engine) newFrame(kind uint8, parent, pc int32, flags uint8) (int32, *frame) {
	if e.slab.free == none {
		e.slab.extend()
	}
	id, f := e.slab.take()
	f.start, f.parent, f.pc = e.now, parent, pc
	f.kind, f.flags, f.tries, f.rounds, f.join = kind, flags, 0, 0, 0
	e.open[kind]++
	return id, f
}

// close ends a piece of work. The last one that ends is the end of the run (the page, End of the run).
func (e *engine) close(id int32, f *frame) {
	e.open[f.kind]--
	e.lastEnd = e.now
	e.slab.put(id, f)
}

// flows counts flows by mark, and those that completed before the edges of the window.
type flows struct {
	started, completed, failed [2]int64
	atOpen, atClose            int64
	latency                    summary
}

// arrive starts the flow of an arrival; then the next arrival is scheduled (E3, E41).
func (e *engine) arrive() {
	var flags uint8
	if e.now >= e.warmUp {
		flags = markedFlag
	}
	id, f := e.newFrame(flowFrame, none, e.start, flags)
	e.flows.started[f.mark()]++
	e.goOn(task{id, proceed})
	if at, ok := e.arrivals.next(); ok {
		e.scheduleAt(at, arrivalEvent, 0)
	}
}

// endFlow counts a flow (E18).
func (e *engine) endFlow(id int32, f *frame, ok bool) {
	if ok {
		e.flows.completed[f.mark()]++
		if f.mark() == 1 {
			e.flows.latency.add(e.now - f.start)
		}
	} else {
		e.flows.failed[f.mark()]++
	}
	if e.observer.Flow != nil {
		e.observer.Flow(FinishedFlow{StartNs: f.start, DurationNs: e.now - f.start, Completed: ok})
	}
	e.close(id, f)
}

// fork starts the branches of a parallel step in document order, each as far as it goes (E5).
func (e *engine) fork(id int32, f *frame, in *instruction) uint8 {
	f.join = uint8(in.b)
	f.flags &^= failedFlag
	for i := in.b - 1; i >= 0; i-- {
		branch, _ := e.newFrame(forkFrame, id, e.forks[in.a+i], f.flags&markedFlag)
		e.todo = append(e.todo, task{branch, proceed})
	}
	return waits
}

// endBranch ends the parallel step with its last branch; it fails if one of them failed (E5).
func (e *engine) endBranch(id int32, f *frame, ok bool) task {
	parentID := f.parent
	parent := e.slab.at(parentID)
	e.close(id, f)
	if !ok {
		parent.flags |= failedFlag
	}
	parent.join--
	switch {
	case parent.join > 0:
		return nothing()
	case parent.flags&failedFlag != 0:
		return task{parentID, stepFailed}
	}
	return task{parentID, stepDone}
}
