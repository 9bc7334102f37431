package projections

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// judgeTime is how long the stream may take to say where it stands.
const judgeTime = 2 * time.Second

// place is what the live tables say of themselves: which stream they show, how far, and which tables they are.
type place struct {
	checkpoint
	Tables int64  `db:"tables"` // another number after a rebuild; 0: not known
	end    uint64 // of the stream that it was compared with; 0: there is no row
}

func (p place) same(q place) bool {
	return p.checkpoint.same(q.checkpoint) && (p.Tables == q.Tables || p.Tables == 0 || q.Tables == 0)
}

// gauge knows where the stream stands. It does not ask it each time: a stream that ended somewhere has not become shorter
// a moment later.
type gauge struct {
	mu    sync.Mutex
	store *eventstore.Store // nil: there is nothing to compare with yet
	last  eventstore.Position
	asked time.Time
}

func (g *gauge) follow(store *eventstore.Store) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.store = store
}

// position gives an end of the stream that is new, or behind seq. While the stream does not answer, an old one that is
// behind seq will do.
func (g *gauge) position(ctx context.Context, seq uint64) (eventstore.Position, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := !g.asked.IsZero() && g.last.Last >= seq
	if known && time.Since(g.asked) < farTime {
		return g.last, nil
	}
	now, err := g.ask(ctx)
	if err == nil && now.Last < seq { // an end that is behind what was projected is a loss: be sure of it
		now, err = g.ask(ctx)
	}
	if err == nil {
		g.last, g.asked = now, time.Now() //nolint:forbidigo // how long ago it was, not when
	}
	if known && err != nil {
		err = nil
	}
	return g.last, err
}

func (g *gauge) ask(ctx context.Context) (eventstore.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	return g.store.Position(ctx)
}

// judge reads what the tables say of themselves, and compares it with the stream as the active projector does. The row is
// read first: the stream never ends before what was projected from it. Tables without the row show nothing yet.
func (d *DB) judge(ctx context.Context) (now place, halt *HaltError, err error) {
	err = d.tables.glance(ctx, func(ctx context.Context, db *sqlx.DB) error {
		return db.GetContext(ctx, &now, db.Rebind(fmt.Sprintf(selectCheckpoint, ", "+d.tables.mark()+" AS tables")), Views)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return place{}, nil, nil
	}
	if err != nil {
		return now, nil, d.found(err)
	}
	stream, err := d.gauge.position(ctx, now.Seq)
	if err != nil {
		return now, nil, fmt.Errorf("do the read models show this log? %w: %w", domain.ErrUnavailable, err)
	}
	now.end = stream.Last
	if halt = now.check(stream); halt != nil {
		halt.refused = &now
	}
	return now, halt, nil
}

// mayRead keeps queries from tables that show another stream, and from those of which it is not known yet.
func (d *DB) mayRead(ctx context.Context) error {
	turn, judged, foreign := d.progress.verdict()
	if foreign != nil {
		return foreign
	}
	if judged {
		return nil
	}
	_, halt, err := d.judge(ctx)
	if err != nil {
		return err
	}
	d.progress.judge(turn, halt)
	if halt != nil && halt.foreign {
		return halt
	}
	return nil
}

// follow says which stream the tables have to show. The first one that is named counts.
func (d *DB) follow(store *eventstore.Store) {
	d.following.Do(func() {
		d.gauge.follow(store)
		d.progress.doubt()
		if d.shared {
			d.unwatch = d.watch()
		}
	})
}

// doubt has the next query look which stream the tables show.
func (p *progress) doubt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.judged = false
}

func (p *progress) verdict() (turn int, judged bool, foreign error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.foreign != nil { // not a nil pointer in an interface
		foreign = p.foreign
	}
	return p.turn, p.judged, foreign
}

// judge takes over what somebody who began in a turn found out about the tables, unless there is a newer verdict.
func (p *progress) judge(turn int, halt *HaltError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn == turn {
		p.rule(halt)
	}
}

// rule decides whether the tables may be read. Tables of another stream show no position either.
func (p *progress) rule(halt *HaltError) {
	was := p.foreign
	p.judged, p.foreign = true, nil
	if halt != nil && halt.foreign {
		p.foreign, p.seq, p.aimed = halt, 0, false
	}
	if (was == nil) != (p.foreign == nil) {
		p.announce()
	}
}
