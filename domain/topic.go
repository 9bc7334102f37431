package domain

import (
	"slices"
	"strings"
)

// Words of a topic pattern with a meaning of their own.
const (
	oneWord  = "*"
	anyWords = "#"
)

// patternWords is a binding's pattern in words, by the rules of an AMQP topic exchange: * is one word, # is zero or more. An
// absent pattern is #; an absent key has no words (E64).
func patternWords(pattern string) []string {
	if pattern == "" {
		return []string{anyWords}
	}
	return words(pattern)
}

func words(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, ".")
}

// topicKey is a routing key in words. It is matched against many patterns.
type topicKey struct {
	words  []string
	places map[string]placesOf // of each word; made by the first long search
	looks  int                 // at a word, or at one word in 64 places; tests count the work by it
}

func newTopicKey(key string) *topicKey { return &topicKey{words: words(key)} }

// matches cuts the pattern at each #. The first part must stand at the start of the key, the last at its end;
// each part between takes the first place behind the one before it, which leaves most room for the others.
func (k *topicKey) matches(pattern []string) bool {
	first := slices.Index(pattern, anyWords)
	if first < 0 {
		return len(pattern) == len(k.words) && k.fits(pattern, 0)
	}
	last := lastIndex(pattern, anyWords)
	at, end := first, len(k.words)-(len(pattern)-last-1)
	if at > end || !k.fits(pattern[:first], 0) || !k.fits(pattern[last+1:], end) {
		return false
	}
	for first < last {
		rest := pattern[first+1 : last+1]
		part := rest[:slices.Index(rest, anyWords)]
		if at = k.find(part, at, end); at < 0 {
			return false
		}
		at += len(part)
		first += len(part) + 1
	}
	return true
}

func lastIndex(pattern []string, word string) int {
	for i := len(pattern) - 1; i >= 0; i-- {
		if pattern[i] == word {
			return i
		}
	}
	return -1
}

// fits says whether a part without # stands at a place of the key.
func (k *topicKey) fits(part []string, at int) bool {
	for i, word := range part {
		k.looks++
		if word != oneWord && word != k.words[at+i] {
			return false
		}
	}
	return true
}

// shortSearch is the number of words to compare up to which a search compares them one by one.
const shortSearch = 256

// find is the first place from at on where a part without # stands before end; negative: there is none.
func (k *topicKey) find(part []string, at, end int) int {
	places := end - at - len(part) + 1
	if places > 0 && len(part)*places > shortSearch {
		return k.findLong(part, at, places)
	}
	for i := range places {
		if k.fits(part, at+i) {
			return at + i
		}
	}
	return -1
}
