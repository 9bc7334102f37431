package main

import (
	"os"
	"runtime"
	"testing"
)

// TestEngineProcessors: runs never take all threads that Go lets work at once, however often a node is started.
func TestEngineProcessors(t *testing.T) {
	runs := engineProcessors()
	if again := engineProcessors(); again != runs || runs < 1 {
		t.Errorf("%d runs at once, then %d", runs, again)
	}
	if got := runtime.GOMAXPROCS(0); os.Getenv("GOMAXPROCS") == "" && got != 2*runs {
		t.Errorf("%d threads work at once beside %d runs, want %d", got, runs, 2*runs)
	}
}
