package engine

import (
	"context"
)

// Run runs one stress run. The error is a *domain.RefusedError, a *CheckError, or that of a context that is done.
func Run(ctx context.Context, in Input) (*Result, error) {
	p, err := prepare(in)
	if err != nil {
		return nil, err
	}
	e := newEngine(&p, in.Observer)
	if err := e.loop(ctx); err != nil {
		return nil, err
	}
	e.finishRun()
	if in.Check {
		if err := e.check(&p); err != nil {
			return nil, err
		}
	}
	return e.result(&p)
}

// engine is the state of one run.
type engine struct {
	program
	limits Limits

	now       int64  // the instant of the event that is handled, virtual ns
	events    int64  // handled
	seq       uint32 // of the event scheduled last
	queued    int64  // waiting works of all resources
	exceeded  string
	lookAfter int64 // before the first event later than this the statistics look at the run

	queue queue
	rings []ring
	slab  slab
	todo  []task

	works             []work // operations, then stores, then subscriptions, each in ascending id order
	operations        []operation
	subscriptions     []subscription
	firstSubscription int16      // index into works
	resources         []resource // elements, then subscriptions, each in ascending id order
	publishes         []publish
	channels          []channel
	channelOutages    []outage // of the dead-letter channels
	choosers          []chooser

	arrivals   arrivalProcess
	start      int32 // where the flow starts in the program
	warmUp     int64 // ns
	duration   int64 // ns; the end of the arrivals
	drainLimit int64 // ns
	inWindow   bool
	edges      []edge // of the window, that are still to come
	series     series

	flows    flows
	open     [frameKinds]int64 // frames in use
	lastEnd  int64             // the instant at which the last frame so far ended
	end      int64             // of the run, ns
	summedTo int64             // ns; the instant up to which depth and busy time are summed in the end
	observer Observer
}

// work is what an operation, a store and a subscription have in common as targets of work.
type work struct {
	resource int32
	ring     int32 // of a fixed service time; none: ends stand in the queue
	time     sampler
	out      outage // of the target and of its element (E6)
}

// pollEvery is the number of events between two looks at the context, and between two reports of progress.
const pollEvery = 4096

// loop handles events in the order (time, sequence) until none is left or the next one is after the drain limit (E34).
func (e *engine) loop(ctx context.Context) error {
	if at, ok := e.arrivals.next(); ok {
		e.scheduleAt(at, arrivalEvent, 0)
	}
	poll := min(pollEvery, e.limits.Events+1)
	for e.exceeded == "" {
		if !e.queue.ready() {
			return nil
		}
		next := e.queue.pop()
		at := int64(next.at)
		if at > e.drainLimit {
			e.queue.push(next) // it stays scheduled
			return nil
		}
		if at > e.lookAfter {
			e.catchUp(at)
		}
		e.now = at
		e.events++
		if e.events >= poll {
			if err := e.poll(ctx); err != nil {
				return err
			}
			poll = min(e.events+pollEvery, e.limits.Events+1)
		}
		switch next.kind() {
		case serviceEvent:
			e.served(next.slot())
		case ringEvent:
			e.ringDue(next.slot())
		case arrivalEvent:
			e.arrive()
		}
	}
	return e.limits.over(e.exceeded)
}

// served is the end of a service time: a write is done, a call and a message run their steps (the page, Calls 4).
func (e *engine) served(id int32) {
	next := uint8(proceed)
	if e.slab.at(id).kind == writeFrame {
		next = ended
	}
	e.goOn(task{id, next})
}

// exceed stops the run after this event; the first limit counts (E68).
func (e *engine) exceed(limit string) {
	if e.exceeded == "" {
		e.exceeded = limit
	}
}

// poll looks at the context and at the limit of events, and reports progress.
func (e *engine) poll(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.events > e.limits.Events {
		return e.limits.over(limitEvents)
	}
	if e.observer.Progress != nil {
		e.observer.Progress(Progress{VirtualNs: e.now, Events: e.events, Done: e.done()})
	}
	return nil
}

// done estimates the finished share of the run: that of the arrivals, and in the drain that of the works.
func (e *engine) done() float64 {
	if e.now < e.duration {
		return float64(e.now) / float64(e.duration)
	}
	return 1
}

// finishRun looks at what no event came after, and finds the end of the run (E34, E54).
func (e *engine) finishRun() {
	e.catchUp(never)
	e.end, e.summedTo = e.lastEnd, max(e.now, e.duration)
	if e.anyOpen() {
		e.end, e.summedTo = e.drainLimit, e.drainLimit
	}
	for i := range e.resources {
		e.resources[i].endPart(afterWindow, e.summedTo)
	}
}

// anyOpen says whether work is open.
func (e *engine) anyOpen() bool { return e.open != [frameKinds]int64{} }
