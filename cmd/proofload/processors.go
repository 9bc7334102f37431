package main

import (
	"os"
	"runtime"
	"sync"
)

// engineProcessors is how many runs a process computes at once: one for each processor. The first call makes room for
// as many threads more, once. A run never waits, so with its default Go would let requests wait for 10 ms at each
// step until a run has had its turn; threads of their own are given the processor by the operating system at once.
// Who sets GOMAXPROCS has chosen, and gets no more.
var engineProcessors = sync.OnceValue(func() int {
	processors := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * processors)
	}
	return processors
})
