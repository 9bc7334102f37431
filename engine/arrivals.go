package engine

import (
	"math"

	"github.com/proofload/proofload/domain"
)

// The kinds of an arrival process: numbers, so that an arrival compares no text.
const (
	constantArrivals = iota
	poissonArrivals
	rampArrivals
	burstArrivals
)

// arrivalProcess gives the instants at which flows start.
type arrivalProcess struct {
	kind int
	rng  rng
	end  int64 // ns; an arrival lies before it (E3)
	last int64 // ns; the arrival before

	ahead float64 // the next gap of a Poisson process of rate 1
	rate  float64 // flows per second: constant, poisson, and the start of a ramp
	slope float64 // ramp: change of the rate per second, k of E15
	index float64 // constant: the number of the next arrival
	area  float64 // ramp and burst: the integral of the rate up to the last arrival (E15)

	segments []segment // burst: those that are not used up
}

// segment is a piece of a burst with one rate.
type segment struct {
	start  float64 // s
	rate   float64 // flows per second
	before float64 // the integral of the rate at its start
	after  float64 // and at its end
}

// newArrivals makes the process of a valid profile.
func newArrivals(a domain.Arrivals, seed string) arrivalProcess {
	p := arrivalProcess{rng: newRNG(seed, purposeArrivals, ""), end: secondsToNs(a.DurationSeconds), rate: a.RatePerSecond}
	switch a.Kind {
	case domain.ArrivalsPoisson:
		p.kind = poissonArrivals
	case domain.ArrivalsRamp:
		p.kind = rampArrivals
		p.slope = (a.ToRatePerSecond - a.RatePerSecond) / a.DurationSeconds
	case domain.ArrivalsBurst:
		p.kind = burstArrivals
		p.segments = burstSegments(a)
	}
	if p.kind != constantArrivals { // it draws nothing (E11)
		p.ahead = p.drawGap()
	}
	return p
}

// next is the instant of the next arrival in ns. After the first answer of false there is none.
func (p *arrivalProcess) next() (at int64, ok bool) {
	switch p.kind {
	case constantArrivals:
		at = roundNs(float64(p.index*1e9) / p.rate)
		p.index++
	case poissonArrivals:
		at = p.last + roundNs(float64(p.unitGap()/p.rate*1e9))
	case rampArrivals:
		p.area += p.unitGap()
		at = p.rampInstant()
	case burstArrivals:
		p.area += p.unitGap()
		at = p.burstInstant()
	}
	p.last = max(p.last, at) // E15: rounding never takes time back
	return p.last, p.last < p.end
}

// unitGap gives the gap to the next arrival of a Poisson process of rate 1. The one after it is drawn ahead, as a
// service time is (sampler.draw).
func (p *arrivalProcess) unitGap() float64 {
	gap := p.ahead
	p.ahead = p.drawGap()
	return gap
}

func (p *arrivalProcess) drawGap() float64 { return -ln(1 - p.rng.uniform()) }

// rampInstant inverts the integral of a rate that moves in a straight line (E15, E35).
func (p *arrivalProcess) rampInstant() int64 {
	radicand := float64(p.rate*p.rate) + float64(float64(2*p.slope)*p.area)
	if radicand < 0 {
		return never
	}
	denominator := p.rate + math.Sqrt(radicand)
	if denominator == 0 {
		return never
	}
	return secondsToNs(float64(2*p.area) / denominator)
}

// burstInstant inverts the integral of a rate that is constant in pieces (E35, E36).
func (p *arrivalProcess) burstInstant() int64 {
	for len(p.segments) > 0 && p.area >= p.segments[0].after {
		p.segments = p.segments[1:]
	}
	if len(p.segments) == 0 {
		return never
	}
	s := &p.segments[0]
	return secondsToNs(s.start + (p.area-s.before)/s.rate)
}

// burstSegments cuts the duration at the edges of the windows and sums the areas in order (E36).
func burstSegments(a domain.Arrivals) []segment {
	segments := make([]segment, 0, 2*len(a.Bursts)+1)
	start, area := 0.0, 0.0
	add := func(end, rate float64) {
		after := area + float64(rate*(end-start))
		segments = append(segments, segment{start: start, rate: rate, before: area, after: after})
		start, area = end, after
	}
	for _, b := range a.Bursts {
		add(b.FromSeconds, a.RatePerSecond)
		add(b.ToSeconds, b.RatePerSecond)
	}
	add(a.DurationSeconds, a.RatePerSecond)
	return segments
}

// meanArrivals is the mean number of arrivals, for the limit of that name (E16).
func meanArrivals(a domain.Arrivals) float64 {
	switch a.Kind {
	case domain.ArrivalsRamp:
		return (a.RatePerSecond + a.ToRatePerSecond) / 2 * a.DurationSeconds
	case domain.ArrivalsBurst:
		segments := burstSegments(a)
		return segments[len(segments)-1].after
	default:
		return a.RatePerSecond * a.DurationSeconds
	}
}
