package eventstore

import "time"

// copyPatience is how long a copy of a whole stream goes on without a message: longer than a server takes to start again.
const copyPatience = 60 * time.Second

// patience is the time that is left without progress.
type patience struct{ timer *time.Timer }

func newPatience() patience { return patience{time.NewTimer(copyPatience)} }

func (p patience) renew() { p.timer.Reset(copyPatience) }

func (p patience) end() { p.timer.Stop() }

func (p patience) ended() bool {
	select {
	case <-p.timer.C:
		return true
	default:
		return false
	}
}
