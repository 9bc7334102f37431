package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// set states the range of measured values, and whether a reference value lies in it.
func (r rangeRow) set(values []float64) {
	least, greatest := apart(slices.Min(values), slices.Max(values))
	if strings.HasSuffix(strings.Trim(r["figure"], "`"), "utilisation") {
		greatest = min(greatest, 1)
	}
	r["least"], r["greatest"] = outward(least, greatest, isCount(values))
	if reference, ok := r.reference(); ok {
		r["inside"] = map[bool]string{true: "yes", false: "no"}[r.holds(reference)]
	}
}

// apart moves the least and the greatest of the measured seeds apart by a quarter of their ratio, in logarithms,
// because figures of queues have a long tail; by a quarter of their distance when the least is 0.
func apart(least, greatest float64) (float64, float64) {
	if least <= 0 {
		return least, greatest + (greatest-least)*moreRange
	}
	factor := math.Pow(greatest/least, moreRange)
	return least / factor, greatest * factor
}

func isCount(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

// outward rounds a range to two or three digits of its width, away from its middle; a count to whole numbers.
func outward(least, greatest float64, count bool) (string, string) {
	if least == greatest {
		text := strconv.FormatFloat(least, 'f', -1, 64)
		return text, text
	}
	digits := max(0, 1-int(math.Floor(math.Log10(greatest-least))))
	if count {
		digits = 0
	}
	step := math.Pow(10, float64(digits))
	return strconv.FormatFloat(math.Floor(least*step)/step, 'f', digits, 64),
		strconv.FormatFloat(math.Ceil(greatest*step)/step, 'f', digits, 64)
}

// reference is the value of a formula or of a measured system that the row states beside the range.
func (r rangeRow) reference() (float64, bool) {
	for _, column := range []string{"formula", "lab"} {
		if v, err := strconv.ParseFloat(r[column], 64); err == nil {
			return v, true
		}
	}
	return 0, false
}

func (r rangeRow) bounds() (least, greatest float64) {
	least, errLeast := strconv.ParseFloat(r["least"], 64)
	greatest, errGreatest := strconv.ParseFloat(r["greatest"], 64)
	if errLeast != nil || errGreatest != nil {
		return math.Inf(1), math.Inf(-1)
	}
	return least, greatest
}

func (r rangeRow) holds(value float64) bool {
	least, greatest := r.bounds()
	return least <= value && value <= greatest
}

// check says what is wrong with a row: a seed outside, a range much wider than the seeds differ, a formula that
// does not hold, a word that is not true.
func (r rangeRow) check(t *testing.T, command string, values []float64) {
	t.Helper()
	for _, problem := range r.problems(values) {
		t.Errorf("%s: %s %s to %s: %s", command, r["figure"], r["least"], r["greatest"], problem)
	}
}

func (r rangeRow) problems(values []float64) []string {
	var problems []string
	if outside := slices.DeleteFunc(slices.Clone(values), r.holds); len(outside) > 0 {
		problems = append(problems, "outside: "+formatAll(outside))
	}
	least, greatest := r.bounds()
	allowed := widestRange*(slices.Max(values)-slices.Min(values)) + 0.01*math.Abs(greatest)
	if greatest-least > allowed {
		problems = append(problems, "much wider than the seeds differ: "+formatAll(values))
	}
	reference, hasReference := r.reference()
	inside := hasReference && r.holds(reference)
	if hasReference && inside != (r["inside"] == "yes") {
		problems = append(problems, "the column inside says "+r["inside"])
	}
	if r["formula"] != "" && !inside {
		problems = append(problems, "the formula lies outside")
	}
	return problems
}

func formatAll(values []float64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v, 'g', 6, 64)
	}
	return strings.Join(texts, " ")
}

func TestRangeProblems(t *testing.T) {
	tests := []struct {
		name   string
		row    rangeRow
		values []float64
		want   int
	}{
		{"all inside", rangeRow{"least": "1", "greatest": "9"}, []float64{4, 5, 6}, 0},
		{"one outside", rangeRow{"least": "1", "greatest": "5"}, []float64{4, 5, 6}, 1},
		{"absurdly wide", rangeRow{"least": "0", "greatest": "100"}, []float64{4, 5, 6}, 1},
		{"no numbers", rangeRow{"least": "", "greatest": "many"}, []float64{4, 5, 6}, 1},
		{"formula inside", rangeRow{"least": "1", "greatest": "9", "formula": "5", "inside": "yes"}, []float64{4, 6}, 0},
		{"formula outside", rangeRow{"least": "1", "greatest": "9", "formula": "10", "inside": "no"}, []float64{4, 6}, 1},
		{"measured system outside", rangeRow{"least": "1", "greatest": "9", "lab": "10", "inside": "no"}, []float64{4, 6}, 0},
		{"said to be inside", rangeRow{"least": "1", "greatest": "9", "lab": "10", "inside": "yes"}, []float64{4, 6}, 1},
		{"nothing varies", rangeRow{"least": "5", "greatest": "5"}, []float64{5, 5}, 0},
	}
	for _, test := range tests {
		if got := test.row.problems(test.values); len(got) != test.want {
			t.Errorf("%s: got %q, want %d problems", test.name, got, test.want)
		}
	}
}

func TestApart(t *testing.T) {
	tests := []struct{ least, greatest, wantLeast, wantGreatest float64 }{
		{16, 256, 8, 512},
		{0, 8, 0, 10},
		{48.25, 48.25, 48.25, 48.25},
	}
	for _, test := range tests {
		least, greatest := apart(test.least, test.greatest)
		if least != test.wantLeast || greatest != test.wantGreatest {
			t.Errorf("%v to %v: got %v to %v, want %v to %v", test.least, test.greatest, least, greatest, test.wantLeast, test.wantGreatest)
		}
	}
}

func TestOutward(t *testing.T) {
	tests := []struct {
		least, greatest         float64
		count                   bool
		wantLeast, wantGreatest string
	}{
		{0.68712, 0.71288, false, "0.687", "0.713"},
		{1234.4, 1987.3, false, "1234", "1988"},
		{0, 3, false, "0.0", "3.0"},
		{0, 3.2, true, "0", "4"},
		{48.25, 48.25, false, "48.25", "48.25"},
	}
	for _, test := range tests {
		least, greatest := outward(test.least, test.greatest, test.count)
		if least != test.wantLeast || greatest != test.wantGreatest {
			t.Errorf("%v to %v: got %s to %s, want %s to %s", test.least, test.greatest, least, greatest, test.wantLeast, test.wantGreatest)
		}
	}
}
