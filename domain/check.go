package domain

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// entry is the pointer of a list's entry.
func entry(list string, i int) string { return list + "/" + strconv.Itoa(i) }

// id checks an identifier (spec 1, Identifiers).
func (r *report) id(at, id string) {
	if !isID(id) {
		r.add(at, "must be an id: 1 to %d characters a-z A-Z 0-9 . _ - that start with a letter or a digit, not %q", MaxIDChars, shortened(id))
	}
}

func isID(id string) bool {
	if id == "" || len(id) > MaxIDChars || strings.IndexByte("._-", id[0]) >= 0 {
		return false
	}
	for i := range len(id) {
		if !isIDByte(id[i]) {
			return false
		}
	}
	return true
}

func isIDByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
}

// oneOf checks a word of a closed list.
func (r *report) oneOf(at, word string, words ...string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	r.add(at, "must be one of %s, not %q", strings.Join(words, ", "), shortened(word))
	return false
}

// between checks a range with its bounds; NaN lies in none. The unit stands after a space, or is empty.
func (r *report) between(at string, x, least, most float64, unit string) {
	if !within(x, least, most) {
		r.add(at, "must be %s to %s%s, not %s", spaced(least), spaced(most), unit, spaced(x))
	}
}

// within is false for NaN, which is what a number that could not be read is.
func within(x, least, most float64) bool { return x >= least && x <= most }

// above0 checks a range without its lower bound 0.
func (r *report) above0(at string, x, most float64, unit string) {
	if x == 0 || !within(x, 0, most) {
		r.add(at, "must be more than 0 and at most %s%s, not %s", spaced(most), unit, spaced(x))
	}
}

func (r *report) notNegative(at string, x float64) {
	if !within(x, 0, math.MaxFloat64) {
		r.add(at, "must be 0 or more, not %s", spaced(x))
	}
}

func (r *report) milliseconds(at string, ms float64) { r.between(at, ms, 0, MaxMs, " ms") }

func (r *report) attempts(at string, n int) { r.between(at, float64(n), 1, MaxAttempts, "") }

// atMost checks the length of a list and tells whether its entries are worth a look.
func (r *report) atMost(at string, length, most int) bool {
	if length > most {
		r.add(at, "has more than %d entries; take some away", most)
	}
	return length <= most
}

// unique reports each id that stood at an earlier place already; the sentence calls that place by its name.
func (r *report) unique(ids []string, place, name func(i int) string) {
	first := make(map[string]int, len(ids))
	for i, id := range ids {
		if at, ok := first[id]; ok {
			r.add(place(i), "%q stands at %s already; keep one of the two", shortened(id), name(at))
			continue
		}
		first[id] = i
	}
}

// oneLine checks a text that is shown in lists.
func (r *report) oneLine(at, text string) {
	if !IsLine(text) {
		r.add(at, "must be one line of at most %d characters", MaxNameChars)
	}
}

// spaced writes a number for people: 3 600 000.
func spaced(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if math.IsNaN(x) || math.IsInf(x, 0) || len(whole) > 21 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + " " + whole[i:]
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// shortened keeps a message short whatever the document holds.
func shortened(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
