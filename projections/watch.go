package projections

import (
	"cmp"
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

// How often a process looks how far another one has projected: nearTime while somebody waits, haltTime while it is halted,
// else farTime.
const (
	nearTime = 15 * time.Millisecond
	haltTime = 100 * time.Millisecond
	farTime  = 500 * time.Millisecond
)

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
	turn, wasBroken, unplaced := d.progress.watched()
	now, halt, err := d.judge(ctx)
	if err != nil {
		return seen // judge has kept the error
	}
	d.progress.breakOff(nil)
	d.progress.judge(turn, halt)
	if halt != nil {
		d.progress.distrust(turn, halt)
		return place{}
	}
	if now.same(seen) && !wasBroken && !unplaced {
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
	ctx, cancel := context.WithTimeout(ctx, glanceTime) // or nobody would find out that the database hangs
	defer cancel()
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
	switch {
	case haltOf(cmp.Or(p.trouble, p.broken)) != nil:
		return haltTime
	case p.waiting > 0 && !p.leads && p.broken == nil:
		return nearTime
	}
	return farTime
}

// watched gives the turn in which a look begins, whether the tables could not be read before it, and whether the projector has
// halted and nobody has looked since where the tables stand.
func (p *progress) watched() (turn int, broken, unplaced bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.turn, p.broken != nil, p.halted == nil && haltOf(p.trouble) != nil
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
	if halt := haltOf(p.trouble); halt != nil {
		if p.halted == nil && !halt.lost {
			p.halted = &now
		}
		if p.halted != nil && p.halted.same(now) {
			return false, false
		}
		p.trouble, p.halted, p.tried, again = nil, nil, &now, true
	}
	if now.end == 0 {
		p.goal, p.aimed = 0, false
	} else {
		p.aim(now.Seq, now.end)
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

// distrust halts a process that does not project: what the tables say does not fit the stream.
func (p *progress) distrust(turn int, halt *HaltError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leads || p.turn != turn || haltOf(p.trouble) != nil && p.halted != nil && p.halted.same(*halt.refused) {
		return
	}
	p.trouble, p.halted = halt, halt.refused
	p.announce()
}

// refused gives the halt that a checkpoint has caused, which did not move since; nil: none.
func (p *progress) refused(at checkpoint) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if halt := haltOf(p.trouble); halt != nil && halt.refused != nil && halt.refused.checkpoint.same(at) {
		return halt
	}
	return nil
}

// standby says that the projector of another process is the active one. It ends with the halt that watch has found.
func (p *progress) standby() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if halt := haltOf(p.trouble); halt != nil && halt.refused != nil {
		return halt
	}
	if p.trouble != nil {
		p.trouble, p.halted = nil, nil
		p.announce()
	}
	return nil
}
