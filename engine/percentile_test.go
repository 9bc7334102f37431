package engine

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNearestRanks(t *testing.T) {
	// By hand: rank ceil(p / 100 * n), less one for the index.
	for n, want := range map[int][5]int{
		1:      {0, 0, 0, 0, 0},
		2:      {0, 1, 1, 1, 1},
		10:     {4, 8, 9, 9, 9},
		11:     {5, 9, 10, 10, 10},
		1000:   {499, 899, 949, 989, 998},
		1001:   {500, 900, 950, 990, 999},
		50_000: {24_999, 44_999, 47_499, 49_499, 49_949},
	} {
		if got := nearestRanks(n); got != want {
			t.Errorf("nearestRanks(%d) = %v, want %v", n, got, want)
		}
	}
}

// sortedRanks is the oracle of selectRanks.
func sortedRanks(samples []int64, wanted []int) []int64 {
	sorted := slices.Sorted(slices.Values(samples))
	var at []int64
	for _, rank := range wanted {
		at = append(at, sorted[rank])
	}
	return at
}

func selected(samples []int64, wanted []int) []int64 {
	at := make([]int64, len(wanted))
	selectRanks(slices.Clone(samples), make([]int64, len(samples)), slices.Clone(wanted), at)
	return at
}

func TestSelectRanksEqualsSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		greatest := rapid.SampledFrom([]int64{0, 1, 2047, 2048, 1 << 20, 7_200_000_000_000, math.MaxInt64}).Draw(t, "greatest")
		samples := rapid.SliceOfN(rapid.Int64Range(0, greatest), 1, 2000).Draw(t, "samples")
		base := rapid.SampledFrom([]int64{0, 12_345_678_901}).Draw(t, "base")
		for i := range samples {
			samples[i] = max(samples[i], samples[i]+base) // not beyond the greatest int64
		}
		ranks := nearestRanks(len(samples))
		if diff := cmp.Diff(sortedRanks(samples, ranks[:]), selected(samples, ranks[:])); diff != "" {
			t.Fatalf("-sorted +selected\n%s", diff)
		}
	})
}

// sampleSets are shapes that a run can give: 50 000 samples each.
func sampleSets() map[string][]int64 {
	const n = 50_000
	sets := map[string][]int64{}
	r := newRNG("1", "test", "samples")
	for i := range int64(n) {
		sets["exponential"] = append(sets["exponential"], int64(-20e6*ln(1-r.uniform())))
		sets["fixed"] = append(sets["fixed"], 20_800_000)
		sets["two values"] = append(sets["two values"], 1+(i&1)*7_200_000_000_000)
		sets["ascending"] = append(sets["ascending"], i*1000)
		sets["descending"] = append(sets["descending"], (n-i)*1000)
		sets["hours"] = append(sets["hours"], int64(r.uniform()*7.2e12))
		sets["clustered"] = append(sets["clustered"], 5_000_000+i%97+(i%5)*(1<<40))
	}
	return sets
}

func TestSelectRanksOnManySamples(t *testing.T) {
	for name, samples := range sampleSets() {
		ranks := nearestRanks(len(samples))
		if diff := cmp.Diff(sortedRanks(samples, ranks[:]), selected(samples, ranks[:])); diff != "" {
			t.Errorf("%s: -sorted +selected\n%s", name, diff)
		}
	}
}

// BenchmarkPercentiles compares selectRanks with slices.Sort on five percentiles of 50 000 samples.
func BenchmarkPercentiles(b *testing.B) {
	for name, samples := range sampleSets() {
		work, spare := make([]int64, len(samples)), make([]int64, len(samples))
		b.Run(name+"/sort", func(b *testing.B) {
			for b.Loop() {
				copy(work, samples)
				slices.Sort(work)
			}
		})
		b.Run(name+"/select", func(b *testing.B) {
			var at [len(permilles)]int64
			for b.Loop() {
				copy(work, samples)
				ranks := nearestRanks(len(samples))
				selectRanks(work, spare, ranks[:], at[:])
			}
		})
	}
}
