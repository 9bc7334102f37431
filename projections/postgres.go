package projections

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
)

const (
	defaultSchema = "proofload"
	connectTime   = 5 * time.Second  // for a connection, unless the DSN says otherwise
	queryTime     = 15 * time.Second // for a query of a reader
	writers       = 4                // connections at most: projector, rebuild and their migrations
)

// postgresTables are read models in a schema of PostgreSQL, which several processes share.
type postgresTables struct {
	config  pq.Config
	schema  string
	readers *sqlx.DB
	glances *sqlx.DB // one connection, to see where the tables stand
	hung    hang
	limit   time.Duration // of a query
	hangs   time.Duration // after which a projector that says nothing loses its turn
	writers *sqlx.DB      // keeps no idle connection: what a connection holds ends with its use
}

func openPostgres(ctx context.Context, dsn string) (*postgresTables, error) {
	config, err := pq.NewConfig(dsn)
	if err != nil { // its text may hold the password
		return nil, errors.New("the DSN of PostgreSQL cannot be read: write postgres://USER:PASSWORD@HOST:5432/DATABASE, or host=HOST user=USER dbname=DATABASE")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	t := &postgresTables{config: config, limit: queryTime, hangs: hangTime, hung: hang{found: make(chan struct{})}}
	if t.schema, err = schemaOf(config.Runtime["search_path"]); err != nil {
		return nil, err
	}
	t.writers = t.pool(t.schema, forWriters)
	t.writers.SetMaxOpenConns(writers)
	t.writers.SetMaxIdleConns(0)
	t.readers = t.readersPool(readerConnections() - 1)
	t.glances = t.readersPool(1)
	if err := t.prepare(ctx); err != nil {
		return nil, errors.Join(t.refused(err), t.close())
	}
	return t, nil
}

func (t *postgresTables) readersPool(connections int) *sqlx.DB {
	pool := t.pool(t.schema, map[string]string{"default_transaction_read_only": "on"})
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool
}

// readerConnections is how many connections the queries of a process take at most.
func readerConnections() int { return min(16, max(4, 2*runtime.GOMAXPROCS(0))) }

// forWriters are the settings of connections that write. What a crash of the server takes back of rows and checkpoint
// together is projected again. A fold looks rows up by their keys, also in tables that are too young for statistics.
var forWriters = map[string]string{
	"synchronous_commit": "off", "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off",
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,49}$`)

// schemaOf is the first schema of a search path.
func schemaOf(path string) (string, error) {
	name, _, _ := strings.Cut(path, ",")
	name = strings.Trim(strings.TrimSpace(name), `"`)
	switch {
	case name == "":
		return defaultSchema, nil
	case !plainName.MatchString(name):
		return "", fmt.Errorf("the schema %q of the search_path of PostgreSQL: use at most 50 small letters, digits and _", name)
	case strings.HasSuffix(name, besideSuffix) || strings.HasSuffix(name, beforeSuffix):
		return "", fmt.Errorf("the schema %q of the search_path of PostgreSQL: names that end in %s or %s are for rebuilds", name, besideSuffix, beforeSuffix)
	}
	return name, nil
}

// pool makes connections whose unqualified names are those of a schema. PostgreSQL finds the schema by its name anew in
// each statement, so that one that was put in its place is used at once.
func (t *postgresTables) pool(schema string, settings map[string]string) *sqlx.DB {
	config := t.config.Clone()
	config.ApplicationName = cmp.Or(config.ApplicationName, "proofload")
	config.Runtime = map[string]string{
		"search_path":         schema,
		"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3", // or a machine that is gone keeps its locks for hours
	}
	maps.Copy(config.Runtime, settings)
	return sqlx.NewDb(sql.OpenDB(connector{config}), "postgres")
}

// prepare makes the schema and brings its tables up to date. Of several processes one does, the others wait.
func (t *postgresTables) prepare(ctx context.Context) error {
	conn, err := t.writers.Connx(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, t.key("migrate")); err != nil {
		return err
	}
	if err := ensureSchema(ctx, conn, t.schema); err != nil {
		return err
	}
	return migrate(ctx, goose.DialectPostgres, t.writers.DB)
}

// ensureSchema makes a schema that is missing. Who has no right to make one can use what is there.
func ensureSchema(ctx context.Context, conn *sqlx.Conn, schema string) error {
	there, err := hasSchema(ctx, conn, schema)
	if err == nil && !there {
		_, err = conn.ExecContext(ctx, `CREATE SCHEMA `+schema)
	}
	return err
}

func hasSchema(ctx context.Context, conn interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
}, schema string,
) (bool, error) {
	var there bool
	err := conn.GetContext(ctx, &there, `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, schema)
	return there, err
}

// key is the number of an advisory lock. Read models in other schemas of the same database have others.
func (t *postgresTables) key(purpose string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("proofload/" + t.schema + "/" + purpose)) // gives no error
	return int64(h.Sum64())                                         //nolint:gosec // all 64 bits
}

func (t *postgresTables) mark() string { return "tableoid::bigint" }

// close closes all connections. One that is broken already cannot be closed in good order, and need not.
func (t *postgresTables) close() error {
	_, _, _ = t.readers.Close(), t.glances.Close(), t.writers.Close()
	return nil
}

// where is the place of the database, without user and password.
func (t *postgresTables) where() string {
	return net.JoinHostPort(t.config.Host, strconv.Itoa(int(t.config.Port))) + "/" + t.config.Database
}
