package engine

// write asks the store for a worker (the page, Writes). It is tested for outages now and at the worker (E31).
func (e *engine) write(writer int32, f *frame, in *instruction) uint8 {
	w, mark := &e.works[in.work], f.mark()
	r := &e.resources[w.resource]
	r.element.writes[mark]++
	if w.out.at(e.now) {
		r.element.failedByOutage[mark]++
		return stepFailed
	}
	id, write := e.newFrame(writeFrame, writer, none, f.flags&markedFlag)
	write.work = in.work
	if e.request(id, write, r) == isTurnedAway {
		r.element.rejected[mark]++
		e.close(id, write)
		return stepFailed
	}
	return waits
}

// endWrite ends a write that a worker holds.
func (e *engine) endWrite(id int32, f *frame) task {
	r := &e.resources[e.works[f.work].resource]
	r.completed[f.mark()]++
	return e.leaveElement(id, f, r, task{f.parent, stepDone})
}

func (e *engine) failWriteAtWorker(id int32, f *frame) task {
	e.resources[e.works[f.work].resource].element.failedByOutage[f.mark()]++
	writer := task{f.parent, stepFailed}
	e.close(id, f)
	return writer
}
