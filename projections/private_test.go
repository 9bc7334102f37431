package projections

import (
	"os"
	"path/filepath"
	"testing"
)

// The read models hold what members saved: nobody else reads the files, whoever made them.
func TestTheFilesArePrivate(t *testing.T) {
	for _, made := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "views.db")
		if made {
			must(t, os.WriteFile(path, nil, 0o644)) //nolint:gosec // as an older version made it
		}
		db, err := Open(t.Context(), Options{Path: path})
		must(t, err)
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(path + suffix)
			must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("made before: %v: %s has the mode %v", made, path+suffix, info.Mode())
			}
		}
		must(t, db.Close())
	}
}
