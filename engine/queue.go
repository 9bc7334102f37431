package engine

import "math/bits"

// event is one entry of the queue in two machine words. The order is (at, seq); seq makes every key unique.
type event struct {
	at  uint64 // instant, virtual ns
	key uint64 // seq<<32 | kind<<29 | slot
}

// Kinds of an event.
const (
	arrivalEvent = iota // the next flow starts
	serviceEvent        // the service time of frame slot is over
	ringEvent           // the head of ring slot is due
)

const (
	slotBits = 29
	kindBits = 3
	seqShift = slotBits + kindBits
)

func newEvent(at int64, seq uint32, kind, slot int32) event {
	return event{at: uint64(at), key: uint64(seq)<<seqShift | uint64(kind)<<slotBits | uint64(slot)}
}

func (e event) seq() uint32 { return uint32(e.key >> seqShift) }
func (e event) kind() int32 { return int32(e.key >> slotBits & (1<<kindBits - 1)) }
func (e event) slot() int32 { return int32(e.key & (1<<slotBits - 1)) }

// before compares without a branch: the borrow of a two-word subtraction.
func (e event) before(o event) bool {
	_, borrow := bits.Sub64(e.key, o.key, 0)
	_, borrow = bits.Sub64(e.at, o.at, borrow)
	return borrow != 0
}

// queue is a 4-ary heap of events. A pop leaves a hole at the root that the next push fills: most events
// schedule another one, which then costs one walk down instead of a walk down and a walk up.
type queue struct {
	heap []event
	hole bool // the root was popped and not filled
}

func (q *queue) push(e event) {
	if q.hole {
		q.hole = false
		q.down(e)
		return
	}
	q.heap = append(q.heap, e)
	q.up(len(q.heap)-1, e)
}

// pop removes the first event.
func (q *queue) pop() (event, bool) {
	if q.hole {
		q.fill()
	}
	if len(q.heap) == 0 {
		return event{}, false
	}
	q.hole = true
	return q.heap[0], true
}

// fill closes the hole with the last entry.
func (q *queue) fill() {
	q.hole = false
	last := len(q.heap) - 1
	e := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		q.down(e)
	}
}

func (q *queue) up(i int, e event) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = e
}

// down puts e in the place of the root and lets it sink.
func (q *queue) down(e event) {
	heap, i := q.heap, 0
	for {
		first := 4*i + 1
		if first >= len(heap) {
			break
		}
		least := leastChild(heap, first)
		if !heap[least].before(e) {
			break
		}
		heap[i] = heap[least]
		i = least
	}
	heap[i] = e
}

// leastChild is the index of the earliest of up to four siblings.
func leastChild(heap []event, first int) int {
	least := first
	for child := first + 1; child < min(first+4, len(heap)); child++ {
		if heap[child].before(heap[least]) {
			least = child
		}
	}
	return least
}
