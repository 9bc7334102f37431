package engine

import (
	"math"

	"github.com/proofload/proofload/domain"
)

const (
	normal95  = 1.6448536269514722 // the 95 % point of a standard normal value
	longestMs = 86_400_000         // a service time is at most a day (E13)
	longestNs = longestMs * 1_000_000
)

// The kinds of a sampler: numbers, so that a draw compares no text.
const (
	samplerFixed = iota
	samplerExponential
	samplerLognormal
	samplerUniform
)

// sampler draws the service times of one target.
type sampler struct {
	kind  int
	rng   rng
	fixed int64   // ns
	ahead int64   // ns; what the next draw gives
	a, b  float64 // -mean; or ln of the median, sigma; or least value, width (ms)
}

// newSampler makes the sampler of a valid time for the operation, subscription or store target.
func newSampler(t domain.Time, seed, target string) sampler {
	s := sampler{rng: newRNG(seed, purposeService, target)}
	switch t.Kind {
	case domain.TimeExponential:
		s.kind, s.a = samplerExponential, -t.MeanMs
	case domain.TimeLognormal:
		s.kind, s.a = samplerLognormal, ln(t.MedianMs)
		s.b = (ln(t.P95Ms) - s.a) / normal95
	case domain.TimeUniform:
		s.kind, s.a, s.b = samplerUniform, t.MinMs, t.MaxMs-t.MinMs
	default:
		s.kind, s.fixed = samplerFixed, sampleNs(t.Ms)
	}
	s.ahead = s.sample()
	return s
}

// constant says that every draw gives the same value.
func (s *sampler) constant() bool { return s.kind == samplerFixed }

// draw gives the next service time in ns. It stands ready, and the one after it is computed beside what the engine does
// next: nothing waits for a logarithm. Nobody else uses the generator, so the draw ahead cannot be seen (E11).
func (s *sampler) draw() int64 {
	ns := s.ahead
	s.ahead = s.sample()
	return ns
}

// sample computes a service time in ns (the page, Service times; E35). A fixed time draws nothing (E11).
func (s *sampler) sample() int64 {
	switch s.kind {
	case samplerExponential:
		return sampleNs(float64(s.a * ln(1-s.rng.uniform())))
	case samplerLognormal:
		return sampleNs(exp(s.a + float64(s.b*s.rng.normal())))
	case samplerUniform:
		return sampleNs(s.a + float64(s.b*s.rng.uniform()))
	default:
		return s.fixed
	}
}

// normal draws a standard normal value by the polar form of Box and Muller; the second value of a pair is not
// kept (E35).
func (r *rng) normal() float64 {
	for {
		u := float64(2*r.uniform()) - 1
		v := float64(2*r.uniform()) - 1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return float64(u * math.Sqrt(float64(-2*ln(s))/s))
		}
	}
}

// sampleNs rounds a sample in ms to ns, after the cap (E13).
func sampleNs(ms float64) int64 {
	if ms >= longestMs {
		return longestNs
	}
	return msToNs(ms)
}

// chooser decides a branch step.
type chooser struct {
	rng         rng
	probability float64 // of the then path
}

// newChooser makes the chooser of a branch step.
func newChooser(probability float64, seed, stepID string) chooser {
	return chooser{rng: newRNG(seed, purposeBranch, stepID), probability: probability}
}

// then says whether the step takes its then path. A probability of 0 or 1 draws nothing (E11).
func (c *chooser) then() bool {
	if c.probability == 0 || c.probability == 1 {
		return c.probability == 1
	}
	return c.rng.uniform() < c.probability
}
