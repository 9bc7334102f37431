package engine

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// hexFloat is a double by its bits, in big-endian hex.
type hexFloat float64

func (f *hexFloat) UnmarshalText(text []byte) error {
	bits, err := strconv.ParseUint(string(text), 16, 64)
	*f = hexFloat(math.Float64frombits(bits))
	return err
}

// vectors are values that a second implementation computed.
type vectors struct {
	Ln, Exp [][2]hexFloat
	Uniform []struct {
		Seed, Purpose, ID string
		Bits              []hexFloat
	}
	ES6        [][2]string
	NoiseBound []struct {
		N           int64
		U, V, Upper hexFloat
		Bound       int64
	}
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Ln) == 0 || len(v.Exp) == 0 || len(v.Uniform) == 0 || len(v.ES6) == 0 || len(v.NoiseBound) == 0 {
		t.Fatal("vectors.json lacks a list")
	}
	return v
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestVectorsOfLnAndExp(t *testing.T) {
	v := readVectors(t)
	for name, list := range map[string]struct {
		f    func(float64) float64
		rows [][2]hexFloat
	}{"ln": {ln, v.Ln}, "exp": {exp, v.Exp}} {
		for _, row := range list.rows {
			if x, want := float64(row[0]), float64(row[1]); !sameBits(list.f(x), want) {
				t.Errorf("%s(%v) = %x, want %x", name, x, list.f(x), want)
			}
		}
	}
}

func TestVectorsOfTheGenerators(t *testing.T) {
	for _, g := range readVectors(t).Uniform {
		r := newRNG(g.Seed, g.Purpose, g.ID)
		for i, want := range g.Bits {
			if got := r.uniform(); !sameBits(got, float64(want)) {
				t.Errorf("value %d of %s|%s|%s is %v, want %v", i, g.Seed, g.Purpose, g.ID, got, want)
			}
		}
	}
}

func TestVectorsOfTheNoiseBound(t *testing.T) {
	for _, row := range readVectors(t).NoiseBound {
		upper, bound := noiseBound(row.N, float64(row.U), float64(row.V), DefaultLimits.Queued+1)
		if !sameBits(upper, float64(row.Upper)) || bound != row.Bound {
			t.Errorf("noiseBound(%d, %v, %v) = %v, %d, want %v, %d", row.N, row.U, row.V, upper, bound, row.Upper, row.Bound)
		}
	}
}

// TestVectorsOfNumbers holds the writer of the result's numbers to RFC 8785.
func TestVectorsOfNumbers(t *testing.T) {
	for _, row := range readVectors(t).ES6 {
		var x hexFloat
		if err := x.UnmarshalText([]byte(row[0])); err != nil {
			t.Fatal(err)
		}
		value := jsontext.Value(strconv.FormatFloat(float64(x), 'g', -1, 64))
		if err := value.Canonicalize(); err != nil || string(value) != row[1] {
			t.Errorf("%v is written %s (%v), want %s", float64(x), value, err, row[1])
		}
	}
}
