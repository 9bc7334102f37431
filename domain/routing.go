package domain

import (
	"cmp"
	"slices"
)

// Router finds the way of messages through the channels of one model. It is made once, then only read.
type Router struct {
	places   map[string]int // channel id -> its place in channels
	channels []routedChannel
}

type routedChannel struct {
	id            string
	subscriptions []string // ascending
	bindings      []route  // that leave it, ascending id
}

type route struct {
	bindingID string
	to        int      // a place
	pattern   []string // words
}

// NewRouter sorts the channels of a model for routing.
func NewRouter(m Model) *Router {
	r := &Router{places: map[string]int{}}
	for _, c := range m.Channels {
		r.place(c.ID)
	}
	for _, s := range m.Subscriptions {
		at := r.place(s.ChannelID)
		r.channels[at].subscriptions = append(r.channels[at].subscriptions, s.ID)
	}
	for _, b := range m.Bindings {
		leaving := route{bindingID: b.ID, to: r.place(b.ToChannelID), pattern: patternWords(b.RoutingKey)}
		at := r.place(b.FromChannelID)
		r.channels[at].bindings = append(r.channels[at].bindings, leaving)
	}
	for _, c := range r.channels {
		slices.Sort(c.subscriptions)
		slices.SortFunc(c.bindings, func(a, b route) int { return cmp.Compare(a.bindingID, b.bindingID) })
	}
	return r
}

func (r *Router) place(channelID string) int {
	place, known := r.places[channelID]
	if !known {
		place = len(r.channels)
		r.places[channelID] = place
		r.channels = append(r.channels, routedChannel{id: channelID})
	}
	return place
}

// subscriptions of a channel, ascending.
func (r *Router) subscriptions(channelID string) []string {
	if place, known := r.places[channelID]; known {
		return r.channels[place].subscriptions
	}
	return nil
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

// Walk is the walk of a message that is published to the channel. A channel that the model lacks leads nowhere.
func (r *Router) Walk(channelID, routingKey string) Walk {
	start, known := r.places[channelID]
	if !known {
		return Walk{Channels: []WalkChannel{{ID: channelID, From: notEntered}}}
	}
	w := walker{router: r, key: newTopicKey(routingKey), taken: make([]int, len(r.channels))}
	w.take(start, notEntered, "")
	for i := 0; i < len(w.places); i++ {
		w.follow(i)
	}
	return w.walk
}

// notEntered is the From of the published channel.
const notEntered = -1

// walker is the work of one Walk.
type walker struct {
	router *Router
	walk   Walk
	key    *topicKey
	places []int // of walk.Channels, in the router
	taken  []int // by place: 1 + the index in walk.Channels; 0: not taken
}

// take enters a channel.
func (w *walker) take(place, from int, bindingID string) {
	c := &w.router.channels[place]
	w.places = append(w.places, place)
	w.walk.Channels = append(w.walk.Channels, WalkChannel{
		ID: c.id, From: from, BindingID: bindingID, Subscriptions: c.subscriptions,
	})
	w.taken[place] = len(w.walk.Channels)
}

// follow goes along the matching bindings of the channel with index i.
func (w *walker) follow(i int) {
	for _, b := range w.router.channels[w.places[i]].bindings {
		if !w.key.matches(b.pattern) {
			continue
		}
		if w.taken[b.to] == 0 {
			w.take(b.to, i, b.bindingID)
		}
		w.walk.Channels[i].Next = append(w.walk.Channels[i].Next, w.taken[b.to]-1)
		w.walk.Matched++
	}
}

// Subscriptions are the subscriptions that a message gets to, in the order of the walk (E33).
func (w Walk) Subscriptions() []string {
	var ids []string
	for _, c := range w.Channels {
		ids = append(ids, c.Subscriptions...)
	}
	return ids
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
