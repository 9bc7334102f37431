package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockEnd is the end of the name of the file beside a folder that is being made. A lock inside of that folder would not do:
// the folder is given another name, and who comes then would make, and lock, a new one under the old name.
const lockEnd = ".lock"

// ErrInUse: another process works on the same folder.
var ErrInUse = errors.New("another process works on it")

// lockBeside keeps all others away from a folder that is being made, until it is unlocked: then the folder has its name, or
// is gone. The file is taken away with it; after SIGKILL it stays, and is in nobody's way.
func lockBeside(building string) (unlock func() error, err error) {
	path := building + lockEnd
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for {
		lock := flock.New(path)
		held, err := lock.TryLock()
		if err != nil {
			return nil, err
		}
		if !held {
			return nil, fmt.Errorf("%s: %w", building, ErrInUse)
		}
		named, err := isNamed(lock, path)
		if named {
			return func() error { return errors.Join(os.Remove(path), lock.Unlock()) }, nil
		}
		if err := errors.Join(err, lock.Unlock()); err != nil {
			return nil, err
		}
	}
}

// isNamed says whether a file that is locked still has its name: the one that had it before may have taken it away
// between the moments when it was opened and locked here.
func isNamed(lock *flock.Flock, path string) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), err
}
