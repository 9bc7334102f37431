package projections

import (
	"context"

	"github.com/proofload/proofload/eventstore"
)

// readahead reads and decodes the next batch of a stretch of the stream while the one before it is written.
type readahead struct {
	batches chan reading // ends behind the stretch, or behind an error
	err     error        // why it ended; set before batches is closed
	stop    context.CancelFunc
}

// readAhead reads what stands behind the position after, up to until, with a reader that begins there.
func readAhead(ctx context.Context, reader *eventstore.Reader, after, until uint64) *readahead {
	ctx, stop := context.WithCancel(ctx)
	a := &readahead{batches: make(chan reading, 1), stop: stop}
	go func() {
		defer close(a.batches)
		a.err = a.run(ctx, reader, after, until)
	}()
	return a
}

func (a *readahead) run(ctx context.Context, reader *eventstore.Reader, after, until uint64) error {
	for after < until {
		records, err := reader.NextBatch(ctx, int(min(batchSize, until-after)), batchWait)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			continue
		}
		after = records[len(records)-1].Seq
		select {
		case a.batches <- read(records):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// end returns when nothing reads any more.
func (a *readahead) end() {
	a.stop()
	for range a.batches { //nolint:revive // what was read in vain
	}
}
