package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"

	"github.com/proofload/proofload/domain"
)

// Options says where the read models are.
type Options struct {
	Path     string // the SQLite file; its folder exists
	Postgres string // DSN of a PostgreSQL database in place of the file; empty: the file
}

// DB holds the read models. It is safe for concurrent use.
type DB struct {
	tables    tables
	progress  progress
	gauge     gauge
	rebuilt   chan struct{} // tells that a halted projector may try again
	following sync.Once     // until it is known which stream the tables have to show
	shared    bool          // other processes may project, too
	unwatch   func()
}

// Open opens the read models and brings their tables up to date. With PostgreSQL any number of processes may open the
// same ones; they show each other's progress until Close. NewProjector says which stream they have to show: tables of
// another one are not read.
func Open(ctx context.Context, o Options) (*DB, error) {
	d := &DB{shared: o.Postgres != "", progress: newProgress(), rebuilt: make(chan struct{}, 1), unwatch: func() {}}
	var err error
	if !d.shared {
		d.tables, err = openSQLite(ctx, o.Path)
		return d, err
	}
	d.tables, err = openPostgres(ctx, o.Postgres)
	return d, err
}

// Close closes the read models. The projector has stopped before.
func (d *DB) Close() error {
	d.following.Do(func() {})
	d.unwatch()
	return d.tables.close()
}

// get reads one row; no row is domain.ErrNotFound.
func get[T any](ctx context.Context, d *DB, query string, args ...any) (T, error) {
	var row T
	if err := d.mayRead(ctx); err != nil {
		return row, err
	}
	err := d.tables.query(ctx, func(ctx context.Context, db *sqlx.DB) error {
		return db.GetContext(ctx, &row, db.Rebind(query), args...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return row, domain.ErrNotFound
	}
	return row, d.found(err)
}

// list reads rows; none is an empty list, never nil.
func list[T any](ctx context.Context, d *DB, query string, args ...any) ([]T, error) {
	rows := []T{}
	if err := d.mayRead(ctx); err != nil {
		return rows, err
	}
	err := d.tables.query(ctx, func(ctx context.Context, db *sqlx.DB) error {
		return db.SelectContext(ctx, &rows, db.Rebind(query), args...)
	})
	return rows, d.found(err)
}

// named wraps an error with what was looked for; nil stays nil.
func named(err error, what, id string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, id, err)
}

// versionOf says of which version of a thing it is the question.
func versionOf(version int, what string) string {
	return fmt.Sprintf("version %d of %s", version, what)
}
