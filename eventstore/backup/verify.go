package backup

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/eventstore"
)

// Verify reads a whole backup and makes sure that it is as it was written and that the log in it is whole. The error
// names the file or the message.
func Verify(ctx context.Context, dir string, progress Progress) (Backup, error) {
	b, err := Open(dir)
	if err != nil {
		return b, err
	}
	check := newChecker()
	if err := b.source(ctx, all{check, &watch{tell: progress}}); err != nil {
		if errors.Is(err, eventstore.ErrDamaged) {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return b, err
	}
	for i, found := range check.totals {
		said := b.Streams[i].Totals
		found.Created = said.Created // stands in the manifest only
		if found != said {
			return b, damaged("%s says of stream %s %+v, its files hold %+v", manifestFile, said.Stream, said, found)
		}
	}
	return b, nil
}

// source gives the log in the files.
func (b Backup) source(ctx context.Context, to sink) error {
	for _, s := range b.Streams {
		at := eventstore.Position{Last: s.Last, Created: s.Created}
		if err := to.begin(eventstore.StreamState{Name: s.Stream, Position: at, Bytes: s.Bytes}); err != nil {
			return err
		}
		for _, segment := range s.Segments {
			if err := readSegment(b.Dir, segment, func(m eventstore.Message) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return to.message(m)
			}); err != nil {
				return err
			}
		}
		if err := to.end(); err != nil {
			return err
		}
	}
	return nil
}
