package projections

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite" // also registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqlx does not know the name of the modernc driver.
func init() { sqlx.BindDriver("sqlite", sqlx.QUESTION) }

// sqliteTables are read models in a file of SQLite. The lock on the data folder keeps other processes away.
type sqliteTables struct {
	path string
	mu   sync.RWMutex // held for reading by a query, for writing while a rebuild switches the files
	live *sqliteFile
	next sync.Mutex // held by a rebuild
}

func openSQLite(ctx context.Context, path string) (*sqliteTables, error) {
	t := &sqliteTables{path: path}
	live, err := openFile(ctx, path)
	if err != nil {
		return nil, t.explain(err)
	}
	t.live = live
	return t, nil
}

func (t *sqliteTables) query(ctx context.Context, read func(context.Context, *sqlx.DB) error) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return read(ctx, t.live.readers)
}

func (t *sqliteTables) glance(ctx context.Context, read func(context.Context, *sqlx.DB) error) error {
	return t.query(ctx, read)
}

func (t *sqliteTables) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live.close()
}

// lead gives way at once: no other process has the file.
func (t *sqliteTables) lead(context.Context, func() error) (leader, error) {
	return sqliteLeader{t}, nil
}

type sqliteLeader struct{ t *sqliteTables }

func (l sqliteLeader) writer() writer { return l.t.live.writer }
func (sqliteLeader) leave()           {}

func (t *sqliteTables) mark() string { return "0" }

// sqliteFile is one complete set of tables. A rebuild fills another one and puts it in place.
type sqliteFile struct {
	path    string
	writer  *sqlx.DB // one connection: SQLite has one writer
	readers *sqlx.DB
}

const pragmas = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)" +
	"&_pragma=foreign_keys(1)&_txlock=immediate"

func openFile(ctx context.Context, path string) (*sqliteFile, error) {
	if err := private(path); err != nil {
		return nil, fmt.Errorf("read models in %s: %w", path, err)
	}
	writer, err := sqlx.Open("sqlite", fileDSN(path, pragmas))
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	if err := migrate(ctx, goose.DialectSQLite3, writer.DB); err != nil {
		return nil, errors.Join(fmt.Errorf("read models in %s: %w", path, err), writer.Close())
	}
	readers, err := sqlx.Open("sqlite", fileDSN(path, pragmas+"&_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	readers.SetMaxOpenConns(2 * runtime.GOMAXPROCS(0))
	readers.SetMaxIdleConns(2 * runtime.GOMAXPROCS(0))
	return &sqliteFile{path: path, writer: writer, readers: readers}, nil
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

func fileDSN(path, options string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options
}

// close closes both pools. The last connection folds the write-ahead log into the file.
func (f *sqliteFile) close() error {
	return errors.Join(f.readers.Close(), f.writer.Close())
}

// remove deletes the file of tables that are closed, if it is there.
func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// primary masks the primary code of an extended result code of SQLite.
const primary = 0xff

// explain tells that the file is damaged, or is no database.
func (t *sqliteTables) explain(err error) error {
	var refused *sqlite.Error
	if !errors.As(err, &refused) {
		return err
	}
	if code := refused.Code() & primary; code != sqlite3.SQLITE_CORRUPT && code != sqlite3.SQLITE_NOTADB {
		return err
	}
	return &HaltError{
		Reason: "the read models are damaged",
		Advice: fmt.Sprintf("Nothing is lost, they are made again from the log: stop the server, delete %[1]s and the files beside it (%[1]s-wal and %[1]s-shm), "+
			"and start the server again", t.path),
		Cause: err,
	}
}
