package engine

const (
	pageBits = 12
	pageSize = 1 << pageBits
	none     = int32(-1) // no frame, no ring, no instruction
)

// Kinds of a frame.
const (
	flowFrame    = iota // one flow
	forkFrame           // one branch of a parallel step
	callFrame           // one attempt of a call
	writeFrame          // one write
	messageFrame        // one message at one subscription, over all its deliveries
	frameKinds
)

// Marks of a frame.
const (
	markedFlag = 1 << iota // its flow started at or after the warm-up (E17); bit 0 is the index of counters
	goneFlag               // its caller gave up
	failedFlag             // a branch of its parallel step failed
)

// frame is one piece of open work. It runs the steps at pc and lies in at most one list at a time.
type frame struct {
	start  int64  // flow: its start; call, write: the request for a worker; message: the publish (ns)
	since  int64  // while it waits: the instant it joined; while it is held: the start of service (ns)
	parent int32  // the frame that waits for it; none: nobody
	next   int32  // the frame behind it in a queue, in a list of failed works, or in the free list
	pc     int32  // the instruction that it is at
	timer  uint32 // sequence number of the timeout that can still end the attempt; 0: none
	work   int16  // index into engine.works; flow and fork: not used
	kind   uint8
	flags  uint8
	tries  uint8 // attempts of the call that the frame is at (the caller counts)
	rounds uint8 // message: deliveries that failed
	join   uint8 // branches of its parallel step that have not ended
}

// mark is 1 for work whose flow is measured and 0 for other work: an index of counters.
func (f *frame) mark() int { return int(f.flags & markedFlag) }

func (f *frame) gone() bool { return f.flags&goneFlag != 0 }

// slab holds all frames in pages, so that it grows without a copy and a pointer into it stays valid.
type slab struct {
	pages []*[pageSize]frame
	used  int32 // frames that were ever in use
	free  int32 // head of the free list, last in first out
}

func (s *slab) at(id int32) *frame { return &s.pages[uint32(id)>>pageBits][id&(pageSize-1)] }

// take gives a frame of the free list, which is not empty, with unspecified content and no timeout.
func (s *slab) take() (int32, *frame) {
	id := s.free
	f := s.at(id)
	s.free = f.next
	return id, f
}

// extend puts one frame that was never in use into the empty free list.
func (s *slab) extend() {
	if s.used&(pageSize-1) == 0 {
		s.pages = append(s.pages, new([pageSize]frame))
	}
	s.at(s.used).next = none
	s.free = s.used
	s.used++
}

func (s *slab) put(id int32, f *frame) {
	f.timer = 0
	f.next = s.free
	s.free = id
}
