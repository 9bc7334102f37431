package engine

import (
	"math/bits"
	"slices"
)

const (
	digitBits   = 11
	digitValues = 1 << digitBits
	fewSamples  = 64 // up to here a sort is faster than a histogram
)

// permilles are the percentiles of a summary, times ten, ascending (E25).
var permilles = [...]int{500, 900, 950, 990, 999}

// nearestRanks are the indexes of the percentiles among n sorted samples (the page, Percentiles; E40).
func nearestRanks(n int) [len(permilles)]int {
	var r [len(permilles)]int
	for i, permille := range permilles {
		r[i] = (permille*n+999)/1000 - 1
	}
	return r
}

// selectRanks writes to out[i] the value that stands at index wanted[i] of the sorted samples. The wanted indexes ascend,
// spare is as long as samples, and the contents of samples, spare and wanted are lost.
//
// It looks at the top digit of the samples' range and goes on only with samples that share it with a wanted one: three
// passes or a bit more, and at most six rounds whatever the order and the values.
func selectRanks(samples, spare []int64, wanted []int, out []int64) {
	if len(samples) <= fewSamples {
		slices.Sort(samples)
		for i, rank := range wanted {
			out[i] = samples[rank]
		}
		return
	}
	least, greatest := bounds(samples)
	if least == greatest {
		for i := range wanted {
			out[i] = least
		}
		return
	}
	shift := uint(max(digitBits, bits.Len64(uint64(greatest-least))) - digitBits)
	var counts [digitValues]int32
	for _, v := range samples {
		counts[digit(v, least, shift)]++
	}
	shares, n := share(&counts, wanted)
	gather(samples, spare, least, shift, shares[:n])
	for _, s := range shares[:n] {
		selectRanks(spare[s.start:s.end], samples[s.start:s.end], wanted[s.first:s.last], out[s.first:s.last])
	}
}

func bounds(samples []int64) (least, greatest int64) {
	least, greatest = samples[0], samples[0]
	for _, v := range samples {
		least, greatest = min(least, v), max(greatest, v)
	}
	return least, greatest
}

// digit is the top digit of a sample in a range that starts at base.
func digit(v, base int64, shift uint) int { return int(uint64(v-base) >> shift & (digitValues - 1)) }

// digitShare is a digit that a wanted sample has.
type digitShare struct {
	digit       int
	start, end  int // where its samples stand after gather
	first, last int // which of the wanted ones have it
}

// share finds the digits of the wanted indexes and makes each index relative to the samples of its digit.
func share(counts *[digitValues]int32, wanted []int) (shares [len(permilles)]digitShare, n int) {
	below, next, start := 0, 0, 0
	for d := 0; next < len(wanted); d++ {
		size, first := int(counts[d]), next
		for next < len(wanted) && wanted[next] < below+size {
			wanted[next] -= below
			next++
		}
		if next > first {
			shares[n] = digitShare{digit: d, start: start, end: start + size, first: first, last: next}
			start += size
			n++
		}
		below += size
	}
	return shares, n
}

// gather copies the samples of the shared digits to spare, those of one digit side by side.
func gather(samples, spare []int64, base int64, shift uint, shares []digitShare) {
	var places [digitValues]int32 // where the next sample of the digit goes, plus 1; 0: nowhere
	for _, s := range shares {
		places[s.digit] = int32(s.start) + 1
	}
	for _, v := range samples {
		place := &places[digit(v, base, shift)]
		if *place != 0 {
			spare[*place-1] = v
			*place++
		}
	}
}
