package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proofload/proofload/domain"
)

// progress is how far the projector is, and who waits for it. The active projector tells it; what one in another process
// did, watch finds out.
type progress struct {
	mu      sync.Mutex
	seq     uint64
	goal    uint64        // where the log ended when the tables began, or began anew: up to here they are incomplete
	aimed   bool          // goal is known
	trouble error         // of the projector
	broken  error         // the tables cannot be read; nil: nothing is known of it
	halted  *place        // where the tables stood when trouble became a *HaltError; nil: watch has not seen it yet
	tried   *place        // where they stood when a projector that missed tables was last told to try again
	judged  bool          // it is known whether the tables show the stream
	foreign *HaltError    // they show another one and are not read; nil: they do not
	leads   bool          // the projector of this process is the active one
	turn    int           // changes with leads, and when fresh tables are in place
	moved   chan struct{} // closed and replaced whenever seq or trouble changes
	waiting int           // those that wait for a position or a run
	asked   chan struct{} // tells watch that somebody began to wait
	runs    map[string]*runWaiters
}

// runWaiters are those that wait for the outcome of one run.
type runWaiters struct {
	count int
	woken chan struct{}
}

func newProgress() progress {
	return progress{judged: true, moved: make(chan struct{}), asked: make(chan struct{}, 1), runs: map[string]*runWaiters{}}
}

// advance says that the tables show the stream up to seq, and which runs ended on the way.
func (p *progress) advance(seq uint64, ended []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seq, p.trouble, p.halted = seq, nil, nil
	p.announce()
	for _, id := range ended {
		p.wake(id)
	}
}

// restart says where a projector begins, and where the log ends. What happened before it was told to nobody: all look again.
func (p *progress) restart(seq, end uint64) {
	p.mu.Lock()
	p.turn++
	p.rule(nil)
	p.aim(seq, end)
	p.mu.Unlock()
	p.advance(seq, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wakeAll()
}

// aim says that the tables are at seq now and that the log ends at end. They are complete when they have once caught up with the
// log as it was when they were first seen. When they fall back, others are in their place.
func (p *progress) aim(seq, end uint64) {
	if !p.aimed || seq < p.seq || seq >= end {
		p.goal, p.aimed = end, true
	}
}

func (p *progress) wakeAll() {
	for id := range p.runs {
		p.wake(id)
	}
}

func (p *progress) wake(runID string) {
	if w := p.runs[runID]; w != nil {
		close(w.woken)
		delete(p.runs, runID)
	}
}

// fail says why the projector does not go on.
func (p *progress) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble, p.halted = err, nil
	if halt := haltOf(err); halt != nil {
		p.halted = halt.refused
		if halt.lost { // whatever is there later is something else, unless it was tried
			p.halted = p.tried
		}
		if halt.foreign {
			p.rule(halt)
		}
	}
	p.tellWatch() // it looks where the tables stand
	p.announce()
}

// haltOf is the halt among the causes of an error; nil: there is none.
func haltOf(err error) *HaltError {
	var halt *HaltError
	errors.As(err, &halt)
	return halt
}

func (p *progress) tellWatch() {
	select {
	case p.asked <- struct{}{}:
	default: // it was told already
	}
}

// breakOff says that the tables cannot be read; nil: they can, or others are in their place.
func (p *progress) breakOff(damage error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken == nil && damage == nil {
		return
	}
	p.broken = damage
	p.announce()
}

// await counts one that waits until the function is called.
func (p *progress) await() (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting++
	p.tellWatch()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting--
	}
}

func (p *progress) announce() {
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *progress) state() (seq uint64, moved <-chan struct{}, trouble error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	trouble = cmp.Or(p.broken, p.trouble)
	if trouble == nil && p.foreign != nil {
		trouble = p.foreign
	}
	return p.seq, p.moved, trouble
}

// Status says how far the tables are and what stops the projector, if anything does.
type Status struct {
	Position uint64
	Trouble  error
	Complete bool   // they have once caught up with the log as it was when they were opened, made, or made anew
	Goal     uint64 // where it ended then; 0: not known yet
}

// Status of the read models.
func (d *DB) Status() Status {
	seq, _, trouble := d.progress.state()
	s := Status{Position: seq, Trouble: trouble}
	s.Goal, s.Complete = d.progress.caughtUp()
	return s
}

func (p *progress) caughtUp() (goal uint64, complete bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.goal, p.aimed && p.seq >= p.goal
}

// WaitFor returns when the tables show the stream up to position, or with the error of ctx.
func (d *DB) WaitFor(ctx context.Context, position uint64) error {
	defer d.progress.await()()
	for {
		seq, moved, _ := d.progress.state()
		if seq >= position {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("position %d, the read models are at %d: %w", position, seq, ctx.Err())
		}
	}
}

// lastLook is how long a look may take once the time to wait is over.
const lastLook = time.Second

// WaitOutcome returns the run as soon as the tables show its outcome. When ctx ends first it returns the run as it then
// stands, with the error of ctx. A run that the tables do not know yet is waited for too, and one that was deleted meanwhile has its
// outcome all the same. While the database cannot be reached it waits.
func (d *DB) WaitOutcome(ctx context.Context, projectID, runID string) (Run, error) {
	defer d.progress.await()()
	for {
		run, ended, err := d.outcomeNow(ctx, projectID, runID)
		if err != nil && ctx.Err() != nil {
			return d.outcomeAtLast(ctx, projectID, runID, run)
		}
		if ended || err != nil {
			return run, err
		}
	}
}

// outcomeAtLast looks once more when the time to wait is over: the run was seen before it.
func (d *DB) outcomeAtLast(ctx context.Context, projectID, runID string, seen Run) (Run, error) {
	looking, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	run, err := d.anyRun(looking, projectID, runID)
	if err == nil && run.Ended() {
		return run, nil
	}
	if err != nil {
		run = seen
	}
	return run, ctx.Err()
}

// outcomeNow looks for the outcome and, when there is none yet, waits until the projector says that there may be one.
func (d *DB) outcomeNow(ctx context.Context, projectID, runID string) (Run, bool, error) {
	woken, leave := d.progress.awaitRun(runID) // before looking, or an outcome in between would be missed
	defer leave()
	run, err := d.anyRun(ctx, projectID, runID)
	if err == nil && run.Ended() {
		return run, true, nil
	}
	if err != nil && !errors.Is(err, domain.ErrNotFound) && !errors.As(err, new(*UnreachableError)) {
		return run, false, err
	}
	select {
	case <-woken:
		return run, false, nil
	case <-ctx.Done():
		return run, false, ctx.Err()
	}
}

func (p *progress) awaitRun(id string) (woken <-chan struct{}, leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.runs[id]
	if w == nil {
		w = &runWaiters{woken: make(chan struct{})}
		p.runs[id] = w
	}
	w.count++
	return w.woken, func() { p.leaveRun(id, w) }
}

func (p *progress) leaveRun(id string, w *runWaiters) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.count--
	if w.count == 0 && p.runs[id] == w {
		delete(p.runs, id)
	}
}
