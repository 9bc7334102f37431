package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/proofload/proofload/eventstore"
)

// apply is one view: it folds a fact into its tables.
type apply func(b *batch, f fact) error

// views in an order in which a later one may read what an earlier one wrote.
var views = []apply{
	applyMembers, applyWorkspaces, applyProjects, applyModels, applyScenarios, applyObjectives, applyProfiles, applyRuns,
}

// commit writes the rows of the records and moves the checkpoint. What stands before a record that cannot be
// read is written; the error then says why the rest is not. It gives the runs that ended.
func commit(ctx context.Context, db writer, from checkpoint, records []eventstore.Record) (checkpoint, []string, error) {
	return read(records).commit(ctx, db, from)
}

func (r reading) commit(ctx context.Context, db writer, from checkpoint) (checkpoint, []string, error) {
	if r.last.Seq == 0 {
		return from, nil, r.poison
	}
	next := from
	next.Seq, next.Skipped = r.last.Seq, from.Skipped+r.skipped
	ended, err := r.write(ctx, db, from, next)
	if err != nil {
		return from, nil, err
	}
	return next, ended, r.poison
}

// write is one transaction: the rows and the checkpoint, or nothing.
func (r reading) write(ctx context.Context, db writer, from, next checkpoint) ([]string, error) {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	b := &batch{ctx: ctx, tx: tx, statements: map[string]*sqlx.Stmt{}}
	for _, f := range r.facts {
		if err := b.fold(f); err != nil {
			return nil, fmt.Errorf("record %d, %s: %w", f.seq, f.event.EventName(), err)
		}
	}
	if err := b.evict(); err != nil {
		return nil, fmt.Errorf("runs that leave their lists: %w", err)
	}
	if err := b.move(from, next, Time{r.last.At}); err != nil {
		return nil, err
	}
	return b.ended, tx.Commit()
}

// batch is the transaction of a batch.
type batch struct {
	ctx        context.Context // ends with the transaction
	tx         *sqlx.Tx
	statements map[string]*sqlx.Stmt // prepared once a batch; the transaction closes them
	ended      []string              // runs whose outcome is in the batch
	stored     []string              // those that were completed, until evict
}

func (b *batch) fold(f fact) error {
	for _, view := range views {
		if err := view(b, f); err != nil {
			return err
		}
	}
	return nil
}

// move writes the checkpoint. It matches only the row that the batch started from.
func (b *batch) move(from, next checkpoint, at Time) error {
	done, err := b.run(`UPDATE checkpoints SET seq = ?, skipped = ?, updated_at = ?
		WHERE projection = ? AND seq = ? AND schema_version = ? AND stream_created = ?`,
		next.Seq, next.Skipped, at, Views, from.Seq, from.SchemaVersion, from.StreamCreated)
	if err != nil {
		return err
	}
	if rows, err := done.RowsAffected(); err != nil || rows != 1 {
		return errors.Join(errOvertaken, err)
	}
	return nil
}

// exec runs a statement that it prepares once a batch.
func (b *batch) exec(query string, args ...any) error {
	_, err := b.run(query, args...)
	return err
}

// texts reads rows of one text.
func (b *batch) texts(query string, args ...any) (found []string, err error) {
	if err := b.prepare(query); err != nil {
		return nil, err
	}
	err = b.statements[query].SelectContext(b.ctx, &found, args...)
	return found, err
}

func (b *batch) run(query string, args ...any) (sql.Result, error) {
	if err := b.prepare(query); err != nil {
		return nil, err
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok && strings.ContainsRune(text, 0) {
			args[i] = strings.ReplaceAll(text, "\x00", "\uFFFD") // PostgreSQL has no text with it
		}
	}
	return b.statements[query].ExecContext(b.ctx, args...)
}

func (b *batch) prepare(query string) error {
	if b.statements[query] != nil {
		return nil
	}
	statement, err := b.tx.PreparexContext(b.ctx, b.tx.Rebind(query)) //nolint:sqlclosecheck // the transaction closes it
	if err == nil {
		b.statements[query] = statement
	}
	return err
}
