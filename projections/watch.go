package projections

import (
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/proofload/proofload/domain"
)

// How often a process looks how far another one has projected: nearTime while somebody waits, else farTime.
const (
	nearTime = 15 * time.Millisecond
	farTime  = 500 * time.Millisecond
)

// place says which tables are live and how far they are.
type place struct {
	Seq    uint64 `db:"seq"`
	Tables int64  `db:"tables"` // another number after a rebuild
}

// watch tells progress what other processes project, until the function that it gives is called.
func (d *DB) watch() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		seen := place{}
		for !stopped(ctx) {
			seen = d.look(ctx, seen)
			select {
			case <-time.After(d.progress.interval()):
			case <-d.progress.asked:
			case <-ctx.Done():
			}
		}
	}()
	return func() { cancel(); <-done }
}

// look reads the checkpoint and tells progress what it did not know. It gives the place up to which progress knows all.
func (d *DB) look(ctx context.Context, seen place) place {
	turn, wasBroken := d.progress.watched()
	now, err := get[place](ctx, d, `SELECT seq, tableoid::bigint AS tables FROM checkpoints WHERE projection = ?`, Views)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		return seen // get has kept the error
	}
	d.progress.breakOff(nil)
	if now == seen && !wasBroken {
		return seen
	}
	know, again := d.progress.catchUp(turn, now, d.endedOf(ctx), wasBroken || now.Tables != seen.Tables)
	if again {
		d.tryAgain()
	}
	if know {
		return now
	}
	return seen
}

// endedOf gives those of the runs that somebody waits for that have their outcome.
func (d *DB) endedOf(ctx context.Context) []string {
	waited := d.progress.waited()
	if len(waited) == 0 {
		return nil
	}
	query, args, err := sqlx.In(`SELECT id FROM runs WHERE ended_seq IS NOT NULL AND id IN (?)`, waited)
	if err != nil {
		return nil // not with a list of texts
	}
	ended, err := list[string](ctx, d, query, args...)
	if err != nil {
		return waited // let each look for itself
	}
	return ended
}

// tryAgain tells a projector that has halted that it may be worth to try again.
func (d *DB) tryAgain() {
	select {
	case d.rebuilt <- struct{}{}:
	default: // nobody has asked since the last time
	}
}

// interval is the time until the next look.
func (p *progress) interval() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting > 0 && !p.leads && p.broken == nil {
		return nearTime
	}
	return farTime
}

// watched gives the turn in which a look begins, and whether the tables could not be read before it.
func (p *progress) watched() (turn int, broken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turn, p.broken != nil
}

// waited are the runs that somebody waits for.
func (p *progress) waited() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := make([]string, 0, len(p.runs))
	for id := range p.runs {
		ids = append(ids, id)
	}
	return ids
}

// catchUp takes over what a look found. It does not know it when the projector of this process is, or became meanwhile,
// the active one or stopped being it. All says that those who wait for a run have to look for themselves. Again tells that
// a halted projector may try again: another one has gone on, or other tables are in place.
func (p *progress) catchUp(turn int, now place, ended []string, all bool) (know, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all {
		p.wakeAll()
	}
	if p.leads || p.turn != turn {
		return false, false
	}
	var halt *HaltError
	if errors.As(p.trouble, &halt) {
		if p.halted == nil {
			p.halted = &now
		}
		if *p.halted == now {
			return false, false
		}
		p.trouble, p.halted, again = nil, nil, true
	}
	p.seq = now.Seq
	for _, id := range ended {
		p.wake(id)
	}
	p.announce()
	return true, again
}

// lead says that the projector of this process is the active one, until the function is called.
func (p *progress) lead() (leave func()) {
	set := func(leads bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.leads = leads
		p.turn++
	}
	set(true)
	return func() { set(false) }
}

// standby says that the projector of another process is the active one.
func (p *progress) standby() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trouble != nil {
		p.trouble, p.halted = nil, nil
		p.announce()
	}
}
