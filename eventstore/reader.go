package eventstore

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Reader reads all commits of the stream in order, without a gap and without end. When its consumer is lost it
// makes another one behind the last record that it gave. It is for one goroutine.
type Reader struct {
	source readerSource
	last   uint64        // sequence of the last record given
	idle   time.Duration // waited in vain since the last record or check
}

// Read starts reading behind the position after; 0 is the start. ErrAhead: the stream does not reach that far.
func (s *Store) Read(ctx context.Context, after uint64) (*Reader, error) {
	pos, err := s.Position(ctx)
	if err != nil {
		return nil, err
	}
	r := &Reader{source: readerSource{store: s, created: pos.Created}, last: after}
	if err := r.source.connect(ctx, after); err != nil {
		return nil, r.wrap(err)
	}
	return r, nil
}

// Next waits for the next record.
func (r *Reader) Next(ctx context.Context) (Record, error) {
	for {
		batch, err := r.NextBatch(ctx, 1, stallCheck)
		if err != nil {
			return Record{}, err
		}
		if len(batch) > 0 {
			return batch[0], nil
		}
	}
}

// NextBatch gives what is there, at most limit records; it waits for the first one, at most wait. None and no
// error: nothing new came, or the server cannot be reached at the moment. An error is for good: the log is damaged,
// the stream is another one, the connection is closed or ctx is done.
func (r *Reader) NextBatch(ctx context.Context, limit int, wait time.Duration) ([]Record, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		batch, err := r.fill(ctx, waiting, limit)
		switch {
		case len(batch) > 0: // trouble behind these records shows again in the next batch
			r.source.store.marks.note(StreamEvents, r.last)
			r.idle = 0
			return batch, nil
		case ctx.Err() != nil:
			return nil, r.wrap(ctx.Err())
		case final(err) || r.source.closed():
			return nil, r.wrap(err)
		case waiting.Err() != nil:
			r.checkStall(ctx, wait)
			return nil, nil
		}
		r.source.drop()
		pause(waiting, retryWait)
	}
}

// Close gives the consumer back to the server.
func (r *Reader) Close() { r.source.close() }

// fill reads until the batch is full, nothing more waits at the server, or there is trouble.
func (r *Reader) fill(ctx, waiting context.Context, limit int) ([]Record, error) {
	if err := r.source.connect(ctx, r.last); err != nil {
		return nil, err
	}
	var batch []Record
	for len(batch) < limit {
		record, pending, err := r.source.next(waiting, r.last)
		if err != nil {
			return batch, err
		}
		r.last = record.Seq
		batch = append(batch, record)
		if pending == 0 {
			break
		}
	}
	return batch, nil
}

// checkStall drops a consumer that gives nothing although there is something. Heartbeats do not show this: nats.go
// counts the missing ones anew with each call of Next.
func (r *Reader) checkStall(ctx context.Context, waited time.Duration) {
	if r.idle += waited; r.idle < stallCheck {
		return
	}
	r.idle = 0
	ctx, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	pos, err := r.source.store.Position(ctx)
	if err != nil || pos.Last != r.last || !pos.Created.Equal(r.source.created) {
		r.source.drop()
	}
}

func (r *Reader) wrap(err error) error {
	return fmt.Errorf("reading stream %s after %d: %w", StreamEvents, r.last, err)
}

// final tells whether no other consumer can help.
func final(err error) bool {
	for _, kind := range []error{ErrDamaged, ErrAhead, ErrOtherStream} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// pause sleeps for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
