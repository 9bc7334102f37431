package engine

import "math/bits"

const firstSamples = 128 // room of a summary with its first sample; it doubles up to the limit

// summary is the distribution of a latency or of a wait. It keeps every sample up to a limit, then a uniform reservoir
// of that size by algorithm R; count, least, greatest and mean stay exact (the page, Percentiles; E25, E26).
type summary struct {
	kept  []int64 // ns
	limit int     // samples that it keeps
	rng   rng     // of the reservoir

	overflowed totals // of all samples, once there are more than the limit
}

// totals are what a summary tells of all its samples.
type totals struct {
	count           int64
	least, greatest int64  // ns
	sumHigh, sumLow uint64 // ns, 128 bits
}

// newSummary makes the summary of a name like operation:<id>.
func newSummary(keptSamples int64, seed, name string) summary {
	return summary{limit: int(keptSamples), rng: newRNG(seed, purposeReservoir, name)}
}

// add takes a sample in ns. It is small enough to be inlined.
func (s *summary) add(ns int64) {
	if len(s.kept) < cap(s.kept) {
		s.kept = append(s.kept, ns)
	} else {
		s.addFull(ns)
	}
}

// addFull takes a sample when the room is used up: there is more room up to the limit, a reservoir above it.
func (s *summary) addFull(ns int64) {
	n := len(s.kept)
	if n < s.limit {
		larger := make([]int64, n+1, min(max(firstSamples, 2*n), s.limit))
		copy(larger, s.kept)
		larger[n] = ns
		s.kept = larger
		return
	}
	if s.overflowed.count == 0 {
		s.overflowed = totalsOf(s.kept)
	}
	s.overflowed.add(ns)
	if slot := int64(float64(s.rng.uniform() * float64(s.overflowed.count))); slot < int64(n) {
		s.kept[slot] = ns
	}
}

// count is the number of samples that were added.
func (s *summary) count() int64 { return max(s.overflowed.count, int64(len(s.kept))) }

// result states the distribution and gives the samples up. The buffer is shared by the summaries of a run.
func (s *summary) result(buffer *[]int64) Summary {
	n := len(s.kept)
	if n == 0 {
		return Summary{}
	}
	all, reservoir := s.overflowed, s.overflowed.count > 0
	if !reservoir {
		all = totalsOf(s.kept)
	}
	if len(*buffer) < n {
		*buffer = make([]int64, n)
	}
	wanted := nearestRanks(n)
	var at [len(permilles)]int64
	selectRanks(s.kept, (*buffer)[:n], wanted[:], at[:])
	s.kept = nil
	return Summary{
		Count: all.count, Reservoir: reservoir,
		MinMs: msOf(all.least), MeanMs: msOf(all.mean()), MaxMs: msOf(all.greatest),
		P50Ms: msOf(at[0]), P90Ms: msOf(at[1]), P95Ms: msOf(at[2]), P99Ms: msOf(at[3]), P999Ms: msOf(at[4]),
	}
}

func msOf(ns int64) *float64 {
	ms := nsToMs(ns)
	return &ms
}

func totalsOf(samples []int64) totals {
	t := totals{least: samples[0], greatest: samples[0]}
	for _, ns := range samples {
		t.add(ns)
	}
	return t
}

func (t *totals) add(ns int64) {
	t.count++
	if ns < t.least {
		t.least = ns
	} else if ns > t.greatest {
		t.greatest = ns
	}
	var carry uint64
	t.sumLow, carry = bits.Add64(t.sumLow, uint64(ns), 0)
	t.sumHigh += carry
}

// mean is the exact sum over the count, rounded half to even to a whole ns (E25).
func (t *totals) mean() int64 {
	quotient, rest := bits.Div64(t.sumHigh, t.sumLow, uint64(t.count))
	if twice := 2 * rest; twice > uint64(t.count) || twice == uint64(t.count) && quotient&1 == 1 {
		quotient++
	}
	return int64(quotient)
}
