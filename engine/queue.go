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

func (e event) kind() int32 { return int32(e.key >> slotBits & (1<<kindBits - 1)) }
func (e event) slot() int32 { return int32(e.key & (1<<slotBits - 1)) }

// before is 1 when e comes before o and 0 otherwise, without a branch: the borrow of a two-word subtraction. Which of two
// events is earlier cannot be predicted.
func (e event) before(o event) uint64 {
	_, borrow := bits.Sub64(e.key, o.key, 0)
	_, borrow = bits.Sub64(e.at, o.at, borrow)
	return borrow
}

// queue gives events in order. The next few stand in a short sorted list, which is the whole queue of an ordinary
// run: a pop is free and a push moves the handful of events that come before the new one. The rest is a heap.
type queue struct {
	near  [nearSize]event // the last of count is the next event; all of them come before those of far
	far   eventHeap
	count int // of near
}

const nearSize = 16

// ready says whether there is a next event, and gets it near.
func (q *queue) ready() bool { return q.count > 0 || q.refill() }

// pop removes the next event of a queue that is ready.
func (q *queue) pop() event {
	q.count--
	return q.near[q.count&(nearSize-1)]
}

func (q *queue) push(e event) {
	if len(q.far) > 0 && q.far[0].before(e) == 1 {
		q.far.push(e)
		return
	}
	if q.count == nearSize {
		q.shed()
		q.push(e)
		return
	}
	i := q.count
	for i > 0 {
		next := q.near[(i-1)&(nearSize-1)]
		if next.at > e.at || next.at == e.at && next.key > e.key {
			break
		}
		q.near[i&(nearSize-1)] = next
		i--
	}
	q.near[i&(nearSize-1)] = e
	q.count++
}

// refill moves the first half of near's size from the heap into the empty list.
func (q *queue) refill() bool {
	q.count = min(nearSize/2, len(q.far))
	for i := q.count - 1; i >= 0; i-- {
		q.near[i] = q.far.pop()
	}
	return q.count > 0
}

// shed moves the later half of the full list to the heap.
func (q *queue) shed() {
	q.count = nearSize / 2
	for _, e := range q.near[:q.count] {
		q.far.push(e)
	}
	copy(q.near[:], q.near[q.count:])
}

// eventHeap is a 4-ary heap.
type eventHeap []event

func (h *eventHeap) push(e event) {
	*h = append(*h, e)
	entries := *h
	i := len(entries) - 1
	for i > 0 {
		parent := (i - 1) >> 2
		if e.before(entries[parent]) == 0 {
			break
		}
		entries[i] = entries[parent]
		i = parent
	}
	entries[i] = e
}

// pop removes the first event of a heap that is not empty.
func (h *eventHeap) pop() event {
	entries := *h
	first, last := entries[0], entries[len(entries)-1]
	entries = entries[:len(entries)-1]
	*h = entries
	if len(entries) > 0 {
		entries.sink(last)
	}
	return first
}

// sink puts e in the place of the root and lets it sink.
func (h eventHeap) sink(e event) {
	i := 0
	for first := 1; first < len(h); first = 4*i + 1 {
		least := first
		if siblings := h[first:]; len(siblings) >= 4 {
			least += earliest((*[4]event)(siblings))
		} else {
			least += earliestOfFew(siblings)
		}
		if h[least].before(e) == 0 {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}

// earliest is the index of the earliest of four siblings.
func earliest(s *[4]event) int {
	low := s[1].before(s[0])
	high := 2 + s[3].before(s[2])
	second := s[high&3].before(s[low&3])
	return int(low + (high-low)*second)
}

func earliestOfFew(siblings []event) int {
	least := 0
	for i := 1; i < len(siblings); i++ {
		if siblings[i].before(siblings[least]) == 1 {
			least = i
		}
	}
	return least
}
