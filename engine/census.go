package engine

import "slices"

// census counts the open work of a run one by one, independent of the counters that the run kept.
type census struct {
	attempts  []int64 // by operation: attempts whose caller waits
	calls     []int64 // by operation: calls that are in an attempt or in a backoff
	messages  []int64 // by subscription
	resources []pool
	scheduled int64 // events
}

// pool is the open work of one resource. Times run to the instant up to which the run is summed.
type pool struct {
	waiting, held, heldMarked int64
	waitedNs, heldNs          int64
}

// Where a frame is.
const (
	inUse = iota
	isFree
	inQueue
	inBackoff
)

func (e *engine) takeCensus() census {
	c := census{
		attempts: make([]int64, len(e.operations)), calls: make([]int64, len(e.operations)),
		messages: make([]int64, len(e.subscriptions)), resources: make([]pool, len(e.resources)),
	}
	place := e.places()
	for id := range e.slab.used {
		if place[id] != isFree {
			e.count(&c, e.slab.at(id), place[id])
		}
	}
	for i := range e.rings {
		c.scheduled += int64(e.rings[i].length)
	}
	for _, event := range slices.Concat(e.queue.near[:e.queue.count], e.queue.far) {
		if event.kind() != ringEvent {
			c.scheduled++
		}
	}
	return c
}

// places walks the free list, the queues and the backoffs.
func (e *engine) places() []uint8 {
	place := make([]uint8, e.slab.used)
	for id := e.slab.free; id != none; id = e.slab.at(id).next {
		place[id] = isFree
	}
	for i := range e.resources {
		r := &e.resources[i]
		for id, n := r.head, r.depth; n > 0; n-- {
			place[id] = inQueue
			id = e.slab.at(id).next
		}
	}
	for i := range e.rings {
		r := &e.rings[i]
		for k := range r.length {
			if r.kind == deliveryRing {
				place[r.entries[(r.head+k)&(len(r.entries)-1)].frame] = inBackoff
			}
		}
	}
	return place
}

func (e *engine) count(c *census, f *frame, place uint8) {
	if f.kind != writeFrame { // a write runs no steps
		if in := &e.code[f.pc]; in.op == callOp && f.tries > 0 {
			c.calls[in.work]++
		}
	}
	switch f.kind {
	case flowFrame, forkFrame:
		return
	case callFrame:
		if !f.gone() {
			c.attempts[f.work]++
		}
	case messageFrame:
		c.messages[f.work-e.firstSubscription]++
	}
	p, lasted := &c.resources[e.works[f.work].resource], e.summedTo-f.since
	switch place {
	case inQueue:
		p.waiting++
		p.waitedNs += lasted
	case inUse:
		p.held++
		p.heldMarked += int64(f.mark())
		p.heldNs += lasted
	}
}
