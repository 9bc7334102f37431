package engine

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// twinSummary keeps samples in ns (E25, E26).
type twinSummary struct {
	keep        int64
	uniform     func() float64 // of the reservoir
	count       int64
	least, most int64
	sum         [2]uint64 // high, low
	kept        []int64
}

func (s *twinSummary) add(ns int64) {
	s.count++
	if s.count == 1 {
		s.least, s.most = ns, ns
	}
	s.least, s.most = min(s.least, ns), max(s.most, ns)
	low, carry := bits.Add64(s.sum[1], uint64(ns), 0)
	s.sum = [2]uint64{s.sum[0] + carry, low}
	if s.count <= s.keep {
		s.kept = append(s.kept, ns)
	} else if slot := int64(math.Floor(s.uniform() * float64(s.count))); slot < s.keep {
		s.kept[slot] = ns
	}
}

// mean is the exact sum divided by the count, rounded half to even.
func (s *twinSummary) mean() int64 {
	sum := new(big.Int).SetUint64(s.sum[0])
	sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(s.sum[1]))
	quotient, rest := new(big.Int).QuoRem(sum, big.NewInt(s.count), new(big.Int))
	mean := quotient.Int64()
	switch rest.Lsh(rest, 1).Cmp(big.NewInt(s.count)) {
	case 1:
		mean++
	case 0:
		mean += mean & 1
	}
	return mean
}

func (s *twinSummary) result() Summary {
	if s.count == 0 {
		return Summary{}
	}
	sorted := slices.Clone(s.kept)
	slices.Sort(sorted)
	rank := func(permille int64) *float64 {
		n := int64(len(sorted))
		if n == 0 {
			return nil
		}
		return twinMsPointer(sorted[(permille*n+999)/1000-1])
	}
	return Summary{
		Count: s.count, Reservoir: s.count > s.keep,
		MinMs: twinMsPointer(s.least), MeanMs: twinMsPointer(s.mean()), MaxMs: twinMsPointer(s.most),
		P50Ms: rank(500), P90Ms: rank(900), P95Ms: rank(950), P99Ms: rank(990), P999Ms: rank(999),
	}
}

func twinMs(ns int64) float64 { return float64(ns) / 1e6 }

func twinMsPointer(ns int64) *float64 {
	ms := twinMs(ns)
	return &ms
}

// twinVariance is Welford's update (E38).
type twinVariance struct{ n, mean, m2 float64 }

func (v *twinVariance) add(x float64) {
	v.n++
	d := x - v.mean
	v.mean += d / v.n
	v.m2 += float64(d * (x - v.mean))
}

// cv2 is the squared coefficient of variation, 1 where it has no value (E19).
func (v *twinVariance) cv2() float64 {
	if v.n < 2 || v.mean == 0 {
		return 1
	}
	return (v.m2 / v.n) / (v.mean * v.mean)
}

// twinNoise is the noise bound with what it comes from (the page; E24, E39).
func twinNoise(requests int64, utilisation, arrivalCv2, serviceCv2 float64, queuedLimit int64) Noise {
	n, v := float64(requests), (arrivalCv2+serviceCv2)/2
	noise := Noise{
		N: requests, Utilisation: utilisation, ArrivalCv2: arrivalCv2, ServiceCv2: serviceCv2,
		Variability: v, UpperUtilisation: min(1, utilisation), Bound: 2,
	}
	if requests == 0 || v == 0 {
		return noise
	}
	noise.UpperUtilisation = min(1, utilisation*(1+float64(2.326*math.Sqrt(2*v/n))))
	bound := max(2, math.Ceil(2.576*math.Sqrt(2*v*n)))
	if steady, ok := twinSteadyDepth(n, noise.UpperUtilisation, v, queuedLimit+1); ok {
		bound = min(bound, steady)
	}
	noise.Bound = int64(min(bound, float64(queuedLimit+1)))
	return noise
}

// twinSteadyDepth is the smallest depth that a steady queue passes with a chance of at most 1 %, if it is not
// above most.
func twinSteadyDepth(n, w, v float64, most int64) (float64, bool) {
	s := exp(-(1 - w) / v)
	if w == 1 || s == 1 {
		return 0, false
	}
	starts := float64(n*(1-s)) + 1/(1-s)
	for d := 2.0; d <= float64(most); d++ {
		below, at := exp(-(d-1)*(1-w)/v), exp(-d*(1-w)/v)
		if starts*(1-s)*below/(1-at) <= 0.01 {
			return d, true
		}
	}
	return 0, false
}
