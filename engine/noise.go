package engine

import "math"

// noiseBound gives the noise bound of a queue and the upper 1 % point of its utilisation (the page, The noise
// bound). n is the work that arrives, u the utilisation, v the variability; the bound is at most limit, which is
// the limit of waiting work plus 1 (E39).
func noiseBound(n int64, u, v float64, limit int64) (upper float64, bound int64) {
	if n == 0 || v == 0 { // E24
		return min(1, u), 2
	}
	spread := float64(2*v) / float64(n)
	upper = min(1, float64(u*(1+float64(2.326*math.Sqrt(spread)))))
	full := fullLoadDepth(n, v, limit)
	steady := newSteadyQueue(n, upper, v)
	if steady.s == 1 {
		return upper, full
	}
	return upper, steady.depth(full)
}

// fullLoadDepth is the depth that a queue at full load passes with a chance of 1 %, in [2, limit].
func fullLoadDepth(n int64, v float64, limit int64) int64 {
	depth := float64(2.576 * math.Sqrt(float64(float64(2*v)*float64(n))))
	if depth >= float64(limit) {
		return limit
	}
	whole := int64(depth)
	if float64(whole) < depth {
		whole++
	}
	return max(2, whole)
}

// steadyQueue is the chance that a queue with spare capacity reaches a depth (the page, Depth of a steady queue).
type steadyQueue struct {
	spare  float64 // 1 - w: the share of the capacity that is not used
	v      float64 // variability
	s      float64 // the ratio by which a depth is rarer than the one below it
	starts float64 // a bound of the number of times that work starts to wait
}

func newSteadyQueue(n int64, w, v float64) steadyQueue {
	q := steadyQueue{spare: 1 - w, v: v}
	q.s = q.power(1)
	q.starts = float64(float64(n)*(1-q.s)) + 1/(1-q.s)
	return q
}

// power is s^d (E24).
func (q *steadyQueue) power(d int64) float64 {
	return exp(float64(-float64(d)*q.spare) / q.v)
}

// chance bounds the chance that the queue reaches depth d in the window.
func (q *steadyQueue) chance(d int64) float64 {
	return float64(float64(q.starts*(1-q.s))*q.power(d-1)) / (1 - q.power(d))
}

// depth is the smallest d in [2, limit] with a chance of at most 1 %, limit when there is none below it.
//
// The exact chance falls with d, the computed one may stand a few ulp off. So a bisection finds a depth whose chance is
// clearly above 1 %, which holds for all depths below it too, and the steps from there test each depth.
func (q *steadyQueue) depth(limit int64) int64 {
	const percent, clearly = 0.01, 0.01 * (1 + 1e-9)
	low, high := int64(1), limit // the chance is clearly above at low (1: not looked at), not at high
	for high-low > 1 {
		middle := low + (high-low)/2
		if q.chance(middle) > clearly {
			low = middle
		} else {
			high = middle
		}
	}
	for d := low + 1; d < limit; d++ {
		if q.chance(d) <= percent {
			return d
		}
	}
	return limit
}

// growth compares the depth at the end of the arrivals with that at the middle of the measured window (the page,
// Queue growth; E44). The rate is the difference over half of the window, in works per second.
func growth(middle, end, bound, windowNs int64) Growth {
	if end-middle < bound {
		return Growth{}
	}
	rate := float64(end-middle) / (float64(windowNs) / 2 / 1e9)
	return Growth{Grows: true, PerSecond: &rate}
}

// saturation says whether a resource is saturated, and why (the page, Saturation and the bottleneck).
func saturation(turnedAway, maxDepth, bound int64) (bool, []string) {
	reasons := []string{}
	if turnedAway > 0 {
		reasons = append(reasons, TurnsWorkAway)
	}
	if maxDepth >= bound {
		reasons = append(reasons, ReachesNoiseBound)
	}
	return len(reasons) > 0, reasons
}
