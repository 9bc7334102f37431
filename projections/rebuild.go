package projections

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/proofload/proofload/domain"
)

// Rebuild makes the read models again from the first commit, beside the live ones, and puts them in their
// place. Readers see the live ones until then. It may run while Run does, and after Run has halted. An empty
// name is Views. One rebuild at a time: another waits for it.
func (p *Projector) Rebuild(ctx context.Context, name string) error {
	if name != "" && name != Views {
		return fmt.Errorf("projection %s: %w", name, domain.ErrNotFound)
	}
	p.rebuilding.Lock()
	defer p.rebuilding.Unlock()
	beside := p.db.path + ".rebuild"
	if err := remove(beside); err != nil {
		return err
	}
	fresh, err := openGeneration(ctx, beside)
	if err != nil {
		return err
	}
	if err := p.fill(ctx, fresh); err != nil {
		return errors.Join(err, fresh.close(), remove(beside))
	}
	select {
	case p.rebuilt <- struct{}{}:
	default: // nobody has asked since the last one
	}
	return nil
}

// fill projects the stream into the fresh tables and switches. The last stretch is projected while the live
// projector is held, so that it goes on exactly where the fresh tables stand.
func (p *Projector) fill(ctx context.Context, fresh *generation) error {
	at, err := startFrom(ctx, fresh, p.store)
	if err != nil {
		return err
	}
	stream, err := p.store.Position(ctx)
	if err != nil {
		return err
	}
	if at, err = p.catchUp(ctx, fresh, at, stream.Last); err != nil {
		return err
	}
	p.apply.Lock()
	defer p.apply.Unlock()
	if at, err = p.catchUp(ctx, fresh, at, p.db.Status().Position); err != nil {
		return err
	}
	if err := p.db.replace(ctx, fresh); err != nil {
		return err
	}
	p.db.progress.restart(at.Seq) // at once: who asked for the rebuild may look before Run goes on
	return nil
}

// catchUp projects up to the position until and not beyond the batch that holds it.
func (p *Projector) catchUp(ctx context.Context, g *generation, at checkpoint, until uint64) (checkpoint, error) {
	if at.Seq >= until {
		return at, nil
	}
	reader, err := p.store.Read(ctx, at.Seq)
	if err != nil {
		return at, err
	}
	defer reader.Close()
	for at.Seq < until {
		records, err := reader.NextBatch(ctx, int(min(batchSize, until-at.Seq)), batchWait)
		if err != nil {
			return at, err
		}
		if len(records) == 0 {
			continue
		}
		if at, _, err = commit(ctx, g.writer, at, records); err != nil {
			return at, err
		}
	}
	return at, nil
}

// replace puts the fresh tables in the place of the live ones. No query runs meanwhile.
func (d *DB) replace(ctx context.Context, fresh *generation) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := errors.Join(fresh.close(), d.live.close(), remove(d.path)); err != nil {
		return err
	}
	if err := os.Rename(fresh.path, d.path); err != nil {
		return err
	}
	live, err := openGeneration(ctx, d.path)
	if err == nil {
		d.live = live
		d.progress.breakOff(nil)
	}
	return err
}
