package domain

import (
	"strings"
	"testing"
)

// What is one line is the same rule for every name; what can be seen is asked of names that people find things by, and
// of every character where two names must not look the same.
func TestNames(t *testing.T) {
	type kind struct{ line, name, plain bool }
	seen, hiding, blank, none := kind{true, true, true}, kind{true, true, false}, kind{true, false, false}, kind{}
	for text, want := range map[string]kind{
		"Peak": seen, "two words": seen, "Ünal": seen, "日本": seen, "7": seen, "🚀": seen, strings.Repeat("é", 200): seen,
		"": {true, false, true}, "  ": {true, false, true},
		"\u00a0": blank, "\u200b": blank, "\u202e": blank, "\u3164": blank, "\u2800": blank, "\u115f\u1160\uffa0": blank, "\u00ad": blank, "\ufe0f": blank,
		"a\u200bb": hiding, "bob\u3164": hiding, "bob\u2800": hiding, "\u202eann": hiding, "bob\ufe0f": hiding,
		strings.Repeat("é", 201): {plain: true}, "a\xff": {plain: true}, // what is no character is shown as one
		"a\nb": none, "a\tb": none, "a\u0085b": none, "a\u2028b": none, "a\u2029b": none, "a\x00": none,
	} {
		if got := (kind{IsLine(text), IsName(text), HidesNothing(text)}); got != want {
			t.Errorf("%+q: %+v, want %+v", text, got, want)
		}
	}
}
