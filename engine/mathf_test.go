package engine

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// ulps is the distance of two doubles of one sign in units of the last place.
func ulps(a, b float64) uint64 {
	x, y := math.Float64bits(a), math.Float64bits(b)
	return max(x, y) - min(x, y)
}

// TestLnIsNearTheLibrary holds ln to 2 ulp of Go's own logarithm, which is within 1 ulp of the exact one for doubles that
// are not subnormal (on amd64 it is wrong for those).
func TestLnIsNearTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := math.Float64frombits(rapid.Uint64Range(1<<52, 0x7fefffffffffffff).Draw(t, "bits"))
		if got, want := ln(x), math.Log(x); ulps(got, want) > 2 {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
	})
}

func TestExpIsNearTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-745, 709).Draw(t, "x")
		if got, want := exp(x), math.Exp(x); ulps(got, want) > 2 {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	})
}

func TestLnAndExpAtTheEdges(t *testing.T) {
	infinite := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"ln of 1", ln(1), 0},
		{"ln of the least double", ln(5e-324), -744.4400719213812},
		{"ln of the greatest double", ln(math.MaxFloat64), 709.782712893384},
		{"ln of a power of two", ln(1 << 20), 20 * math.Ln2},
		{"exp of 0", exp(0), 1},
		{"exp of negative 0", exp(math.Copysign(0, -1)), 1},
		{"exp of a tiny value", exp(-1e-300), 1},
		{"exp over the threshold", exp(709.782712893385), infinite},
		{"exp of infinity", exp(infinite), infinite},
		{"exp under the threshold", exp(-745.14), 0},
		{"exp of negative infinity", exp(-infinite), 0},
		{"exp to the least double", exp(-745), 5e-324},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	if x := exp(709.7827128933840); math.IsInf(x, 0) || math.IsNaN(x) {
		t.Errorf("exp just under the threshold is %v", x)
	}
}

func TestRoundNs(t *testing.T) {
	for x, want := range map[float64]int64{
		0: 0, 0.5: 0, 0.49999999999999994: 0, 0.5000000000000001: 1, 1.5: 2, 2.5: 2, 3.5: 4,
		4503599627370497.5: 4503599627370498, 4503599627370496.5: 4503599627370496, 9007199254740993: 9007199254740992,
		math.Inf(1): never, 1e300: never, float64(never): never,
	} {
		if got := roundNs(x); got != want {
			t.Errorf("roundNs(%v) = %d, want %d", x, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 1e18).Draw(t, "x")
		if got, want := roundNs(x), int64(math.RoundToEven(x)); got != want {
			t.Fatalf("roundNs(%v) = %d, want %d", x, got, want)
		}
	})
}

// TestDocumentTimesAreNs multiplies in 53 bits by another way (E1).
func TestDocumentTimesAreNs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0, 90_000).Draw(t, "x")
		product, _ := new(big.Float).SetPrec(53).Mul(big.NewFloat(x), big.NewFloat(1e9)).Float64()
		if got, want := secondsToNs(x), int64(math.RoundToEven(product)); got != want {
			t.Fatalf("secondsToNs(%v) = %d, want %d", x, got, want)
		}
	})
	if got := msToNs(20.8); got != 20_800_000 {
		t.Errorf("20.8 ms are %d ns", got)
	}
	if got := nsToMs(20_800_001); got != 20.800001 {
		t.Errorf("20 800 001 ns are %v ms", got)
	}
}
