package projections

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
)

// takeOverTime is how often a process that does not project asks whether it may.
const takeOverTime = 500 * time.Millisecond

// postgresLeader writes with the very connection that holds the lock of the projector: who lost the lock has lost the
// connection, and cannot write.
type postgresLeader struct {
	conn *sqlx.Conn
	gate int64
}

func (t *postgresTables) lead(ctx context.Context, standby func() error) (leader, error) {
	conn, err := t.locked(ctx, t.key("project"), standby)
	if err != nil {
		return nil, t.explain(err)
	}
	return postgresLeader{conn, t.key("switch")}, nil
}

// locked is a connection that holds an advisory lock. It waits for it by asking again and again: to wait inside a
// statement would keep PostgreSQL from removing old rows of the whole database.
func (t *postgresTables) locked(ctx context.Context, key int64, waiting func() error) (*sqlx.Conn, error) {
	conn, err := t.writers.Connx(ctx)
	if err != nil {
		return nil, err
	}
	for {
		var got bool
		if err := conn.GetContext(ctx, &got, `SELECT pg_try_advisory_lock($1)`, key); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		if got {
			return conn, nil
		}
		if err := waiting(); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		select {
		case <-time.After(takeOverTime):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), conn.Close())
		}
	}
}

func (l postgresLeader) writer() writer { return gatedWriter{l.conn, l.gate} }
func (l postgresLeader) leave()         { _ = l.conn.Close() } // the lock ends with the connection

// gatedWriter writes to the live tables. Each of its transactions begins with a lock that a rebuild holds while it
// switches: the names of the tables then mean the same ones until the transaction ends.
type gatedWriter struct {
	*sqlx.Conn
	gate int64
}

// BeginTxx begins a transaction behind the gate.
func (w gatedWriter) BeginTxx(ctx context.Context, opts *sql.TxOptions) (*sqlx.Tx, error) {
	tx, err := w.Conn.BeginTxx(ctx, opts)
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock_shared($1)`, w.gate); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}
