package http

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pageRange is a bound of the table "Profile ranges" in numbers, as the page has them: what it bounds, from where to
// where, and the member that a 400 names. A side without a bound is infinite. An open side is not in the range itself.
type pageRange struct {
	row         string
	of          measure
	least, most float64
	open        bool // the lower side
	field       string
}

// measure is a number of a profile; false: the profile has none, such as the mean of a fixed time.
type measure func(profile any) (float64, bool)

var (
	none = math.Inf(1)
	any0 = math.Inf(-1)
)

// number of a member, or the count of a list.
func member(pointer string) measure {
	return func(profile any) (float64, bool) {
		switch v := memberAt(profile, pointer).(type) {
		case float64:
			return v, true
		case []any:
			return float64(len(v)), true
		}
		return 0, false
	}
}

// less is a minus b, to the nanosecond.
func less(a, b measure) measure {
	return func(profile any) (float64, bool) {
		x, inA := a(profile)
		y, inB := b(profile)
		return math.Round((x-y)*1e9) / 1e9, inA && inB
	}
}

// ofKind looks only at profiles with a kind of arrivals or of a time.
func ofKind(pointer, kind string, m measure) measure {
	return func(profile any) (float64, bool) {
		if memberAt(profile, pointer+"/kind") != kind {
			return 0, false
		}
		return m(profile)
	}
}

func memberAt(profile any, pointer string) any {
	at := profile
	for step := range strings.SplitSeq(pointer[1:], "/") {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// pageRanges are the page's ranges, row by row.
func pageRanges() []pageRange {
	const arrivals, time = "/arrivals", "/serviceTimes/0/time"
	const rate, to, burst = arrivals + "/ratePerSecond", arrivals + "/toRatePerSecond", arrivals + "/bursts/0/ratePerSecond"
	duration, warmUp := member("/arrivals/durationSeconds"), member("/arrivals/warmUpSeconds")
	from, until := member("/outages/0/fromSeconds"), member("/outages/0/toSeconds")
	of := func(kind, name string) measure { return ofKind(time, kind, member(time+"/"+name)) }
	return []pageRange{
		{"Duration", duration, 0.001, 86_400, false, "/arrivals/durationSeconds"},
		{"Measured window, from the end of the warm-up to the end of the duration", less(duration, warmUp), 0.001, none, false, "/arrivals/warmUpSeconds"},
		{"Rate", ofKind(arrivals, "constant", member(rate)), 0, 100_000, true, rate},
		{"Rate", ofKind(arrivals, "poisson", member(rate)), 0, 100_000, true, rate},
		{"Rate", ofKind(arrivals, "ramp", member(rate)), 0, 100_000, false, rate},
		{"Rate", ofKind(arrivals, "ramp", member(to)), 0, 100_000, false, to},
		{"Rate", ofKind(arrivals, "ramp", rampsUp), 0, none, true, to},
		{"Rate", ofKind(arrivals, "burst", member(rate)), 0, 100_000, false, rate},
		{"Rate", ofKind(arrivals, "burst", member(burst)), 0, 100_000, false, burst},
		{"Workers and consumers", member("/resources/0/concurrency"), 1, 10_000, false, "/resources/0/concurrency"},
		{"Workers and consumers", member("/subscriptions/0/consumers"), 1, 10_000, false, "/subscriptions/0/consumers"},
		{"Queue capacity", member("/resources/0/queueCapacity"), 0, 1_000_000, false, "/resources/0/queueCapacity"},
		{"Queue capacity", member("/subscriptions/0/queueCapacity"), 0, 1_000_000, false, "/subscriptions/0/queueCapacity"},
		{"Service time", of("fixed", "ms"), 0, 3_600_000, false, time + "/ms"},
		{"Service time", of("exponential", "meanMs"), 0, 3_600_000, true, time + "/meanMs"},
		{"Service time", of("lognormal", "medianMs"), 0, 3_600_000, true, time + "/medianMs"},
		{"Service time", of("lognormal", "p95Ms"), any0, 3_600_000, false, time + "/p95Ms"},
		{"Service time", less(of("lognormal", "p95Ms"), of("lognormal", "medianMs")), 0, none, false, time + "/p95Ms"},
		{"Service time", of("uniform", "minMs"), 0, none, false, time + "/minMs"},
		{"Service time", of("uniform", "maxMs"), any0, 3_600_000, false, time + "/maxMs"},
		{"Service time", less(of("uniform", "maxMs"), of("uniform", "minMs")), 0, none, false, time + "/maxMs"},
		{"Warm-up", warmUp, 0, none, false, "/arrivals/warmUpSeconds"},
		{"Warm-up", less(duration, warmUp), 0, none, true, "/arrivals/warmUpSeconds"},
		{"Outage window", from, 0, none, false, "/outages/0/fromSeconds"},
		{"Outage window", less(until, from), 0, none, true, "/outages/0/toSeconds"},
		{"Outage window", until, any0, 90_000, false, "/outages/0/toSeconds"},
		{"Probability", member("/branches/0/probability"), 0, 1, false, "/branches/0/probability"},
		{"Timeout and backoff override", member("/overrides/0/timeoutMs"), 0, 3_600_000, false, "/overrides/0/timeoutMs"},
		{"Timeout and backoff override", member("/overrides/0/backoffMs"), 0, 3_600_000, false, "/overrides/0/backoffMs"},
		{"Attempts override", member("/overrides/0/maxAttempts"), 1, 10, false, "/overrides/0/maxAttempts"},
		{"Entries of one list", member("/resources"), any0, 200, false, "/resources"},
		{"Entries of one list", member("/serviceTimes"), any0, 200, false, "/serviceTimes"},
		{"Entries of one list", member("/subscriptions"), any0, 200, false, "/subscriptions"},
		{"Entries of one list", member("/branches"), any0, 200, false, "/branches"},
		{"Entries of one list", member("/overrides"), any0, 200, false, "/overrides"},
		{"Outages", member("/outages"), any0, 50, false, "/outages"},
		{"Burst windows", ofKind(arrivals, "burst", member("/arrivals/bursts")), 1, 20, false, "/arrivals/bursts"},
	}
}

// rampsUp is the higher of the two rates of a ramp.
func rampsUp(profile any) (float64, bool) {
	from, _ := member("/arrivals/ratePerSecond")(profile)
	to, _ := member("/arrivals/toRatePerSecond")(profile)
	return max(from, to), true
}

// sample is a test as the check sees it: the number, and what becomes of the profile.
type sample struct {
	value   float64
	saved   bool
	refused bool // at the field
}

// edge is a case of a bound that a test has to have.
type edge struct {
	what string
	fits func(sample) bool
}

// edges are both edges of a bound, and one beyond each.
func (p pageRange) edges() []edge {
	var edges []edge
	switch {
	case math.IsInf(p.least, 0):
	case p.open:
		edges = append(edges, edge{"at the open edge", func(s sample) bool { return s.refused && s.value == p.least }},
			edge{"within it", func(s sample) bool { return s.saved && s.value > p.least }})
	default:
		edges = append(edges, edge{"at the least", func(s sample) bool { return s.saved && s.value == p.least }},
			edge{"below the least", func(s sample) bool { return s.refused && s.value < p.least }})
	}
	if !math.IsInf(p.most, 0) {
		edges = append(edges, edge{"at the most", func(s sample) bool { return s.saved && s.value == p.most }},
			edge{"over the most", func(s sample) bool { return s.refused && s.value > p.most }})
	}
	return edges
}

// lacks names the edges that no test has.
func (p pageRange) lacks(samples []sample) []string {
	var lacking []string
	for _, e := range p.edges() {
		if !slices.ContainsFunc(samples, e.fits) {
			lacking = append(lacking, fmt.Sprintf("%s, %s from %v to %v: no test %s", p.row, p.field, p.least, p.most, e.what))
		}
	}
	return lacking
}

// tested is a test of a range with its whole profile.
type tested struct {
	rangeTest
	whole any
}

func testedRanges(t *testing.T) []tested {
	t.Helper()
	var all []tested
	for _, test := range rangeTests() {
		text, err := json.Marshal(test.profile(t))
		must(t, err)
		one := tested{rangeTest: test}
		must(t, json.Unmarshal(text, &one.whole))
		all = append(all, one)
	}
	return all
}

// samplesOf are the tests of the row that have the number.
func (p pageRange) samplesOf(tests []tested) []sample {
	var samples []sample
	for _, test := range tests {
		if value, has := p.of(test.whole); has && test.row == p.row {
			samples = append(samples, sample{value, test.field == "", test.field == p.field})
		}
	}
	return samples
}

// TestRangesAreCovered makes sure that no edge of a range of the page is without a test, and that the check would see it.
func TestRangesAreCovered(t *testing.T) {
	tests := testedRanges(t)
	var rows []string
	for _, p := range pageRanges() {
		rows = append(rows, p.row)
		samples := p.samplesOf(tests)
		for _, lacking := range p.lacks(samples) {
			t.Error(lacking)
		}
		for _, e := range p.edges() {
			if without := slices.DeleteFunc(slices.Clone(samples), e.fits); len(p.lacks(without)) == 0 {
				t.Errorf("%s, %s: without the test %s nothing is missed", p.row, p.field, e.what)
			}
		}
	}
	slices.Sort(rows)
	if diff := cmp.Diff(sorted(pageRows["Profile ranges"]), slices.Compact(rows)); diff != "" {
		t.Errorf("rows and bounds in numbers: %s", diff)
	}
	for _, path := range []string{"/resources/0/queueCapacity", "/subscriptions/0/queueCapacity"} { // "or empty"
		if !slices.ContainsFunc(tests, func(r tested) bool { return r.path == path && r.value == "null" && r.field == "" }) {
			t.Errorf("%s: no test without one", path)
		}
	}
}
