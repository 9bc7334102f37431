package domain

import (
	"math/bits"
	"slices"
)

// A part of m words of a pattern in a key of n words costs m × n when each place is compared word by word: minutes
// for documents of 1 MB that are made for it. The long search looks at 64 places at a time.

// placesOf says where a key has a word: a bit for each word of the key, or a list when the word is rare. So all
// words of a key of n words take some n × 8 bytes.
type placesOf struct {
	bits []uint64
	list []int // ascending; only when bits is nil
}

// index notes the places of each word.
func (k *topicKey) index() {
	k.places = map[string]placesOf{}
	for i, word := range k.words {
		k.places[word] = placesOf{list: append(k.places[word].list, i)}
	}
	for word, places := range k.places {
		if len(places.list) < len(k.words)/64 {
			continue
		}
		set := make([]uint64, len(k.words)/64+2) // one more, for windows that begin in the last
		for _, i := range places.list {
			set[i/64] |= 1 << (i % 64)
		}
		k.places[word] = placesOf{bits: set}
	}
}

// window is a number of places side by side, a bit each.
type window [64]uint64

// findLong is find for parts and keys of any length. It tries a window of places at once, word for word of the
// part; the windows grow, so that a place near the start is found soon.
func (k *topicKey) findLong(part []string, at, places int) int {
	if k.places == nil {
		k.index()
	}
	var w window
	for from, size := 0, 1; from < places; from, size = from+64*size, min(2*size, len(w)) {
		open := w[:min(size, (places-from+63)/64)]
		for i := range open {
			open[i] = ^uint64(0)
		}
		if left := places - from; left < 64*len(open) {
			open[len(open)-1] >>= 64*len(open) - left
		}
		if k.tryPart(open, part, at+from) {
			return at + from + firstBit(open)
		}
	}
	return -1
}

// tryPart closes the places, the first of which is at, where the part does not stand, and says whether one is left.
func (k *topicKey) tryPart(open []uint64, part []string, at int) bool {
	for i, word := range part {
		if word == oneWord {
			continue
		}
		k.looks += len(open)
		if !k.places[word].keep(open, at+i) {
			return false
		}
	}
	return true
}

// keep closes the places that do not have the word.
func (p placesOf) keep(open []uint64, at int) bool {
	if p.bits == nil {
		return p.keepListed(open, at)
	}
	var left uint64
	have, shift := p.bits[at/64:][:len(open)+1], at%64
	for i := range open {
		open[i] &= have[i]>>shift | have[i+1]<<(64-shift)
		left |= open[i]
	}
	return left != 0
}

func (p placesOf) keepListed(open []uint64, at int) bool {
	var has window
	first, _ := slices.BinarySearch(p.list, at)
	for _, place := range p.list[first:] {
		if place -= at; place >= 64*len(open) {
			break
		}
		has[place/64] |= 1 << (place % 64)
	}
	var left uint64
	for i := range open {
		open[i] &= has[i]
		left |= open[i]
	}
	return left != 0
}

func firstBit(set []uint64) int {
	i := slices.IndexFunc(set, func(word uint64) bool { return word != 0 })
	return 64*i + bits.TrailingZeros64(set[i])
}
