package domain

import (
	"iter"
	"maps"
	"slices"
)

// tableParts is how many parts a table has. A change copies one part and the list of all.
const tableParts = 256

// Table is a map that never changes: With and Without give another one, which shares most of its parts with this one. It
// is for states with thousands of entries, since a fold leaves the state before as it is. The zero value is empty.
type Table[V any] struct {
	parts []map[string]V // by the hash of the key; nil: empty
	size  int
}

// Get is the value of a key.
func (t Table[V]) Get(key string) (V, bool) {
	if t.parts == nil {
		var none V
		return none, false
	}
	v, ok := t.parts[partOf(key)][key]
	return v, ok
}

// Len is the number of entries.
func (t Table[V]) Len() int { return t.size }

// All are the entries, in any order.
func (t Table[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, part := range t.parts {
			for key, value := range part {
				if !yield(key, value) {
					return
				}
			}
		}
	}
}

// With is the table in which the key has the value.
func (t Table[V]) With(key string, value V) Table[V] {
	_, had := t.Get(key)
	next := Table[V]{parts: make([]map[string]V, tableParts), size: t.size}
	copy(next.parts, t.parts)
	part := &next.parts[partOf(key)]
	*part = with(*part, key, value)
	if !had {
		next.size++
	}
	return next
}

// Without is the table that does not have the key.
func (t Table[V]) Without(key string) Table[V] {
	if _, had := t.Get(key); !had {
		return t
	}
	next := Table[V]{parts: slices.Clone(t.parts), size: t.size - 1}
	part := &next.parts[partOf(key)]
	*part = withoutKey(*part, key)
	return next
}

// partOf is a hash of the key, FNV-1a.
func partOf(key string) int {
	hash := uint32(2166136261)
	for i := range len(key) {
		hash = (hash ^ uint32(key[i])) * 16777619
	}
	return int(hash % tableParts)
}

// with returns a copy of m in which key has the value: a fold never changes the state that it is given.
func with[V any](m map[string]V, key string, value V) map[string]V {
	next := make(map[string]V, len(m)+1)
	maps.Copy(next, m)
	next[key] = value
	return next
}

// withoutKey returns a copy of m that does not have the key.
func withoutKey[V any](m map[string]V, key string) map[string]V {
	next := maps.Clone(m)
	delete(next, key)
	return next
}
