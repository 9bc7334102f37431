package domain

// parts finds the things of a model by id.
type parts struct {
	elements      map[string]Element
	operations    map[string]Operation
	channels      map[string]Channel
	subscriptions map[string]Subscription
}

func partsOf(m Model) parts {
	return parts{
		elements:      byID(m.Elements, func(e Element) string { return e.ID }),
		operations:    byID(m.Operations, func(o Operation) string { return o.ID }),
		channels:      byID(m.Channels, func(c Channel) string { return c.ID }),
		subscriptions: byID(m.Subscriptions, func(s Subscription) string { return s.ID }),
	}
}

func byID[T any](things []T, id func(T) string) map[string]T {
	found := make(map[string]T, len(things))
	for _, thing := range things {
		found[id(thing)] = thing
	}
	return found
}

// store is an element that can be written.
func (p parts) store(id string) (Element, bool) {
	e, ok := p.elements[id]
	return e, ok && e.Kind == KindStore
}
