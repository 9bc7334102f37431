package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/proofload/proofload/domain"
)

// Options says where the read models are.
type Options struct {
	Path string // the SQLite file; its folder exists
}

// DB holds the read models. It is safe for concurrent use.
type DB struct {
	path     string
	mu       sync.RWMutex // held for reading by a query, for writing while a rebuild switches the tables
	live     *generation
	progress progress
}

// Open opens the read models and brings their tables up to date.
func Open(ctx context.Context, o Options) (*DB, error) {
	live, err := openGeneration(ctx, o.Path)
	if err != nil {
		return nil, unreadable(err, o.Path)
	}
	return &DB{path: o.Path, live: live, progress: newProgress()}, nil
}

// Close closes the read models. The projector has stopped before.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.live.close()
}

// get reads one row; no row is domain.ErrNotFound.
func get[T any](ctx context.Context, d *DB, query string, args ...any) (T, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var row T
	err := d.live.readers.GetContext(ctx, &row, d.live.readers.Rebind(query), args...)
	if errors.Is(err, sql.ErrNoRows) {
		return row, domain.ErrNotFound
	}
	return row, d.found(err)
}

// list reads rows; none is an empty list, never nil.
func list[T any](ctx context.Context, d *DB, query string, args ...any) ([]T, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	rows := []T{}
	err := d.live.readers.SelectContext(ctx, &rows, d.live.readers.Rebind(query), args...)
	return rows, d.found(err)
}

// named wraps an error with what was looked for; nil stays nil.
func named(err error, what, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, id, err)
}
