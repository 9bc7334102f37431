package engine

// subscription is what the messages of one subscription count and wait for. Its consumers are a resource.
type subscription struct {
	backoff     int32 // ring
	maxAttempts uint8
	steps       int32 // where the handler starts
	deadLetter  int32 // index into channelOutages; none: it declares none
	counts      subscriptionCounts
}

// subscriptionCounts are by mark (E50).
type subscriptionCounts struct {
	messages, failedDeliveries, redelivered, overflowed, deadLettered, dropped [2]int64
}

// publish is a publish step. Its routes are fixed before the run (spec 1, Routing of one message).
type publish struct {
	channel  int32   // index into channels
	out      outage  // of the channel
	all      []int16 // the subscriptions in the order of the walk: works
	mayClose bool    // a bound channel of the walk has an outage
	walk     []walkChannel
	order    []int32 // of the last walk with outages: the channels that were taken
	taken    []bool  // and the same by channel
}

// walkChannel is one channel of a walk.
type walkChannel struct {
	out           outage
	subscriptions []int16 // works
	next          []int32 // the channel behind each matching binding: index into the walk
}

// channel counts the publishes to one channel, by mark (E51).
type channel struct {
	published, failedByOutage, dropped [2]int64
}

// publish hands a message to the subscriptions, one after the other (the page, Messages; E33).
func (e *engine) publish(f *frame, in *instruction) uint8 {
	p, mark := &e.publishes[in.a], f.mark()
	c := &e.channels[p.channel]
	if p.out.at(e.now) {
		c.failedByOutage[mark]++
		return stepFailed
	}
	c.published[mark]++
	if !p.mayClose {
		for _, work := range p.all {
			e.deliver(work, f.flags&markedFlag)
		}
		return stepDone
	}
	c.dropped[mark] += e.publishAround(p, f.flags&markedFlag)
	return stepDone
}

// publishAround hands a message on where a channel may be closed, and gives the number of lost copies: one for each
// subscription that the walk reaches only without outages.
func (e *engine) publishAround(p *publish, flags uint8) (lost int64) {
	p.walkOpen(e.now)
	for _, i := range p.order {
		for _, work := range p.walk[i].subscriptions {
			e.deliver(work, flags)
		}
	}
	for i := range p.walk {
		if p.taken[i] {
			continue
		}
		for _, work := range p.walk[i].subscriptions {
			counts := &e.subscription(work).counts
			counts.messages[flags]++
			counts.dropped[flags]++
			lost++
		}
	}
	return lost
}

// walkOpen takes the channels breadth first, without those that are out.
func (p *publish) walkOpen(now int64) {
	clear(p.taken)
	p.taken[0] = true
	p.order = append(p.order[:0], 0)
	for i := 0; i < len(p.order); i++ {
		for _, to := range p.walk[p.order[i]].next {
			if !p.taken[to] && !p.walk[to].out.at(now) {
				p.taken[to] = true
				p.order = append(p.order, to)
			}
		}
	}
}

// deliver routes a message to a subscription.
func (e *engine) deliver(work int16, flags uint8) {
	s := e.subscription(work)
	s.counts.messages[flags]++
	id, f := e.newFrame(messageFrame, none, s.steps, flags)
	f.work = work
	e.offer(id, f, s)
}

// offer lets a message reach a free consumer or join the queue. A message is tested for outages when it reaches the
// consumer (E31).
func (e *engine) offer(id int32, f *frame, s *subscription) {
	w := &e.works[f.work]
	r := &e.resources[w.resource]
	e.requested(r)
	f.since = e.now
	switch {
	case r.busy == r.workers:
		if e.join(id, f, r) == isTurnedAway {
			s.counts.overflowed[f.mark()]++
			e.discard(id, f, s)
		}
	case w.out.at(e.now):
		r.failedAtWorker[f.mark()]++
		e.failDelivery(id, f)
	default:
		e.hold(id, f, r)
	}
}

// redeliver lets a message join again after its backoff (E49, E50).
func (e *engine) redeliver(id int32) {
	f := e.slab.at(id)
	s := e.subscription(f.work)
	s.counts.redelivered[f.mark()]++
	e.offer(id, f, s)
}

// endDelivery frees the consumer after the handler. The message itself goes on last (E30).
func (e *engine) endDelivery(id int32, f *frame, ok bool) task {
	r := &e.resources[e.works[f.work].resource]
	if ok {
		r.completed[f.mark()]++
		if f.mark() == 1 {
			r.latency.add(e.now - f.start)
		}
	}
	failed := e.release(f, r)
	if ok {
		e.close(id, f)
		return e.first(failed, nothing())
	}
	return e.first(failed, task{id, givenUp})
}

// failDelivery waits for the backoff, or gives the message up after the last attempt.
func (e *engine) failDelivery(id int32, f *frame) {
	s := e.subscription(f.work)
	s.counts.failedDeliveries[f.mark()]++
	f.pc, f.tries = s.steps, 0
	f.rounds++
	if f.rounds < s.maxAttempts {
		e.schedule(s.backoff, id)
		return
	}
	e.discard(id, f, s)
}

// discard moves a message to the dead-letter channel, or drops it when there is none or it is out now (E52).
func (e *engine) discard(id int32, f *frame, s *subscription) {
	if s.deadLetter != none && !e.channelOutages[s.deadLetter].at(e.now) {
		s.counts.deadLettered[f.mark()]++
	} else {
		s.counts.dropped[f.mark()]++
	}
	e.close(id, f)
}

func (e *engine) subscription(work int16) *subscription {
	return &e.subscriptions[work-e.firstSubscription]
}
