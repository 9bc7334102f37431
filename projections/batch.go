package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// batch is one transaction: the rows of some commits and the checkpoint after them.
type batch struct {
	ctx        context.Context // ends with the transaction
	tx         *sqlx.Tx
	statements map[string]*sqlx.Stmt // prepared once a batch; the transaction closes them
	ended      []string              // runs whose outcome is in the batch
	skipped    int64
}

// fact is one event with what its commit says about it.
type fact struct {
	seq       uint64
	at        Time
	member    string
	workspace string
	event     domain.Event
}

// apply is one view: it folds a fact into its tables.
type apply func(b *batch, f fact) error

// views in an order in which a later one may read what an earlier one wrote.
var views = []apply{applyMembers, applyProjects, applyModels, applyScenarios, applyProfiles, applyRuns}

// commit writes the rows of the records and moves the checkpoint from one to the next, or does nothing.
func commit(ctx context.Context, db *sqlx.DB, from checkpoint, records []eventstore.Record) (checkpoint, []string, error) {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return from, nil, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	b := &batch{ctx: ctx, tx: tx, statements: map[string]*sqlx.Stmt{}}
	for _, r := range records {
		if err := b.record(r); err != nil {
			return from, nil, err
		}
	}
	next := from
	next.Seq, next.Skipped = records[len(records)-1].Seq, from.Skipped+b.skipped
	if err := b.move(from, next, records[len(records)-1]); err != nil {
		return from, nil, err
	}
	return next, b.ended, tx.Commit()
}

// record folds the events of one commit. An event that cannot be read is poison and halts the projector; a
// name that this program does not know is skipped and counted.
func (b *batch) record(r eventstore.Record) error {
	for i, stored := range r.Events {
		event, err := domain.Decode(stored.Name, stored.Schema, stored.Data)
		if errors.Is(err, domain.ErrUnknownEvent) {
			b.skipped++
			continue
		}
		if err != nil {
			return poison(r, i, err)
		}
		f := fact{seq: r.Seq, at: Time{r.At}, member: r.Member, workspace: r.Aggregate.Workspace, event: event}
		if err := b.fold(f); err != nil {
			return fmt.Errorf("record %d, %s: %w", r.Seq, stored.Name, err)
		}
	}
	return nil
}

func poison(r eventstore.Record, i int, cause error) error {
	return &HaltError{
		Reason: fmt.Sprintf("record %d (%s) has an event %d (%s, schema %d) that cannot be read",
			r.Seq, r.Aggregate.Subject(), i+1, r.Events[i].Name, r.Events[i].Schema),
		Advice: "Nothing after it is shown. Was it written by a newer proofload? Then start that version; else please report it",
		Cause:  cause,
	}
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
func (b *batch) move(from, next checkpoint, last eventstore.Record) error {
	done, err := b.run(`UPDATE checkpoints SET seq = ?, skipped = ?, updated_at = ? WHERE projection = ? AND seq = ?`,
		next.Seq, next.Skipped, Time{last.At}, Views, from.Seq)
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

func (b *batch) run(query string, args ...any) (sql.Result, error) {
	statement := b.statements[query]
	if statement == nil {
		prepared, err := b.tx.PreparexContext(b.ctx, b.tx.Rebind(query))
		if err != nil {
			return nil, err
		}
		statement, b.statements[query] = prepared, prepared
	}
	return statement.ExecContext(b.ctx, args...)
}
