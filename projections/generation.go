package projections

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

// sqlx does not know the name of the modernc driver.
func init() { sqlx.BindDriver("sqlite", sqlx.QUESTION) }

// generation is one complete set of tables: a SQLite file. A rebuild fills another one and puts it in place.
type generation struct {
	path    string
	writer  *sqlx.DB // one connection: SQLite has one writer
	readers *sqlx.DB
}

const pragmas = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)" +
	"&_pragma=foreign_keys(1)&_txlock=immediate"

func openGeneration(ctx context.Context, path string) (*generation, error) {
	if err := private(path); err != nil {
		return nil, fmt.Errorf("read models in %s: %w", path, err)
	}
	writer, err := sqlx.Open("sqlite", dsn(path, pragmas))
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	if err := migrate(ctx, writer); err != nil {
		return nil, errors.Join(fmt.Errorf("read models in %s: %w", path, err), writer.Close())
	}
	readers, err := sqlx.Open("sqlite", dsn(path, pragmas+"&_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	readers.SetMaxOpenConns(2 * runtime.GOMAXPROCS(0))
	readers.SetMaxIdleConns(2 * runtime.GOMAXPROCS(0))
	return &generation{path: path, writer: writer, readers: readers}, nil
}

// private makes the file, or takes it away from others when an older version made it. SQLite gives the files beside it
// the mode of this one. A file that is there is not opened: closing it would end the locks that this process has on it.
func private(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.Chmod(path, 0o600)
	}
	if err != nil {
		return err
	}
	return file.Close()
}

func dsn(path, options string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options
}

func migrate(ctx context.Context, db *sqlx.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db.DB, files)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// close closes both pools. The last connection folds the write-ahead log into the file.
func (g *generation) close() error {
	return errors.Join(g.readers.Close(), g.writer.Close())
}

// remove deletes the file of a generation that is closed, if it is there.
func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
