package engine

// What a ring delays.
const (
	timeoutRing  = iota // timeouts of operations: a frame of an attempt
	serviceRing         // fixed service times: a frame that a worker holds
	retryRing           // backoffs of operations: a frame of a caller
	deliveryRing        // backoffs of subscriptions: a frame of a message
)

// ring holds the events of one constant delay. They come due in the order in which they were scheduled, so
// only the head stands in the queue, under its own sequence number (E8).
type ring struct {
	kind    int32
	delay   int64 // ns
	entries []ringEntry
	head    int // index of the first entry
	length  int
}

type ringEntry struct {
	at    int64
	seq   uint32
	frame int32
}

// add appends an entry and says whether it is the head.
func (r *ring) add(e ringEntry) bool {
	if r.length == len(r.entries) {
		r.grow()
	}
	r.entries[(r.head+r.length)&(len(r.entries)-1)] = e
	r.length++
	return r.length == 1
}

// take removes the head.
func (r *ring) take() ringEntry {
	e := r.entries[r.head]
	r.head = (r.head + 1) & (len(r.entries) - 1)
	r.length--
	return e
}

// grow doubles the room; its size is a power of two.
func (r *ring) grow() {
	entries := make([]ringEntry, max(16, 2*len(r.entries)))
	n := copy(entries, r.entries[r.head:])
	copy(entries[n:], r.entries[:r.head])
	r.entries, r.head = entries, 0
}

// schedule adds an event for the frame after the ring's delay and gives its sequence number (E2).
func (e *engine) schedule(ringID, frameID int32) uint32 {
	r := &e.rings[ringID]
	entry := ringEntry{at: e.now + r.delay, seq: e.nextSeq(), frame: frameID}
	if r.add(entry) {
		e.queue.push(newEvent(entry.at, entry.seq, ringEvent, ringID))
	}
	return entry.seq
}

// scheduleAt adds an event at an instant.
func (e *engine) scheduleAt(at int64, kind, slot int32) {
	e.queue.push(newEvent(at, e.nextSeq(), kind, slot))
}

// nextSeq numbers the next scheduled event, which is pending until it passes (E2, E68).
func (e *engine) nextSeq() uint32 {
	e.seq++
	if e.pending() > e.limits.Pending {
		e.exceed(limitPending)
	}
	return e.seq
}

// pending is the number of scheduled events, without the one that is handled.
func (e *engine) pending() int64 { return int64(e.seq) - e.events }

// ringDue takes the head of a ring, puts the next one into the queue and handles it.
func (e *engine) ringDue(ringID int32) {
	r := &e.rings[ringID]
	due := r.take()
	if r.length > 0 {
		next := &r.entries[r.head]
		e.queue.push(newEvent(next.at, next.seq, ringEvent, ringID))
	}
	switch r.kind {
	case timeoutRing:
		e.timeoutDue(due)
	case serviceRing:
		e.served(due.frame)
	case retryRing:
		e.goOn(task{due.frame, tryAgain})
	case deliveryRing:
		e.redeliver(due.frame)
	}
}
