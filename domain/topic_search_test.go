package domain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The search by windows finds what the search place by place finds: in long keys, at the edges of words and windows,
// for frequent words (bits) and for rare ones (lists).
func TestLongSearch(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		key := &topicKey{words: make([]string, 1+random.IntN(500*(1+int(seed%20))))}
		rare := 1 + random.IntN(200)
		for i := range key.words {
			key.words[i] = "a"
			if random.IntN(rare) == 0 {
				key.words[i] = "b"
			}
		}
		at := random.IntN(len(key.words))
		part := slices.Clone(key.words[at:][:1+random.IntN(len(key.words)-at)])
		part = part[:min(len(part), 1+random.IntN(200))]
		for i := range part {
			part[i] = []string{part[i], part[i], oneWord}[random.IntN(3)]
		}
		start := random.IntN(at + 1)
		places := 1 + random.IntN(len(key.words)-start-len(part)+1)
		if got, want := key.findLong(part, start, places), findNaively(key, part, start, places); got != want {
			t.Fatalf("seed %d: found at %d, want %d", seed, got, want)
		}
	}
}

func findNaively(key *topicKey, part []string, at, places int) int {
	for i := range places {
		if key.fits(part, at+i) {
			return at + i
		}
	}
	return -1
}

// Patterns and a key that are made to be slow: word by word they cost up to 2.5·10^9 comparisons, 25 times that in
// documents of 1 MB.
// The bound is words of the pattern × words of the key / 64, at its greatest when the pattern has half of the words.
func TestHostileTopics(t *testing.T) {
	const words = 100_000
	long := strings.Repeat("a.", words-1) + "a"
	for _, pattern := range []string{
		"#." + strings.Repeat("a.", words/2) + "b",
		"#." + strings.Repeat("a.", words/2) + "b.#",
		"#." + strings.Repeat("*.a.", words/4) + "b.#",
		strings.Repeat("#.a.", words/4) + "#.b",
		strings.Repeat("#.a.", words/4) + "b.#",
	} {
		key := newTopicKey(long)
		if key.matches(patternWords(pattern)) {
			t.Errorf("%.20s… matches", pattern)
		}
		if most := words / 2 * (words/2/64 + 64); key.looks > most {
			t.Errorf("%.20s… took %d looks, more than %d", pattern, key.looks, most)
		}
	}
}

// Many bindings and many publish steps, as many as 1 MB holds: what a trace does with them.
func TestHostileRoutes(t *testing.T) {
	const each, length = 200, 230 // a tenth of the bindings and steps of such documents
	m := Model{Channels: []Channel{{ID: "c"}}}
	for i := range each {
		m.Bindings = append(m.Bindings, Binding{
			ID: fmt.Sprint(i), FromChannelID: "c", ToChannelID: "c", RoutingKey: "#." + strings.Repeat("a.", length/2) + "b.#",
		})
	}
	router := NewRouter(m)
	key := newTopicKey(strings.Repeat("a.", length-1) + "a")
	for _, b := range router.channels[0].bindings {
		if key.matches(b.pattern) {
			t.Fatal("a binding matches")
		}
	}
	if most := each * (length/2 + 2) * 3; key.looks > most { // 115 places are two windows, one with room for two words
		t.Errorf("%d looks, more than %d", key.looks, most)
	}
}

func BenchmarkTopicMatches(b *testing.B) {
	for _, words := range []int{4, 100, 10_000, 100_000} {
		pattern := "#." + strings.Repeat("a.", words/2) + "b.#"
		key := strings.Repeat("a.", words-1) + "a"
		b.Run(fmt.Sprint(words), func(b *testing.B) {
			for b.Loop() {
				TopicMatches(pattern, key)
			}
		})
	}
}
