package domain

import "strings"

// checkModelAt makes the check of a model that stands at a place of its document.
func checkModelAt(root string) func(Model) []Issue {
	return func(m Model) []Issue { return checkModel(root, m) }
}

// checkModel finds the ids, ranges and references of a model that are not valid. The targets are pointers into the
// model; root is where it stands, for sentences that name another place.
func checkModel(root string, m Model) []Issue {
	c := modelCheck{
		report: &report{code: CodeInvalidModel},
		things: make(map[string]string), stores: make(map[string]bool),
		unread: map[string]bool{anElement: m.Elements == nil, aChannel: m.Channels == nil},
	}
	entries := len(m.Elements) + len(m.Operations) + len(m.Channels) + len(m.Bindings) + len(m.Subscriptions)
	if !c.atMost("", entries, MaxModelEntries) {
		return c.issues
	}
	c.ids(root, m)
	c.elements(m.Elements)
	c.operations(m.Operations)
	c.channels(m.Channels)
	c.bindings(m.Bindings)
	c.subscriptions(m.Subscriptions)
	return c.sorted()
}

// modelCheck knows what each id of the model names, and which elements are stores.
type modelCheck struct {
	*report
	things map[string]string
	stores map[string]bool
	unread map[string]bool // things whose list could not be read: what names one cannot be judged
}

// What an id of a model names.
const (
	anElement     = "element"
	anOperation   = "operation"
	aChannel      = "channel"
	aBinding      = "binding"
	aSubscription = "subscription"
)

// ids checks every id; all ids of one model are unique whatever their kind.
func (c *modelCheck) ids(root string, m Model) {
	var ids, places []string
	name := func(list string, i int, id, thing string) {
		ids, places = append(ids, id), append(places, entry(list, i)+"/id")
		c.id(places[len(places)-1], id)
		if _, twice := c.things[id]; !twice {
			c.things[id] = thing
		}
	}
	for i, e := range m.Elements {
		name("/elements", i, e.ID, anElement)
		c.stores[e.ID] = e.Kind == KindStore
	}
	for i, o := range m.Operations {
		name("/operations", i, o.ID, anOperation)
	}
	for i, ch := range m.Channels {
		name("/channels", i, ch.ID, aChannel)
	}
	for i, b := range m.Bindings {
		name("/bindings", i, b.ID, aBinding)
	}
	for i, s := range m.Subscriptions {
		name("/subscriptions", i, s.ID, aSubscription)
	}
	c.unique(ids, func(i int) string { return places[i] }, func(i int) string { return root + places[i] })
}

func (c *modelCheck) elements(elements []Element) {
	for i, e := range elements {
		c.oneOf(entry("/elements", i)+"/kind", e.Kind, KindService, KindStore, KindExternal)
	}
}

func (c *modelCheck) operations(operations []Operation) {
	for i, o := range operations {
		at := entry("/operations", i)
		c.names(anElement, at+"/elementId", o.ElementID)
		if c.stores[o.ElementID] {
			c.add(at+"/elementId", "%q is a store, and a store has no operations; name a service or an external element", o.ElementID)
		}
		c.milliseconds(at+"/timeoutMs", o.TimeoutMs)
		c.retry(at+"/retry", o.Retry)
	}
}

func (c *modelCheck) channels(channels []Channel) {
	for i, ch := range channels {
		c.oneOf(entry("/channels", i)+"/kind", ch.Kind, KindTopic, KindQueue)
	}
}

func (c *modelCheck) bindings(bindings []Binding) {
	for i, b := range bindings {
		at := entry("/bindings", i)
		c.names(aChannel, at+"/fromChannelId", b.FromChannelID)
		c.names(aChannel, at+"/toChannelId", b.ToChannelID)
		c.pattern(at+"/routingKey", b.RoutingKey)
	}
}

func (c *modelCheck) subscriptions(subscriptions []Subscription) {
	for i, s := range subscriptions {
		at := entry("/subscriptions", i)
		c.names(aChannel, at+"/channelId", s.ChannelID)
		c.names(anElement, at+"/elementId", s.ElementID)
		c.retry(at+"/retry", s.Retry)
		if s.DeadLetterChannelID != "" {
			c.names(aChannel, at+"/deadLetterChannelId", s.DeadLetterChannelID)
		}
	}
}

func (c *modelCheck) retry(at string, r Retry) {
	c.attempts(at+"/maxAttempts", r.MaxAttempts)
	c.milliseconds(at+"/backoffMs", r.BackoffMs)
}

// names reports an id that names no such thing of this model.
func (c *modelCheck) names(thing, at, id string) {
	switch found, ok := c.things[id]; {
	case c.unread[thing]:
	case !ok:
		c.add(at, "names no %s of this model; add the %s %q or name another", thing, thing, shortened(id))
	case found != thing:
		c.add(at, "%q is the id of another kind (%s); name a valid %s", shortened(id), found, thing)
	}
}

// pattern checks the routing key of a binding: words and the wildcards * and #. Empty: it is absent.
func (c *modelCheck) pattern(at, pattern string) {
	if pattern == "" {
		return
	}
	for word := range strings.SplitSeq(pattern, ".") {
		if word == "" || len(word) > 1 && strings.ContainsAny(word, "*#") {
			c.add(at, "must be words with a dot between them, where * alone is any word and # alone any number of words, not %q", shortened(pattern))
			return
		}
	}
}
