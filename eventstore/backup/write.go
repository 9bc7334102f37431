package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Options say how a backup is written.
type Options struct {
	Program  string // name and version of this program
	At       time.Time
	Progress Progress // nil: nobody listens
}

// Ends of the names of folders that are not complete.
const (
	partial   = ".partial"
	restoring = ".restoring"
)

// Write copies a log into a new folder, or into one that is empty, and checks it on the way. The folder appears when
// everything is in it and on disk; until then its name ends in .partial. After an error nothing is left.
func Write(ctx context.Context, dir string, from Source, o Options) (b Backup, err error) {
	dir = filepath.Clean(dir)
	if err := checkAbsent(dir); err != nil {
		return Backup{}, err
	}
	unlock, err := lockBeside(dir + partial)
	if err != nil {
		return Backup{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := checkAbsent(dir); err != nil { // another one may have made it meanwhile
		return Backup{}, err
	}
	if err := makeEmpty(dir + partial); err != nil {
		return Backup{}, err
	}
	b, err = write(ctx, dir+partial, from, o)
	if err == nil {
		err = putInPlace(dir+partial, dir)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir+partial))
	}
	b.Dir = dir
	return b, err
}

func write(ctx context.Context, dir string, from Source, o Options) (Backup, error) {
	check := newChecker()
	segments := &segmentWriter{dir: dir, limit: segmentBytes, all: map[string][]Segment{}}
	defer segments.abandon()
	if err := from(ctx, all{check, segments, &watch{tell: o.Progress}}); err != nil {
		return Backup{}, err
	}
	m := Manifest{Format: Format, Program: o.Program, At: o.At.UTC()}
	for _, totals := range check.totals {
		m.Streams = append(m.Streams, Stream{Totals: totals, Segments: segments.all[totals.Stream]})
	}
	id, err := writeEnd(dir, m)
	return Backup{Manifest: m, ID: id}, err
}

// makeEmpty makes a folder without what an earlier try has left of it.
func makeEmpty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

// checkAbsent refuses a folder in which something is.
func checkAbsent(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: name a folder that does not exist", dir)
	}
	return nil
}

// putInPlace gives a folder its name, once everything in it is on disk.
func putInPlace(from, to string) error {
	if err := syncTree(from); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is empty
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncPath(filepath.Dir(to))
}

// syncTree has all files of a folder and their names on disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return err
		}
		return syncPath(path)
	})
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
