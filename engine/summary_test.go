package engine

import (
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func summaryOf(kept int64, samples ...int64) Summary {
	s := newSummary(kept, "1", "flow")
	for _, ns := range samples {
		s.add(ns)
	}
	var buffer []int64
	return s.result(&buffer)
}

func TestEmptySummaryHasNoValues(t *testing.T) {
	if diff := cmp.Diff(Summary{}, summaryOf(10)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestSummaryOfFewSamples(t *testing.T) {
	ms := func(x float64) *float64 { return &x }
	want := Summary{
		Count: 4, MinMs: ms(1), MeanMs: ms(2.75), MaxMs: ms(5),
		P50Ms: ms(2), P90Ms: ms(5), P95Ms: ms(5), P99Ms: ms(5), P999Ms: ms(5),
	}
	if diff := cmp.Diff(want, summaryOf(10, 5e6, 1e6, 3e6, 2e6)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// roundedMean is the mean by whole numbers without a bound, rounded half to even.
func roundedMean(samples []int64) int64 {
	sum := new(big.Int)
	for _, ns := range samples {
		sum.Add(sum, big.NewInt(ns))
	}
	n := big.NewInt(int64(len(samples)))
	quotient, rest := new(big.Int).QuoRem(sum, n, new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(n) {
	case 1:
		return quotient.Int64() + 1
	case 0:
		return quotient.Int64() + quotient.Int64()&1
	}
	return quotient.Int64()
}

func TestMeanIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, 1<<62), 1, 60).Draw(t, "samples") // sums of up to 68 bits
		if rapid.Bool().Draw(t, "small") {
			for i := range samples {
				samples[i] %= 3 // halves are frequent
			}
		}
		all := totalsOf(samples)
		if got, want := all.mean(), roundedMean(samples); got != want {
			t.Fatalf("mean %d, want %d", got, want)
		}
	})
}

// TestSummaryKeepsAReservoir replays algorithm R as E26 words it, beside a summary of the same name.
func TestSummaryKeepsAReservoir(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 300).Draw(t, "limit")
		samples := rapid.SliceOfN(rapid.Int64Range(0, 1e9), 1, 1000).Draw(t, "samples")
		r := newRNG("1", purposeReservoir, "flow")
		var kept []int64
		for i, ns := range samples {
			if i < limit {
				kept = append(kept, ns)
			} else if j := int(r.uniform() * float64(i+1)); j < limit {
				kept[j] = ns
			}
		}
		slices.Sort(kept)
		at := func(permille int) *float64 { return msOf(kept[(permille*len(kept)+999)/1000-1]) }
		want := Summary{
			Count: int64(len(samples)), Reservoir: len(samples) > limit,
			MinMs: msOf(slices.Min(samples)), MeanMs: msOf(roundedMean(samples)), MaxMs: msOf(slices.Max(samples)),
			P50Ms: at(500), P90Ms: at(900), P95Ms: at(950), P99Ms: at(990), P999Ms: at(999),
		}
		if diff := cmp.Diff(want, summaryOf(int64(limit), samples...)); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
	})
}

func TestSummaryAtItsLimit(t *testing.T) {
	s := newSummary(50_000, "1", "flow")
	for range 50_000 {
		s.add(1)
	}
	full := s
	full.kept = slices.Clone(s.kept)
	var buffer []int64
	if r := s.result(&buffer); r.Reservoir || r.Count != 50_000 {
		t.Errorf("at the limit: reservoir %v, count %d", r.Reservoir, r.Count)
	}
	if n := testing.AllocsPerRun(1000, func() { full.add(1) }); n != 0 {
		t.Errorf("%v allocations for a sample above the limit", n)
	}
	if r := full.result(&buffer); !r.Reservoir || r.Count != 51_001 || cap(full.kept) > 50_000 {
		t.Errorf("above the limit: reservoir %v, count %d", r.Reservoir, r.Count)
	}
}

func BenchmarkSummary(b *testing.B) {
	s := newSummary(50_000, "1", "flow")
	for b.Loop() {
		s.add(20_800_000)
	}
}
