package engine

// The parts of a run that depth and busy time are summed over, one after the other.
const (
	beforeWindow = iota
	firstQuarter // of the measured window, and the next three (E23)
	afterWindow  = firstQuarter + 4
	parts        = afterWindow + 1
)

// area is the integral of the depth and of the held workers of a resource over time, exact in whole numbers (E37).
type area struct {
	until int64 // ns; what is summed so far
	part  integrals
	parts [parts]integrals
}

// integrals are works × ns.
type integrals struct{ depth, busy int64 }

// sumUntil adds the time since the last change; it is called before depth or busy change.
func (r *resource) sumUntil(now int64) {
	a := &r.area
	lasted := now - a.until
	a.part.depth += r.depth * lasted
	a.part.busy += r.busy * lasted
	a.until = now
}

// endPart closes one part of the run at an instant.
func (r *resource) endPart(part int, at int64) {
	r.sumUntil(at)
	r.area.parts[part] = r.area.part
	r.area.part = integrals{}
}

// edge is an instant at which the statistics look at the run. Edges are no events (E9).
type edge struct {
	kind  int
	at    int64 // ns
	after int64 // it is handled before the first event that is later than this
}

const (
	windowOpens  = iota
	quarterEnds  // the first, second or third; kind is quarterEnds + 0 to 2
	windowCloses = quarterEnds + 3
	arrivalsEnd  = windowCloses + 1
)

// windowEdges lists the edges in order. The window opens and closes before the events of that instant (E17, E42);
// the depths at its middle and at the end of the arrivals see them (E44).
func windowEdges(warmUp, end int64) []edge {
	length := end - warmUp
	edges := []edge{{windowOpens, warmUp, warmUp - 1}}
	for k := range int64(3) {
		at := warmUp + quarter(length, k+1)
		edges = append(edges, edge{quarterEnds + int(k), at, at})
	}
	return append(edges, edge{windowCloses, end, end - 1}, edge{arrivalsEnd, end, end})
}

// quarter is the place of the end of quarter k in a window (E23).
func quarter(length, k int64) int64 { return length/4*k + length%4*k/4 }

// windowLook is what a resource shows at the edges of the window.
type windowLook struct {
	opens  counted
	closes counted
	middle int64 // depth at the middle of the window (E44)
	end    int64 // depth at the end of the arrivals (E44)
}

// counted are the counters of all work of a resource, from instant 0.
type counted struct{ requests, completed, turnedAway int64 }

func (r *resource) counted() counted {
	return counted{requests: r.requests.n, completed: sum(r.completed), turnedAway: r.turnedAway}
}

// catchUp handles the edges and sample points that come before an event at an instant.
func (e *engine) catchUp(at int64) {
	for at > e.lookAfter {
		if e.series.next == e.lookAfter {
			e.sample()
		} else {
			e.passEdge(e.edges[0])
			e.edges = e.edges[1:]
		}
		e.findNextLook()
	}
}

func (e *engine) findNextLook() {
	e.lookAfter = e.series.next
	if len(e.edges) > 0 {
		e.lookAfter = min(e.lookAfter, e.edges[0].after)
	}
}

func (e *engine) passEdge(edge edge) {
	switch edge.kind {
	case windowOpens:
		e.inWindow = true
		e.flows.atOpen = sum(e.flows.completed)
	case windowCloses:
		e.inWindow = false
		e.flows.atClose = sum(e.flows.completed)
	}
	for i := range e.resources {
		e.resources[i].passEdge(edge)
	}
}

func (r *resource) passEdge(edge edge) {
	switch edge.kind {
	case windowOpens:
		r.endPart(beforeWindow, edge.at)
		r.backlog.opened(edge.at, r.depth)
		r.window.opens = r.counted()
	case windowCloses:
		r.endPart(firstQuarter+3, edge.at)
		r.window.closes = r.counted()
	case arrivalsEnd:
		r.window.end = r.depth
	default:
		quarter := edge.kind - quarterEnds
		r.endPart(firstQuarter+quarter, edge.at)
		if quarter == 1 {
			r.window.middle = r.depth
		}
	}
}

// sum adds a counter of unmarked and marked work.
func sum(byMark [2]int64) int64 { return byMark[0] + byMark[1] }
