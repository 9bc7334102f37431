package projections

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
)

// postgresFresh is a schema beside the live one. All is done with the one connection that holds the lock of the rebuild:
// who lost the lock can neither fill nor switch.
type postgresFresh struct {
	t    *postgresTables
	conn *sqlx.Conn
}

// What the names of the schemas of a rebuild end in.
const (
	besideSuffix = "_rebuild"
	beforeSuffix = "_old"
)

func (t *postgresTables) schemaBeside() string { return t.schema + besideSuffix }
func (t *postgresTables) schemaBefore() string { return t.schema + beforeSuffix }

func (t *postgresTables) beside(ctx context.Context) (fresh, error) {
	conn, err := t.locked(ctx, t.key("rebuild"), func() error { return nil })
	if err != nil {
		return nil, t.explain(err)
	}
	if err := t.makeBeside(ctx, conn); err != nil {
		return nil, errors.Join(t.explain(err), conn.Close())
	}
	return &postgresFresh{t, conn}, nil
}

// owned is the comment on the schemas that a rebuild has made or put aside, by which the next one knows them.
func (t *postgresTables) owned() string {
	return "made by a rebuild of the read models of proofload in " + t.schema + ", and dropped by the next"
}

func (t *postgresTables) own(schema string) string {
	return `COMMENT ON SCHEMA ` + schema + ` IS '` + t.owned() + `'` // a plain name has no quotes
}

// makeBeside makes the tables, without what a rebuild that died has left.
func (t *postgresTables) makeBeside(ctx context.Context, conn *sqlx.Conn) error {
	for _, schema := range []string{t.schemaBeside(), t.schemaBefore()} {
		if err := t.dropOwn(ctx, conn, schema); err != nil {
			return err
		}
	}
	for _, statement := range []string{ // the first is one transaction: no schema of ours is without its mark
		`CREATE SCHEMA ` + t.schemaBeside() + `; ` + t.own(t.schemaBeside()), `SET search_path TO ` + t.schemaBeside(),
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	pool := t.pool(t.schemaBeside(), nil)
	pool.SetMaxOpenConns(1)
	return errors.Join(migrate(ctx, goose.DialectPostgres, pool.DB), pool.Close())
}

// dropOwn drops a schema that a rebuild of these read models has left, and refuses one that somebody else has made.
func (t *postgresTables) dropOwn(ctx context.Context, conn *sqlx.Conn, schema string) error {
	var comments []sql.NullString
	err := conn.SelectContext(ctx, &comments, `SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1`, schema)
	switch {
	case err != nil || len(comments) == 0:
		return err
	case comments[0].String != t.owned():
		return &HaltError{
			Reason: "a rebuild needs the schema " + schema + " of PostgreSQL at " + t.where() + ", and it is there already, of somebody else",
			Advice: "Drop or rename it, or give the read models another schema (search_path in the DSN)",
		}
	}
	return dropSchema(ctx, conn, schema)
}

// dropSchema drops a schema table by table: who waits for a reader of one table holds no lock on another.
func dropSchema(ctx context.Context, conn *sqlx.Conn, schema string) error {
	if err := eachTable(ctx, conn, schema, `DROP TABLE `); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, `DROP SCHEMA IF EXISTS `+schema+` CASCADE`)
	return err
}

// eachTable runs a statement on each table of a schema.
func eachTable(ctx context.Context, conn *sqlx.Conn, schema, statement string) error {
	var names []string
	if err := conn.SelectContext(ctx, &names, `SELECT tablename FROM pg_tables WHERE schemaname = $1`, schema); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.ExecContext(ctx, statement+schema+`.`+name); err != nil {
			return err
		}
	}
	return nil
}

func (f *postgresFresh) writer() writer { return f.conn }

// claimTime is long enough for a projector that halts on the tables to let go of them.
const claimTime = 4 * takeOverTime

func (f *postgresFresh) claim(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	err := lockOn(waiting, f.conn, f.t.key("project"), func() error { return nil })
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return &HaltError{
			Reason: "another cluster, with another log, uses the read models in the schema " + f.t.schema + " of PostgreSQL at " + f.t.where(),
			Advice: "Give this one another database or schema (search_path in the DSN). Or stop all servers of the other one and rebuild then",
		}
	}
	return err
}

// hold waits for the batch that a projector writes, and keeps it from the next one. Before, the planner learns what is in
// the tables, or its first plans would be guesses.
func (f *postgresFresh) hold(ctx context.Context) error {
	if err := eachTable(ctx, f.conn, f.t.schemaBeside(), `ANALYZE `); err != nil {
		return err
	}
	_, err := f.conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, f.t.key("switch"))
	return err
}

// replace renames the schemas in one transaction. That locks no table: queries go on, in the tables that they have begun
// with or in the fresh ones.
func (f *postgresFresh) replace(ctx context.Context) error {
	tx, err := f.conn.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	live, err := hasSchema(ctx, tx, f.t.schema)
	if err != nil {
		return err
	}
	if live {
		if _, err := tx.ExecContext(ctx, f.t.own(f.t.schema)+`; ALTER SCHEMA `+f.t.schema+` RENAME TO `+f.t.schemaBefore()); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `ALTER SCHEMA `+f.t.schemaBeside()+` RENAME TO `+f.t.schema); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = f.conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, f.t.key("switch"))
	return err
}

// leave removes both other schemas, also when the caller gave up, and ends the connection with its locks.
func (f *postgresFresh) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), queryTime)
	defer cancel()
	var all []error
	for _, schema := range []string{f.t.schemaBeside(), f.t.schemaBefore()} {
		all = append(all, f.t.dropOwn(ctx, f.conn, schema))
	}
	return errors.Join(append(all, f.conn.Close())...)
}
