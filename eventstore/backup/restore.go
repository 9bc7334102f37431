package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/eventstore"
)

// Restore writes the log of a backup that was verified to a server that has none, reads it back and compares. The log
// can be opened once all of it is there. After an interruption it goes on where it was.
func (b Backup) Restore(ctx context.Context, conn *nats.Conn, replicas int, progress Progress) error {
	r, err := eventstore.StartRestore(ctx, conn, eventstore.RestoreOptions{Replicas: replicas, Backup: b.ID})
	if err != nil {
		return err
	}
	if err := b.source(ctx, all{&restorer{ctx: ctx, to: r}, &watch{tell: progress}}); err != nil {
		return err
	}
	back := newCounter()
	if err := fromReadable(r)(ctx, back); err != nil {
		return fmt.Errorf("reading back: %w", err)
	}
	for i, found := range back.totals {
		if said := b.Streams[i]; found.Digest != said.Digest || found.Messages != said.Messages {
			return fmt.Errorf("stream %s does not hold what the backup holds (%d messages, digest %s; in the backup %d, %s): somebody else wrote to it",
				said.Stream, found.Messages, found.Digest, said.Messages, said.Digest)
		}
	}
	return r.Finish(ctx)
}

// restorer is a sink that writes to the streams that are restored.
type restorer struct {
	ctx context.Context // of the one restore that it is for
	to  *eventstore.Restore
	of  string
}

func (r *restorer) begin(of eventstore.StreamState) error {
	r.of = of.Name
	return nil
}

func (r *restorer) message(m eventstore.Message) error { return r.to.Write(r.ctx, r.of, m) }

func (r *restorer) end() error { return r.to.Flush(r.ctx, r.of) }

// RestoreFolder makes a data folder with the log of a backup that was verified. The folder must not exist, or be empty;
// it appears when everything is in it and on disk. Until then its name ends in .restoring. After an error nothing is left.
func (b Backup) RestoreFolder(ctx context.Context, dir string, progress Progress) (err error) {
	dir = filepath.Clean(dir)
	if err := checkTarget(dir); err != nil {
		return err
	}
	building := dir + restoring
	unlock, err := lockBeside(building)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := errors.Join(checkTarget(dir), checkOurs(building)); err != nil { // another one may have made it meanwhile
		return err
	}
	err = b.build(ctx, building, progress)
	if err == nil {
		err = handOver(building, dir)
	}
	if err != nil && !errors.Is(err, ErrInUse) {
		err = errors.Join(err, clearRestoring(building))
	}
	return err
}

// build goes on with what a killed restore of the same backup has left, or begins anew.
func (b Backup) build(ctx context.Context, building string, progress Progress) error {
	err := b.restoreInto(ctx, building, progress)
	if !errors.Is(err, eventstore.ErrNotEmpty) && !errors.Is(err, eventstore.ErrRestoring) {
		return err
	}
	if err := clearRestoring(building); err != nil {
		return err
	}
	return b.restoreInto(ctx, building, progress)
}

// handOver gives the finished folder its name. It is a data folder already, so no server may take it up before it has it.
func handOver(building, dir string) error {
	release, err := eventstore.Lock(building)
	if err != nil {
		return inUse(building, err)
	}
	return errors.Join(putInPlace(building, dir), release())
}

// inUse says so of a folder that a process holds.
func inUse(dir string, err error) error {
	if errors.Is(err, eventstore.ErrLocked) {
		return fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return err
}

func (b Backup) restoreInto(ctx context.Context, dir string, progress Progress) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	server, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir, Logger: slog.New(&stopAtError{Handler: slog.DiscardHandler, stop: stop})})
	if err != nil {
		return inUse(dir, err)
	}
	err = b.Restore(working, server.Conn(), 1, progress)
	if err != nil && working.Err() != nil {
		err = context.Cause(working)
	}
	return errors.Join(err, server.Close())
}

// stopAtError ends a restore when its server logs an error, such as a full disk: that server then answers nothing.
type stopAtError struct {
	slog.Handler
	stop context.CancelCauseFunc
}

// Enabled is for errors only.
func (s *stopAtError) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelError
}

// Handle gives the first error as the reason.
func (s *stopAtError) Handle(_ context.Context, r slog.Record) error {
	s.stop(errors.New(r.Message))
	return nil
}

// checkTarget refuses a folder in which something is, and says who works on it if anybody does.
func checkTarget(dir string) error {
	if err := eventstore.Held(dir); err != nil {
		if errors.Is(err, eventstore.ErrLocked) {
			return fmt.Errorf("%w. A restore makes a new folder: stop the server and move its folder away (mv %s %s.old), or name another one", err, dir, dir)
		}
		return err
	}
	if err := checkAbsent(dir); err != nil {
		return fmt.Errorf("%w, or move this one away: mv %s %s.old", err, dir, dir)
	}
	return nil
}

// ours are the entries of a data folder that a restore makes.
var ours = []string{"proofload.lock", "jetstream"}

// checkOurs refuses a folder that no restore has made.
func checkOurs(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if !slices.Contains(ours, entry.Name()) {
			return fmt.Errorf("%s holds %s, which no restore made: remove the folder", dir, entry.Name())
		}
	}
	return err
}

func clearRestoring(dir string) error {
	if err := checkOurs(dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
