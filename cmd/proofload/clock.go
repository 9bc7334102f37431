package main

import "time"

// sinceStart returns a stopwatch.
func sinceStart() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
