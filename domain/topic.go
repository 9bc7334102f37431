package domain

import "strings"

// Words of a topic pattern with a meaning of their own.
const (
	oneWord  = "*"
	anyWords = "#"
)

// TopicMatches reports whether a routing key matches the pattern of a binding by the rules of an AMQP topic
// exchange: * is one word, # is zero or more. An absent pattern is #; an absent key has no words (E64).
func TopicMatches(pattern, routingKey string) bool {
	return matchWords(patternWords(pattern), words(routingKey))
}

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

// matchWords lets the last # that it passed take one word more whenever the rest does not fit. An earlier #
// never has to: what follows it fitted already, and the later # can take all that is left over.
func matchWords(pattern, key []string) bool {
	p, k := 0, 0
	retryP, retryK := -1, 0 // where to go on when the last # takes one word more
	for k < len(key) {
		switch {
		case p < len(pattern) && pattern[p] == anyWords:
			p++
			retryP, retryK = p, k
		case p < len(pattern) && (pattern[p] == oneWord || pattern[p] == key[k]):
			p++
			k++
		case retryP >= 0:
			retryK++
			p, k = retryP, retryK
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == anyWords {
		p++
	}
	return p == len(pattern)
}
