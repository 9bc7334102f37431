package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// reachable is the store of the commands: a server that does not answer, or takes nothing, is domain.ErrUnavailable.
// Whatever it answers is noted.
type reachable struct {
	*eventstore.Store
	heard *heard
}

// told notes what became of a request to the store, and says it in words of the domain.
func (s reachable) told(err error) error {
	s.heard.note(err)
	return unavailable(err)
}

func unavailable(err error) error {
	switch {
	case errors.Is(err, eventstore.ErrUnreachable):
		return fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
	case errors.Is(err, eventstore.ErrFull):
		return fmt.Errorf("%w: %w", domain.ErrStoreFull, err)
	}
	return err
}

func (s reachable) Append(ctx context.Context, agg eventstore.Aggregate, after eventstore.Tail, c eventstore.Commit) (eventstore.Record, error) {
	r, err := s.Store.Append(ctx, agg, after, c)
	return r, s.told(err)
}

func (s reachable) PutBlob(ctx context.Context, data []byte) (string, error) {
	hash, err := s.Store.PutBlob(ctx, data)
	return hash, s.told(err)
}

func (s reachable) Load(ctx context.Context, agg eventstore.Aggregate) ([]eventstore.Record, error) {
	return s.LoadAfter(ctx, agg, eventstore.Tail{})
}

func (s reachable) LoadAfter(ctx context.Context, agg eventstore.Aggregate, tail eventstore.Tail) ([]eventstore.Record, error) {
	records, err := s.Store.LoadAfter(ctx, agg, tail)
	return records, s.told(err)
}

func (s reachable) Last(ctx context.Context, agg eventstore.Aggregate) (eventstore.Record, error) {
	r, err := s.Store.Last(ctx, agg)
	return r, s.told(err)
}

func (s reachable) LastAfter(ctx context.Context, agg eventstore.Aggregate, tail eventstore.Tail) (eventstore.Record, bool, error) {
	r, newer, err := s.Store.LastAfter(ctx, agg, tail)
	return r, newer, s.told(err)
}

func (s reachable) EndAt(ctx context.Context, ends ...eventstore.End) (bool, error) {
	ended, err := s.Store.EndAt(ctx, ends...)
	return ended, s.told(err)
}

func (s reachable) FindFirst(ctx context.Context, typ, id string) (eventstore.Record, error) {
	r, err := s.Store.FindFirst(ctx, typ, id)
	return r, s.told(err)
}

func (s reachable) Position(ctx context.Context) (eventstore.Position, error) {
	at, err := s.Store.Position(ctx)
	return at, s.told(err)
}

func (s reachable) Read(ctx context.Context, after uint64) (*eventstore.Reader, error) {
	r, err := s.Store.Read(ctx, after)
	return r, s.told(err)
}

func (s reachable) Blob(ctx context.Context, hash string) ([]byte, error) {
	data, err := s.Store.Blob(ctx, hash)
	return data, s.told(err)
}

// Blob reads a document or a result by its SHA-256.
func (c *Commands) Blob(ctx context.Context, hash string) ([]byte, error) {
	return c.store.Blob(ctx, hash)
}

// Writable says why nothing can be stored at the moment, as domain.ErrUnavailable: the store does not answer, or the last
// write failed.
func (c *Commands) Writable(ctx context.Context) error {
	if _, err := c.Instance(ctx); err != nil { // where a stream ends, a cluster without a quorum says for a while
		return err
	}
	if err := c.store.Trouble(); err != nil {
		if full := unavailable(err); errors.Is(full, domain.ErrStoreFull) {
			return full
		}
		return fmt.Errorf("%w: %w", domain.ErrUnavailable, err)
	}
	return nil
}
