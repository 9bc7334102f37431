package projections

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// tables are where the read models live: a file of SQLite or a schema of PostgreSQL. This is all that differs between
// the two; migrations, folds and queries are the same SQL.
type tables interface {
	// query gives the pool to read with. No rebuild takes the tables away meanwhile.
	query(ctx context.Context, read func(context.Context, *sqlx.DB) error) error
	// glance is for a query that is answered at once by a database that is well; another one is not waited for.
	glance(ctx context.Context, read func(context.Context, *sqlx.DB) error) error
	// lead waits until this process is the one that projects. It calls standby whenever another one is, and ends with its error.
	lead(ctx context.Context, standby func() error) (leader, error)
	// beside makes empty tables beside the live ones. One rebuild at a time: another waits for it.
	beside(ctx context.Context) (fresh, error)
	// explain turns an error of the database into a *HaltError or *UnreachableError where it is one. Other errors pass.
	explain(err error) error
	// mark is an expression of SQL on a table: another number after a rebuild, or 0 where no other process rebuilds.
	mark() string
	close() error
}

// leader is the right to project into the live tables.
type leader interface {
	writer() writer // of the moment: a rebuild changes the tables
	leave()
}

// fresh are tables that a rebuild fills beside the live ones.
type fresh interface {
	writer() writer
	claim(ctx context.Context) error   // nobody projects into the live tables until leave; an error when somebody does
	hold(ctx context.Context) error    // no projector writes to the live tables from now on until replace or leave
	replace(ctx context.Context) error // puts them in the place of the live ones
	leave() error                      // removes what is not in its place: they, or after replace those that were live
}

// writer writes tables: a pool, or one connection of it.
type writer interface {
	Rebind(query string) string
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	BeginTxx(ctx context.Context, opts *sql.TxOptions) (*sqlx.Tx, error)
}

// migrate brings tables up to date.
func migrate(ctx context.Context, dialect goose.Dialect, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}
