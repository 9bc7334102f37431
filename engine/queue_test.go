package engine

import (
	"cmp"
	"slices"
	"testing"
)

// queueOracle keeps what a queue should hold in order.
type queueOracle struct {
	t      *testing.T
	queue  queue
	sorted []event
	seq    uint32
}

func (o *queueOracle) push(at int64) {
	o.seq++
	e := newEvent(at, o.seq, serviceEvent, int32(o.seq%1000))
	o.queue.push(e)
	place, _ := slices.BinarySearchFunc(o.sorted, e, compareEvents)
	o.sorted = slices.Insert(o.sorted, place, e)
}

func (o *queueOracle) pop() int64 {
	o.t.Helper()
	if !o.queue.ready() {
		o.t.Fatalf("the queue is empty, %d events are expected", len(o.sorted))
	}
	got, want := o.queue.pop(), o.sorted[0]
	o.sorted = o.sorted[1:]
	if got != want {
		o.t.Fatalf("popped (%d, %d), want (%d, %d)", got.at, got.seq(), want.at, want.seq())
	}
	return int64(got.at)
}

// compareEvents is the order of E2, apart from the one of the queue.
func compareEvents(a, b event) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq(), b.seq()))
}

// TestQueueKeepsTheOrder holds a queue at different sizes against a sorted list, for increments with and without ties.
func TestQueueKeepsTheOrder(t *testing.T) {
	var draw rng
	for name, increment := range map[string]func() int64{
		"none":        func() int64 { return 0 },
		"constant":    func() int64 { return 1000 },
		"few values":  func() int64 { return int64(draw.uniform() * 4) },
		"uniform":     func() int64 { return int64(draw.uniform() * 1e6) },
		"exponential": func() int64 { return roundNs(-ln(1-draw.uniform()) * 1e6) },
		"bimodal":     func() int64 { return int64(draw.uniform() * draw.uniform() * draw.uniform() * 1e9) },
	} {
		draw = newRNG("7", purposeService, "queue")
		for _, size := range []int{1, 2, 7, 8, 15, 16, 17, 33, 500} {
			o := queueOracle{t: t}
			for range size {
				o.push(increment())
			}
			for range 2000 {
				o.push(o.pop() + increment())
			}
			for len(o.sorted) > 0 {
				o.pop()
			}
			if o.queue.ready() {
				t.Errorf("%s, %d events: more come out than went in", name, size)
			}
		}
	}
}

// TestQueueGrowsAndShrinks pops and pushes in runs, so that the short list fills and empties in every way.
func TestQueueGrowsAndShrinks(t *testing.T) {
	draw := newRNG("8", purposeService, "queue")
	o, now := queueOracle{t: t}, int64(0)
	for range 3000 {
		for range int(draw.uniform() * 40) {
			o.push(now + int64(draw.uniform()*1e4))
		}
		for range int(draw.uniform() * 40) {
			if len(o.sorted) > 0 {
				now = o.pop()
			}
		}
	}
}

// TestEventHoldsItsParts packs the greatest values of each part.
func TestEventHoldsItsParts(t *testing.T) {
	e := newEvent(1<<62, 1<<32-1, ringEvent, 1<<slotBits-1)
	if e.seq() != 1<<32-1 || e.kind() != ringEvent || e.slot() != 1<<slotBits-1 || e.at != 1<<62 {
		t.Errorf("seq %d, kind %d, slot %d, at %d", e.seq(), e.kind(), e.slot(), e.at)
	}
}

// TestRingGoesRound keeps the order of entries while the ring wraps and grows.
func TestRingGoesRound(t *testing.T) {
	var r ring
	added, taken := int64(0), int64(0)
	for round := range 200 {
		for range round % 37 {
			added++
			if head := r.add(ringEntry{at: added}); head != (r.length == 1) {
				t.Fatalf("entry %d: head is %v with %d entries", added, head, r.length)
			}
		}
		for range min(r.length, round%31) {
			taken++
			if e := r.take(); e.at != taken {
				t.Fatalf("took %d, want %d", e.at, taken)
			}
		}
	}
	if int64(r.length) != added-taken {
		t.Errorf("%d entries, want %d", r.length, added-taken)
	}
}

func (e event) seq() uint32 { return uint32(e.key >> seqShift) }
