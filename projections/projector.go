package projections

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// A batch is what is there, at most batchSize commits: a lone commit does not wait for others, and while one
// batch is written the next one gathers. batchWait only bounds the waiting for the first.
const (
	batchSize = 500
	batchWait = farTime // then it looks whether the checkpoint is still its own
)

// Projector keeps the read models up to date with the stream. One projector is active per read model; of several
// processes on PostgreSQL the others wait to take over.
type Projector struct {
	db     *DB
	store  *eventstore.Store
	logger *slog.Logger
	apply  sync.Mutex // held while a batch is written, and by a rebuild while it switches
}

// NewProjector makes a projector from the stream of store to db, which follows that stream from now on.
func NewProjector(db *DB, store *eventstore.Store, logger *slog.Logger) *Projector {
	db.follow(store)
	return &Projector{db: db, store: store, logger: logger}
}

// Rebuilt tells that fresh tables are in place, or that another process projects: after Run has halted it can be called
// again.
func (p *Projector) Rebuilt() <-chan struct{} { return p.db.rebuilt }

// Run projects until ctx ends, and returns nil then. It returns a *HaltError when it cannot go on by itself;
// DB.Status shows it too. Trouble with the database or the stream is retried.
func (p *Projector) Run(ctx context.Context) error {
	pause := newPause()
	for {
		err := p.db.tables.explain(p.follow(ctx, pause.reset))
		if stopped(ctx) {
			return nil
		}
		if errors.Is(err, errOvertaken) { // by a rebuild, or by a projector that took over
			p.logger.Info("the projector begins anew where the tables stand", "err", err)
			continue
		}
		p.db.progress.fail(err)
		var halt *HaltError
		if errors.As(err, &halt) {
			return err
		}
		p.logger.Error("the projector starts again", "err", err)
		pause.wait(ctx)
	}
}

func stopped(ctx context.Context) bool { return ctx.Err() != nil }

// follow projects from the checkpoint on, as soon as it is this process's turn, until something goes wrong.
func (p *Projector) follow(ctx context.Context, progressed func()) error {
	leader, err := p.db.tables.lead(ctx, p.db.progress.standby)
	if err != nil {
		return err
	}
	defer leader.leave()
	defer p.db.progress.lead()()
	at, err := p.start(ctx, leader)
	if err != nil {
		return err
	}
	reader, err := p.store.Read(ctx, at.Seq)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		records, err := reader.NextBatch(ctx, batchSize, batchWait)
		if err != nil {
			return damaged(err)
		}
		if len(records) == 0 {
			err = p.idle(ctx, leader, at)
		} else {
			at, err = p.write(ctx, leader, at, records)
		}
		if err != nil {
			return err
		}
		progressed()
	}
}

// start reads the checkpoint and compares it with the stream.
func (p *Projector) start(ctx context.Context, l leader) (checkpoint, error) {
	p.apply.Lock()
	defer p.apply.Unlock()
	at, end, err := startFrom(ctx, l.writer(), p.store)
	if err != nil {
		return at, err
	}
	if halt := p.db.progress.refused(at); halt != nil { // a stream that grew past a checkpoint that was ahead of it mends nothing
		return at, halt
	}
	p.db.progress.restart(at.Seq, end)
	return at, nil
}

// startFrom reads the checkpoint of a stream that ends at end.
func startFrom(ctx context.Context, w writer, store *eventstore.Store) (at checkpoint, end uint64, err error) {
	stream, err := store.Position(ctx)
	if err != nil {
		return checkpoint{}, 0, err
	}
	at, err = loadCheckpoint(ctx, w, stream.Created)
	if err == nil && at.Seq > stream.Last { // another projector may have moved it since
		stream, err = store.Position(ctx)
	}
	if err != nil {
		return checkpoint{}, 0, err
	}
	if halt := at.check(stream); halt != nil {
		return checkpoint{}, 0, halt
	}
	return at, stream.Last, nil
}

// idle looks at the checkpoint while nothing is to be written: the right to write it may be lost, or it may be another one.
func (p *Projector) idle(ctx context.Context, l leader, at checkpoint) error {
	p.apply.Lock()
	defer p.apply.Unlock()
	now, err := readCheckpoint(ctx, l.writer())
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if !now.same(at) {
		return errOvertaken
	}
	return nil
}

// write commits one batch and tells those who wait.
func (p *Projector) write(ctx context.Context, l leader, at checkpoint, records []eventstore.Record) (checkpoint, error) {
	p.apply.Lock()
	defer p.apply.Unlock()
	next, ended, err := commit(ctx, l.writer(), at, records)
	if next.Seq > at.Seq {
		p.db.progress.advance(next.Seq, ended)
	}
	return next, err
}

// damaged halts on a stream that is not whole. Reading it again would not help.
func damaged(err error) error {
	if !errors.Is(err, eventstore.ErrDamaged) {
		return err
	}
	return &HaltError{Reason: "the event stream cannot be read", Advice: "Stop, keep a copy of what is there, and restore the newest backup of the log (proofload restore)", Cause: err}
}

// pause waits longer each time, up to a bound.
type pause struct{ next time.Duration }

const (
	firstPause = 50 * time.Millisecond
	longPause  = 2 * time.Second
)

func newPause() *pause { return &pause{next: firstPause} }

func (p *pause) reset() { p.next = firstPause }

func (p *pause) wait(ctx context.Context) {
	select {
	case <-time.After(p.next):
	case <-ctx.Done():
	}
	p.next = min(2*p.next, longPause)
}
