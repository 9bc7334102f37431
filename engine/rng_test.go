package engine

import "testing"

// TestSplitMix64 has the outputs that the authors of the generator publish for the seed 1234567.
func TestSplitMix64(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431} {
		var got uint64
		if state, got = splitMix64(state); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}

// TestXoshiro has published outputs of xoshiro256** from the state 1, 2, 3, 4.
func TestXoshiro(t *testing.T) {
	r := rng{s: [4]uint64{1, 2, 3, 4}}
	for i, output := range []uint64{11520, 0, 1509978240, 1215971899390074240} {
		if got, want := r.uniform(), float64(output>>11)/(1<<53); got != want {
			t.Errorf("value %d is %v, want %v", i, got, want)
		}
	}
}

func TestSeedsWithLeadingZerosAreEqual(t *testing.T) {
	for seed, want := range map[string]string{"0": "0", "000": "0", "007": "7", "70": "70", "18446744073709551615": "18446744073709551615"} {
		if got := trimSeed(seed); got != want {
			t.Errorf("trimSeed(%q) = %q, want %q", seed, got, want)
		}
		if newRNG(seed, purposeService, "op") != newRNG(want, purposeService, "op") {
			t.Errorf("the seeds %q and %q give two generators", seed, want)
		}
	}
}

func TestEachPurposeHasAGeneratorOfItsOwn(t *testing.T) {
	seen := map[rng]string{}
	for _, g := range [][2]string{
		{purposeArrivals, ""}, {purposeService, "a"}, {purposeService, "b"}, {purposeBranch, "a"}, {purposeReservoir, "a"},
	} {
		r := newRNG("1", g[0], g[1])
		if other, taken := seen[r]; taken {
			t.Errorf("%v has the generator of %s", g, other)
		}
		seen[r] = g[0] + "|" + g[1]
	}
}

func TestUniformIsInItsRange(t *testing.T) {
	r := newRNG("1", "test", "")
	const draws, cells = 200_000, 20
	var counts [cells]float64
	for range draws {
		u := r.uniform()
		if u < 0 || u >= 1 {
			t.Fatalf("drew %v", u)
		}
		counts[int(u*cells)]++
	}
	chi2 := 0.0
	for _, n := range counts {
		chi2 += (n - draws/cells) * (n - draws/cells) / (draws / cells)
	}
	if chi2 > 43.82 { // the 99.9 % point with 19 degrees of freedom
		t.Errorf("chi² of %d cells is %v", cells, chi2)
	}
}

func BenchmarkUniform(b *testing.B) {
	r := newRNG("1", "test", "")
	for b.Loop() {
		r.uniform()
	}
}

func BenchmarkLn(b *testing.B) {
	x := 0.3
	for b.Loop() {
		ln(x)
	}
}
