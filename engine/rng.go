package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"strings"
)

// Purposes of a generator (E10).
const (
	purposeArrivals  = "arrivals"
	purposeService   = "service"
	purposeBranch    = "branch"
	purposeReservoir = "reservoir"
)

// rng is xoshiro256**. Each purpose of a run has one of its own, so that a draw more of one changes no other.
type rng struct{ s [4]uint64 }

// newRNG derives the generator of a purpose from the seed of the profile, in decimal digits (E10).
func newRNG(seed, purpose, id string) rng {
	sum := sha256.Sum256([]byte(trimSeed(seed) + "|" + purpose + "|" + id))
	state := binary.BigEndian.Uint64(sum[:8])
	var r rng
	for i := range r.s {
		state, r.s[i] = splitMix64(state)
	}
	return r
}

// splitMix64 is one step of SplitMix64: the next state and its output.
func splitMix64(state uint64) (next, output uint64) {
	state += 0x9e3779b97f4a7c15
	z := state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return state, z ^ z>>31
}

// uniform draws a value in [0, 1): the top 53 bits of an output times 2^-53.
func (r *rng) uniform() float64 {
	output := bits.RotateLeft64(r.s[1]*5, 7) * 9
	t := r.s[1] << 17
	r.s[2] ^= r.s[0]
	r.s[3] ^= r.s[1]
	r.s[1] ^= r.s[2]
	r.s[0] ^= r.s[3]
	r.s[2] ^= t
	r.s[3] = bits.RotateLeft64(r.s[3], 45)
	return float64(output>>11) * 0x1p-53 // exact, so that fusing it changes nothing
}

// trimSeed drops the leading zeros of a seed (E63).
func trimSeed(seed string) string {
	if trimmed := strings.TrimLeft(seed, "0"); trimmed != "" {
		return trimmed
	}
	return "0"
}
