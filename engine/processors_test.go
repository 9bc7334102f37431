package engine

import (
	"runtime"
	"testing"
)

// TestProcessors: the hash does not depend on how many processors Go uses.
func TestProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	golden := readGolden(t)["3"]
	for _, processors := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(processors)
		for _, name := range []string{"steps-all-overload", "random-17", "arrivals-poisson-mm1", "timeout-retry-storm"} {
			if hash, _ := hashUnder(t, name, Newest); hash != golden[name] {
				t.Errorf("%s on %d processors: hash %s, it was %s", name, processors, hash, golden[name])
			}
		}
	}
}
