package projections

import (
	"context"
	"errors"
	"os"
)

// sqliteFresh is a file beside the live one.
type sqliteFresh struct {
	t    *sqliteTables
	file *sqliteFile
}

func (t *sqliteTables) beside(ctx context.Context) (fresh, error) {
	t.next.Lock()
	path := t.path + ".rebuild"
	err := remove(path)
	if err == nil {
		var file *sqliteFile
		if file, err = openFile(ctx, path); err == nil {
			return &sqliteFresh{t, file}, nil
		}
	}
	t.next.Unlock()
	return nil, err
}

func (f *sqliteFresh) writer() writer { return f.file.writer }

// claim has nothing to do: no other process has the file.
func (f *sqliteFresh) claim(context.Context) error { return nil }

// hold has nothing to do: the projector of this process, the only one, waits for the caller.
func (f *sqliteFresh) hold(context.Context) error { return nil }

// replace renames the file. No query runs meanwhile.
func (f *sqliteFresh) replace(ctx context.Context) error {
	t := f.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(f.file.close(), t.live.close(), remove(t.path)); err != nil {
		return err
	}
	if err := os.Rename(f.file.path, t.path); err != nil {
		return err
	}
	live, err := openFile(ctx, t.path)
	if err == nil {
		t.live = live
	}
	return err
}

func (f *sqliteFresh) leave() error {
	defer f.t.next.Unlock()
	return errors.Join(f.file.close(), remove(f.file.path))
}
