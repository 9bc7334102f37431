package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/proofload/proofload/eventstore"
)

const (
	// Views is the name of the one group of tables. They are read together, so they move together.
	Views = "views"
	// schemaVersion goes up when the same events make other rows; the tables then have to be rebuilt.
	schemaVersion = 2
)

// HaltError says why the projector cannot go on by itself, and what to do.
type HaltError struct {
	Reason string
	Advice string
	Cause  error // what was wrong with a record; nil when the checkpoint is

	refused *place // the checkpoint that does not fit; nil when something else is wrong
	foreign bool   // the tables show another stream
	lost    bool   // there are no tables, or some are missing
}

func (e *HaltError) Error() string {
	text := "the projector has stopped: " + e.Reason
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text + ". " + e.Advice
}

func (e *HaltError) Unwrap() error { return e.Cause }

const adviceAgain = "have the read models made again: proofload projections rebuild, with --data or --server as for every command"

const adviceRebuild = "If this is the event stream you mean to use, " + adviceAgain

const adviceForeign = "Two logs cannot share read models: another log needs another data folder or, in PostgreSQL, another database or schema " +
	"(search_path in the DSN). " + adviceRebuild

const adviceLoss = eventstore.AdviceLoss + ". Only if what is missing is given up: proofload projections rebuild, with --data or --server as for every command"

// errOvertaken: another projector moved the checkpoint since it was read. The batch was rolled back.
var errOvertaken = errors.New("another projector moved the checkpoint")

// checkpoint is the row that says which stream the tables show, and how far.
type checkpoint struct {
	SchemaVersion int    `db:"schema_version"`
	StreamName    string `db:"stream_name"`
	StreamCreated Time   `db:"stream_created"`
	Seq           uint64 `db:"seq"`
	Skipped       int64  `db:"skipped"` // events whose name this program does not know
}

const selectCheckpoint = `SELECT schema_version, stream_name, stream_created, seq, skipped%s FROM checkpoints WHERE projection = ?`

// readCheckpoint reads the row; without one it gives sql.ErrNoRows.
func readCheckpoint(ctx context.Context, db writer) (c checkpoint, err error) {
	err = db.GetContext(ctx, &c, db.Rebind(fmt.Sprintf(selectCheckpoint, "")), Views)
	return c, err
}

// loadCheckpoint reads the row, or makes it for a stream that was never projected.
func loadCheckpoint(ctx context.Context, db writer, created time.Time) (checkpoint, error) {
	c, err := readCheckpoint(ctx, db)
	if !errors.Is(err, sql.ErrNoRows) {
		return c, err
	}
	c = checkpoint{SchemaVersion: schemaVersion, StreamName: eventstore.StreamEvents, StreamCreated: Time{created.UTC().Truncate(time.Microsecond)}}
	_, err = db.ExecContext(ctx, db.Rebind(`INSERT INTO checkpoints
		(projection, schema_version, stream_name, stream_created, seq, skipped, updated_at) VALUES (?, ?, ?, ?, 0, 0, ?)`),
		Views, c.SchemaVersion, c.StreamName, c.StreamCreated, c.StreamCreated)
	return c, err
}

// check refuses to project a stream that the tables do not show.
func (c checkpoint) check(stream eventstore.Position) *HaltError {
	halt := &HaltError{refused: &place{checkpoint: c}}
	switch {
	case c.StreamName != eventstore.StreamEvents || c.StreamCreated.UnixMicro() != stream.Created.UnixMicro():
		halt.Reason = fmt.Sprintf("the read models show the stream %s of %s, this one was created at %s",
			c.StreamName, c.StreamCreated.UTC().Format(time.RFC3339Nano), stream.Created.UTC().Format(time.RFC3339Nano))
		halt.Advice, halt.foreign = adviceForeign, true
	case c.SchemaVersion != schemaVersion:
		halt.Reason = fmt.Sprintf("the read models have schema %d, this program writes %d", c.SchemaVersion, schemaVersion)
		halt.Advice = adviceRebuild
	case c.Seq > stream.Last:
		halt.Reason = fmt.Sprintf("the read models show position %d, the stream ends at %d", c.Seq, stream.Last)
		halt.Advice = adviceLoss
	default:
		return nil
	}
	return halt
}

// same tells whether two rows are of one moment.
func (c checkpoint) same(d checkpoint) bool {
	return c.SchemaVersion == d.SchemaVersion && c.StreamName == d.StreamName && c.StreamCreated.Equal(d.StreamCreated.Time) && c.Seq == d.Seq
}
