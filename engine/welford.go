package engine

// welford keeps the mean and the variance of durations in ns, in the order in which they come (E38).
type welford struct {
	n    float64
	mean float64 // ns
	m2   float64 // ns²; the sum of squared distances from the mean
}

// add takes one duration in ns.
func (w *welford) add(ns int64) {
	x := float64(ns)
	w.n++
	d := x - w.mean
	w.mean += d / w.n
	w.m2 += float64(d * (x - w.mean))
}

// cv2 is the squared coefficient of variation, by the population variance. With fewer than two durations or a
// mean of 0 it has no value and counts as 1 (E19, E38).
func (w *welford) cv2() float64 {
	if w.n < 2 || w.mean == 0 {
		return 1
	}
	return w.m2 / w.n / float64(w.mean*w.mean)
}
