package domain

import "math"

// leastWindowNs is the least duration and the least measured window.
const leastWindowNs = 1_000_000

func (r *report) arrivals(a Arrivals) {
	const at = "/arrivals"
	r.oneOf(at+"/kind", a.Kind, ArrivalsConstant, ArrivalsPoisson, ArrivalsRamp, ArrivalsBurst)
	r.rates(at, a)
	r.duration(at, a)
	if a.Kind == ArrivalsBurst {
		r.bursts(at+"/bursts", a)
	}
	r.origin(at, a.Origin)
}

func (r *report) rates(at string, a Arrivals) {
	switch a.Kind {
	case ArrivalsConstant, ArrivalsPoisson:
		r.above0(at+"/ratePerSecond", a.RatePerSecond, MaxRatePerSecond, " per second")
	case ArrivalsRamp:
		r.rate(at+"/ratePerSecond", a.RatePerSecond)
		r.rate(at+"/toRatePerSecond", a.ToRatePerSecond)
		if a.RatePerSecond == 0 && a.ToRatePerSecond == 0 {
			r.add(at+"/toRatePerSecond", "must be more than 0 when the ramp starts at 0: a ramp from 0 to 0 has no arrivals")
		}
	default:
		r.rate(at+"/ratePerSecond", a.RatePerSecond)
	}
}

func (r *report) rate(at string, rate float64) {
	r.between(at, rate, 0, MaxRatePerSecond, " per second")
}

// duration checks the duration and the warm-up as the engine counts them, in whole nanoseconds (E75).
func (r *report) duration(at string, a Arrivals) {
	duration, warmUp := roundedNs(a.DurationSeconds), roundedNs(a.WarmUpSeconds)
	if !within(duration, leastWindowNs, roundedNs(MaxDurationSeconds)) {
		r.add(at+"/durationSeconds", "must be 0.001 to %s s, not %s", spaced(MaxDurationSeconds), spaced(a.DurationSeconds))
	}
	if !within(warmUp, 0, math.MaxFloat64) || duration-warmUp < leastWindowNs {
		r.add(at+"/warmUpSeconds", "must be 0 s or more and at least 0.001 s shorter than durationSeconds, not %s", spaced(a.WarmUpSeconds))
	}
}

// roundedNs is E1: seconds become nanoseconds, rounded half to even.
func roundedNs(seconds float64) float64 { return math.RoundToEven(seconds * 1e9) }

// bursts checks windows that are in time order, do not overlap and are inside the duration.
func (r *report) bursts(at string, a Arrivals) {
	if len(a.Bursts) < 1 || len(a.Bursts) > MaxBursts {
		r.add(at, "must have 1 to %d windows", MaxBursts)
		return
	}
	for i, b := range a.Bursts {
		at := entry(at, i)
		r.notNegative(at+"/fromSeconds", b.FromSeconds)
		if i > 0 && b.FromSeconds < a.Bursts[i-1].ToSeconds {
			r.add(at+"/fromSeconds", "must not be before the end of the window before it, %s s", spaced(a.Bursts[i-1].ToSeconds))
		}
		if math.IsNaN(b.ToSeconds) || b.ToSeconds <= b.FromSeconds || b.ToSeconds > a.DurationSeconds {
			r.add(at+"/toSeconds", "must be after fromSeconds and at most durationSeconds, not %s", spaced(b.ToSeconds))
		}
		r.rate(at+"/ratePerSecond", b.RatePerSecond)
	}
}
