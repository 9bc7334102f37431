package domain

import (
	"cmp"
	"slices"
)

// Router finds the way of messages through the channels of one model. It is made once and read only.
type Router struct {
	subscriptions map[string][]string // channel id -> its subscriptions, ascending
	bindings      map[string][]route  // channel id -> the bindings that leave it, ascending id
}

type route struct {
	bindingID string
	toID      string
	pattern   []string // words
}

// NewRouter sorts the channels of a model for routing.
func NewRouter(m Model) *Router {
	r := &Router{subscriptions: map[string][]string{}, bindings: map[string][]route{}}
	for _, s := range m.Subscriptions {
		r.subscriptions[s.ChannelID] = append(r.subscriptions[s.ChannelID], s.ID)
	}
	for _, b := range m.Bindings {
		leaving := route{bindingID: b.ID, toID: b.ToChannelID, pattern: patternWords(b.RoutingKey)}
		r.bindings[b.FromChannelID] = append(r.bindings[b.FromChannelID], leaving)
	}
	for _, ids := range r.subscriptions {
		slices.Sort(ids)
	}
	for _, routes := range r.bindings {
		slices.SortFunc(routes, func(a, b route) int { return cmp.Compare(a.bindingID, b.bindingID) })
	}
	return r
}

// Walk is the way of one message: the channels that it takes when none is out, breadth first from the
// published one (spec 1, Routing of one message).
type Walk struct {
	Channels []WalkChannel // in the order in which they are taken; the first is the published one
	Matched  int           // bindings that match, also into a channel that was taken already (E64)
}

// WalkChannel is one channel that a walk takes.
type WalkChannel struct {
	ID            string
	From          int      // the channel that it was entered from, an index of the walk; -1: published to
	BindingID     string   // the binding that it was entered through; empty: published to
	Subscriptions []string // ascending ids; shared, not to be changed
	// Next has the channel, an index of the walk, behind each matching binding in ascending binding id,
	// also one that was taken already: with some channels closed the way may lead there.
	Next []int
}

// Routes is the walk of a message that is published to a channel of the model.
func Routes(m Model, channelID, routingKey string) Walk {
	return NewRouter(m).Walk(channelID, routingKey)
}

// Walk is the walk of a message that is published to the channel. A channel of no model is taken alone.
func (r *Router) Walk(channelID, routingKey string) Walk {
	key := words(routingKey)
	w := Walk{Channels: []WalkChannel{r.enter(channelID, -1, "")}}
	taken := map[string]int{channelID: 0}
	for i := 0; i < len(w.Channels); i++ {
		for _, b := range r.bindings[w.Channels[i].ID] {
			if !matchWords(b.pattern, key) {
				continue
			}
			to, ok := taken[b.toID]
			if !ok {
				to = len(w.Channels)
				taken[b.toID] = to
				w.Channels = append(w.Channels, r.enter(b.toID, i, b.bindingID))
			}
			w.Channels[i].Next = append(w.Channels[i].Next, to)
			w.Matched++
		}
	}
	return w
}

func (r *Router) enter(channelID string, from int, bindingID string) WalkChannel {
	return WalkChannel{ID: channelID, From: from, BindingID: bindingID, Subscriptions: r.subscriptions[channelID]}
}

// Subscriptions are the subscriptions that a message gets to, in the order of the walk (E33).
func (w Walk) Subscriptions() []string {
	var ids []string
	for _, c := range w.Channels {
		ids = append(ids, c.Subscriptions...)
	}
	return ids
}

// Open is the walk with some channels out: the indexes of the channels that are taken, in their order then.
// closed is asked for bound channels only, by index: a publish to a channel that is out fails before.
// A channel out of reach behind a closed one is taken by another way if there is one.
func (w Walk) Open(closed func(channel int) bool) []int {
	order := []int{0}
	seen := make([]bool, len(w.Channels))
	seen[0] = true
	for i := 0; i < len(order); i++ {
		for _, to := range w.Channels[order[i]].Next {
			if !seen[to] && !closed(to) {
				seen[to] = true
				order = append(order, to)
			}
		}
	}
	return order
}

// Path is the way to a channel of the walk: the channel ids from the published one on.
func (w Walk) Path(channel int) []string {
	var ids []string
	for i := channel; i >= 0; i = w.Channels[i].From {
		ids = append(ids, w.Channels[i].ID)
	}
	slices.Reverse(ids)
	return ids
}
