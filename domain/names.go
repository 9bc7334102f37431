package domain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsLine says whether a text is one line of at most MaxNameChars characters, which is what every name is. It may be empty.
func IsLine(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxNameChars && !strings.ContainsFunc(text, breaksLine)
}

// IsName says whether a text is one line with something in it that can be seen: the name of what people find again by it.
func IsName(text string) bool { return IsLine(text) && strings.ContainsFunc(text, isVisible) }

// HidesNothing says whether everything in a text but its spaces can be seen: no two such texts differ in what nobody sees.
func HidesNothing(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !isVisible(r) })
}

func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// emptyBraille is a pattern without a dot: a symbol by its category, a space by its look.
const emptyBraille = '\u2800'

// isVisible is false for spaces and for letters that are shown as nothing, such as the Hangul fillers.
func isVisible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != emptyBraille &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
