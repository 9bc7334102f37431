package backup

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// again works on a folder while another does, as often as there is time for, until that one ends; it gives how all of them ended.
func again(work func() error) (ended []error) {
	done := make(chan error, 1)
	go func() { done <- work() }()
	for {
		select {
		case first := <-done:
			return append(ended, first)
		default:
			ended = append(ended, work())
		}
	}
}

// checkLosers asks that one of those who worked on a folder made it, and that the others were told why they did not.
func checkLosers(t *testing.T, ended []error) {
	t.Helper()
	made := 0
	for _, err := range ended {
		switch {
		case err == nil:
			made++
		case !errors.Is(err, ErrInUse) && !strings.Contains(err.Error(), "is not empty"):
			t.Errorf("%v", err)
		}
	}
	if made != 1 {
		t.Errorf("%d of %d made it, want 1", made, len(ended))
	}
}

// Two restores into one folder at any moment of each other: one makes it, whole, and nothing stays beside it.
func TestTwoRestoresIntoOneFolder(t *testing.T) {
	parent := t.TempDir()
	l := openLog(t, in(parent, "log"))
	l.fill(20)
	want := l.messages()
	b := l.backUp(in(parent, "b"))
	must(t, l.server.Close())
	for range 5 {
		checkLosers(t, again(func() error { return b.RestoreFolder(t.Context(), in(parent, "restored"), nil) }))
		if names := entries(t, parent); !slices.Equal(names, []string{"b", "log", "restored"}) {
			t.Fatalf("left is %v", names)
		}
		back := openLog(t, in(parent, "restored"))
		if diff := cmp.Diff(want, back.messages()); diff != "" {
			t.Errorf("%s", diff)
		}
		must(t, errors.Join(back.server.Close(), os.RemoveAll(in(parent, "restored"))))
	}
}

// And two backups to one folder.
func TestTwoBackupsToOneFolder(t *testing.T) {
	l := newLog(t)
	l.fill(20)
	for range 5 {
		parent := t.TempDir()
		checkLosers(t, again(func() error {
			_, err := Write(t.Context(), in(parent, "b"), FromStore(l.store), someOptions)
			return err
		}))
		if names := entries(t, parent); !slices.Equal(names, []string{"b"}) {
			t.Fatalf("left is %v", names)
		}
		b, err := Verify(t.Context(), in(parent, "b"), nil)
		if err != nil || b.Streams[0].Messages != 40 {
			t.Errorf("%+v, %v", b.Streams, err)
		}
	}
}

// A restore that fails, or is stopped, leaves nothing, as a backup does; what is not of a restore is left alone.
func TestRestoreLeavesNothingHalf(t *testing.T) {
	parent := t.TempDir()
	l := newLog(t)
	l.fill(5)
	b := l.backUp(in(parent, "b"))
	segment := in(b.Dir, b.Streams[1].Segments[0].File)
	must(t, os.Truncate(segment, 40)) // after it was verified
	if err := b.RestoreFolder(t.Context(), in(parent, "restored"), nil); err == nil {
		t.Error("a segment that was cut is restored")
	}
	if names := entries(t, parent); !slices.Equal(names, []string{"b"}) {
		t.Errorf("left is %v", names)
	}
	must(t, os.MkdirAll(in(parent, "restored.restoring/mine"), 0o700))
	if err := b.RestoreFolder(t.Context(), in(parent, "restored"), nil); err == nil || !strings.Contains(err.Error(), "which no restore made") {
		t.Errorf("%v", err)
	}
	if names := entries(t, parent); !slices.Equal(names, []string{"b", "restored.restoring"}) {
		t.Errorf("left is %v", names)
	}
}
