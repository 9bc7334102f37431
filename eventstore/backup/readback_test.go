package backup

import (
	"strings"
	"testing"
)

// What was restored is read back and compared with the backup before anybody may open it.
func TestRestoreComparesWhatItReadsBack(t *testing.T) {
	from := newLog(t)
	from.fill(3)
	written := from.backUp(in(t.TempDir(), "b"))
	for i := range written.Streams {
		b, err := Open(written.Dir)
		must(t, err)
		b.Streams[i].Digest = strings.Repeat("0", len(b.Streams[i].Digest)) // as if the server held something else
		dir := in(t.TempDir(), "data")
		if err := b.RestoreFolder(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), "does not hold what the backup holds") {
			t.Errorf("stream %s: %v", b.Streams[i].Stream, err)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}
