package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// Rebuild makes the read models again from the first commit, beside the live ones, and puts them in their
// place. Readers see the live ones until then. It may run while Run does, here or in another process, and after Run has
// halted. An empty name is Views. One rebuild at a time: another waits for it.
func (p *Projector) Rebuild(ctx context.Context, name string) error {
	if name != "" && name != Views {
		return fmt.Errorf("projection %s: %w", name, domain.ErrNotFound)
	}
	fresh, err := p.db.tables.beside(ctx)
	if err != nil {
		return err
	}
	err = p.claim(ctx, fresh)
	if err == nil {
		err = p.fill(ctx, fresh)
	}
	if err != nil {
		return errors.Join(p.db.tables.explain(err), fresh.leave())
	}
	if err := fresh.leave(); err != nil {
		p.logger.Warn("the read models are made again; what is left of those before goes away with the next time", "err", err)
	}
	p.db.tryAgain()
	return nil
}

// claim makes sure that tables which show another stream are not those of a cluster that uses them.
func (p *Projector) claim(ctx context.Context, f fresh) error {
	if _, halt, err := p.db.judge(ctx); err == nil && halt != nil && halt.foreign {
		return f.claim(ctx)
	}
	return nil
}

// fill projects the stream into the fresh tables and switches. The last stretch is projected while the live
// projector is held, so that it goes on exactly where the fresh tables stand.
func (p *Projector) fill(ctx context.Context, f fresh) error {
	at, _, err := startFrom(ctx, f.writer(), p.store)
	if err != nil {
		return err
	}
	stream, err := p.store.Position(ctx)
	if err != nil {
		return err
	}
	if at, err = p.catchUp(ctx, f, at, stream.Last); err != nil {
		return err
	}
	p.apply.Lock()
	defer p.apply.Unlock()
	if err := f.hold(ctx); err != nil {
		return err
	}
	if at, err = p.catchUp(ctx, f, at, p.shown(ctx)); err != nil {
		return err
	}
	if err := f.replace(ctx); err != nil {
		return err
	}
	p.db.progress.breakOff(nil)
	p.db.progress.restart(at.Seq, at.Seq) // at once: who asked for the rebuild may look before Run goes on
	return nil
}

// shown is the position of the live tables; 0 when they are damaged, or show what this program does not project.
func (p *Projector) shown(ctx context.Context) uint64 {
	at, halt, err := p.db.judge(ctx)
	if err != nil || halt != nil {
		return 0
	}
	return at.Seq
}

// catchUp projects up to the position until and not beyond the batch that holds it.
func (p *Projector) catchUp(ctx context.Context, f fresh, at checkpoint, until uint64) (checkpoint, error) {
	if at.Seq >= until {
		return at, nil
	}
	reader, err := p.store.Read(ctx, at.Seq)
	if err != nil {
		return at, err
	}
	defer reader.Close()
	ahead := readAhead(ctx, reader, at.Seq, until)
	defer ahead.end()
	for batch := range ahead.batches {
		if at, _, err = batch.commit(ctx, f.writer(), at); err != nil {
			return at, err
		}
	}
	return at, ahead.err
}
