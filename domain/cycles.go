package domain

// cycles are the subscriptions whose handler, directly or through other handlers, publishes something that
// reaches them again: those that share a strongly connected component with a channel. Handlers point to the
// channels that their messages enter, channels to their subscriptions, so no node points to itself.
func (t *tracer) cycles() []string {
	var found []string
	search := components{next: t.messageTargets, index: map[string]int{}, low: map[string]int{}}
	for _, h := range t.scenario.Handlers {
		search.visit(h.SubscriptionID)
	}
	for _, component := range search.found {
		for _, id := range component {
			if _, ok := t.subscriptions[id]; ok && len(component) > 1 {
				found = append(found, id)
			}
		}
	}
	return found
}

// messageTargets are the channels that a handler publishes into, or the subscriptions of a channel. One id
// names one thing of the model.
func (t *tracer) messageTargets(id string) []string {
	if _, ok := t.channels[id]; ok {
		return t.router.subscriptions(id)
	}
	return t.handlerUses[id].entered
}

// components finds strongly connected components by Tarjan's algorithm, in time linear in the edges.
type components struct {
	next  func(id string) []string
	index map[string]int // 1, 2, … in the order of the visits; 0: not visited; done: in a component
	low   map[string]int // the least index that is known to be reached
	stack []string
	count int
	found [][]string
}

const done = -1

func (c *components) visit(id string) {
	if c.index[id] != 0 {
		return
	}
	c.count++
	at := c.count
	c.index[id], c.low[id] = at, at
	c.stack = append(c.stack, id)
	for _, next := range c.next(id) {
		c.visit(next)
		if c.index[next] != done {
			c.low[id] = min(c.low[id], c.low[next])
		}
	}
	if c.low[id] == at {
		c.close(id)
	}
}

// close takes the component of id, which is its root, off the stack.
func (c *components) close(id string) {
	last := len(c.stack)
	for first := last - 1; ; first-- {
		c.index[c.stack[first]] = done
		if c.stack[first] == id {
			c.found = append(c.found, append([]string(nil), c.stack[first:last]...))
			c.stack = c.stack[:first]
			return
		}
	}
}
