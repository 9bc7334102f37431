package domain

import "maps"

// Instance is the state of the one instance aggregate.
type Instance struct {
	Members map[string]Member // by member id
}

// Member is a person or a program with a name in the instance.
type Member struct {
	ID            string
	Name          string
	Administrator bool
}

// EvolveInstance folds one event into the state. It cannot fail: the event happened.
func EvolveInstance(i Instance, e Event) Instance {
	if e, ok := e.(MemberCreated); ok {
		i.Members = with(i.Members, e.MemberID, Member{ID: e.MemberID, Name: e.Name, Administrator: e.Administrator})
	}
	return i
}

// with returns a copy of m in which key has the value: a fold never changes the state that it is given.
func with[V any](m map[string]V, key string, value V) map[string]V {
	next := make(map[string]V, len(m)+1)
	maps.Copy(next, m)
	next[key] = value
	return next
}
