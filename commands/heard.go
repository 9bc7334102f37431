package commands

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// askAgain is when a store that did not answer one reader is asked for others again, unless it answers somebody before.
// Each who asks waits for the store's timeout.
const askAgain = 2 * time.Second

// heard is what this process hears from the store. A silence is one since a certain answer: the next answer, to whatever
// reading or commit, ends it.
type heard struct {
	answers atomic.Uint64 // so many
	silence atomic.Uint64 // one more than the answers when a reader found it silent; 0: none
}

// note takes down what became of a request to the store.
func (h *heard) note(err error) {
	if err == nil || errors.Is(err, eventstore.ErrNoAggregate) || errors.Is(err, eventstore.ErrRaced) {
		h.answered()
	}
}

func (h *heard) answered() { h.answers.Add(1) }

// count is for a reader that is about to ask; see silentSince.
func (h *heard) count() uint64 { return h.answers.Load() }

// silentSince says that a reader who asked after so many answers got none.
func (h *heard) silentSince(answers uint64) {
	since := answers + 1
	if h.silence.Swap(since) != since {
		time.AfterFunc(askAgain, func() { h.silence.CompareAndSwap(since, 0) })
	}
}

// silent says whether the store did not answer a reader, and nobody since.
func (h *heard) silent() bool { return h.silence.Load() == h.answers.Load()+1 }
