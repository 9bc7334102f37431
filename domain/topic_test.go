package domain_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/proofload/proofload/domain"
)

func TestTopicMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, key string
		want         bool
	}{
		{"", "", true},
		{"", "order.paid", true}, // an absent pattern is #
		{"#", "", true},
		{"*", "", false},
		{"order", "", false}, // an absent key has no words (E64)
		{"#.#", "", true},
		{"#.*", "", false},
		{"*.#", "", false},
		{"order", "order", true},
		{"order", "orders", false},
		{"order", "order.paid", false},
		{"order.paid", "order", false},
		{"*", "order", true},
		{"*", "order.paid", false},
		{"*.*", "order.paid", true},
		{"*.*", "order", false},
		{"order.*", "order.paid", true},
		{"order.*", "order", false},
		{"order.*", "order.paid.eu", false},
		{"*.paid", "order.paid", true},
		{"*.paid", "paid", false},
		{"order.#", "order", true},
		{"order.#", "order.paid.eu", true},
		{"order.#", "orders.paid", false},
		{"#.eu", "eu", true},
		{"#.eu", "order.paid.eu", true},
		{"#.eu", "eu.order", false},
		{"a.#.b", "a.b", true},
		{"a.#.b", "a.x.y.b", true},
		{"a.#.b", "a.b.c", false},
		{"a.#.b", "a", false},
		{"#.a.b", "a.a.b", true},
		{"#.a.#.b.#", "x.a.y.b.z", true},
		{"#.a.#.a", "a", false},
		{"#.*.b", "b", false},
		{"#.*.b", "a.b", true},
		{"*.#.*", "a", false},
		{"*.#.*", "a.b", true},
		{"a*", "ab", false},
		{"a#", "ab", false},
		{"a*", "a*", true}, // a wildcard is a whole word
		{"A", "a", false},
	} {
		if got := domain.TopicMatches(c.pattern, c.key); got != c.want {
			t.Errorf("TopicMatches(%q, %q) = %v", c.pattern, c.key, got)
		}
	}
}

// topicOracle translates the pattern into a regular expression over words that each end in a dot.
func topicOracle(pattern, key string) bool {
	if pattern == "" {
		pattern = "#"
	}
	expression := "^"
	for word := range strings.SplitSeq(pattern, ".") {
		switch word {
		case "*":
			expression += `[^.]*\.`
		case "#":
			expression += `(?:[^.]*\.)*`
		default:
			expression += regexp.QuoteMeta(word) + `\.`
		}
	}
	if key != "" {
		key += "."
	}
	return regexp.MustCompile(expression + "$").MatchString(key)
}

func TestTopicMatchesAsARegularExpression(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		join := func(alphabet ...string) *rapid.Generator[string] {
			return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 9), func(words []string) string {
				return strings.Join(words, ".")
			})
		}
		pattern := join("a", "b", "*", "#").Draw(t, "pattern")
		key := join("a", "b").Draw(t, "key")
		if got, want := domain.TopicMatches(pattern, key), topicOracle(pattern, key); got != want {
			t.Fatalf("TopicMatches(%q, %q) = %v", pattern, key, got)
		}
	})
}

func FuzzTopicMatches(f *testing.F) {
	f.Add("a.#.b", "a.x.b")
	f.Add("#.*.#", "..")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, pattern, key string) {
		if len(pattern) > 200 || !utf8.ValidString(pattern) || !utf8.ValidString(key) {
			return
		}
		if got, want := domain.TopicMatches(pattern, key), topicOracle(pattern, key); got != want {
			t.Fatalf("TopicMatches(%q, %q) = %v", pattern, key, got)
		}
	})
}
