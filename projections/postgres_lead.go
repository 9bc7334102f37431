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

// hangTime is how long the active projector may say nothing to PostgreSQL. It has a word for it each batchWait; one that
// hangs, in a transaction or not, loses the connection and with it the lock.
const hangTime = 10 * time.Second

// endIdle has PostgreSQL end the connection. Before version 14 it cannot outside of a transaction.
const endIdle = `SELECT set_config(name, $1, false) FROM pg_settings WHERE name IN ('idle_in_transaction_session_timeout', 'idle_session_timeout')`

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
	if _, err := conn.ExecContext(ctx, endIdle, t.hangs.Milliseconds()); err != nil {
		return nil, errors.Join(t.explain(err), conn.Close())
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
	if err := lockOn(ctx, conn, key, waiting); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func lockOn(ctx context.Context, conn *sqlx.Conn, key int64, waiting func() error) error {
	for {
		var got bool
		if err := conn.GetContext(ctx, &got, `SELECT pg_try_advisory_lock($1)`, key); err != nil || got {
			return err
		}
		if err := waiting(); err != nil {
			return err
		}
		select {
		case <-time.After(takeOverTime):
		case <-ctx.Done():
			return ctx.Err()
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
