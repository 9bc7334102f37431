package main

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// What some reader of YAML takes for a number and JSON does not have. A plain text of such a form is refused: read as
// the number of one YAML version it would be another number, or text, to the next.
var (
	wholeNumber     = regexp.MustCompile(`^[-+]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*)$`)
	fraction        = regexp.MustCompile(`^[-+]?([0-9][0-9_]*(\.[0-9_]*)?|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?$`)
	sexagesimal     = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)
	notFinite       = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	leadingZero     = regexp.MustCompile(`^[-+]?0[0-9_]+$`)
	octalDigits     = regexp.MustCompile(`^[-+]?[0-7_]+$`)
	zerosInFront    = regexp.MustCompile(`^(-?)0+([0-9])`)
	pointAtTheEnd   = regexp.MustCompile(`\.([eE]|$)`)
	pointInFront    = regexp.MustCompile(`^(-?)\.`)
	withoutGrouping = strings.NewReplacer("_", "", "+", "")
)

// isJSONNumber says whether JSON writes this number so.
func isJSONNumber(text string) bool {
	v := jsontext.Value(text)
	return v.Kind() == '0' && v.IsValid() && strings.TrimSpace(text) == text
}

// looksLikeNumber says whether some reader of YAML takes the text for a number.
func looksLikeNumber(text string) bool {
	return wholeNumber.MatchString(text) || fraction.MatchString(text) || sexagesimal.MatchString(text) || notFinite.MatchString(text)
}

// notJSONNumber refuses a number that JSON does not have and says how to write it.
func notJSONNumber(text string, line int) error {
	if notFinite.MatchString(text) {
		return fmt.Errorf("line %d: %s is not a number that JSON has; quote it if it is text", line, text)
	}
	ways := asJSONNumbers(text)
	for i, way := range ways {
		ways[i] = "write " + way
	}
	return fmt.Errorf("line %d: %s is not written as JSON writes a number; %s", line, text, strings.Join(append(ways, "quote it if it is text"), ", or "))
}

// asJSONNumbers are the numbers that the text may mean: 010 is 10, and 8 to YAML 1.1.
func asJSONNumbers(text string) []string {
	switch {
	case leadingZero.MatchString(text) && octalDigits.MatchString(text):
		return slices.Compact([]string{decimal(text), inBase(text, 8)})
	case sexagesimal.MatchString(text):
		return sixties(text)
	case wholeNumber.MatchString(text) && strings.ContainsAny(text, "xXoObB"):
		return []string{inBase(text, 0)}
	case fraction.MatchString(text):
		return []string{decimal(text)}
	}
	return nil
}

// decimal takes away what JSON has not: signs +, grouping, zeros in front, a point without digits on both sides.
func decimal(text string) string {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	mantissa = pointAtTheEnd.ReplaceAllString(withoutGrouping.Replace(mantissa), "")
	mantissa = pointInFront.ReplaceAllString(mantissa, "${1}0.")
	mantissa = zerosInFront.ReplaceAllString(mantissa, "${1}${2}")
	if hasExponent {
		return mantissa + "e" + exponent
	}
	return mantissa
}

func inBase(text string, base int) string {
	n, ok := new(big.Int).SetString(withoutGrouping.Replace(text), base)
	if !ok {
		return "the number in decimal digits"
	}
	return n.String()
}

// sixties reads 1:30 as YAML 1.1 does, as 90.
func sixties(text string) []string {
	whole, rest, _ := strings.Cut(withoutGrouping.Replace(text), ".")
	negative := strings.HasPrefix(whole, "-")
	total := new(big.Int)
	for part := range strings.SplitSeq(strings.TrimPrefix(whole, "-"), ":") {
		n, _ := new(big.Int).SetString(part, 10)
		total.Add(total.Mul(total, big.NewInt(60)), n)
	}
	number := total.String()
	if negative {
		number = "-" + number
	}
	if _, err := strconv.ParseUint(rest, 10, 64); err == nil {
		number += "." + rest
	}
	return []string{number}
}
