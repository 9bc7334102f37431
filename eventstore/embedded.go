package eventstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	maxPayload       = 8 << 20  // bytes of one message, headers included
	maxEmbeddedStore = 32 << 30 // bytes on disk; more than the limits of both streams together
	syncInterval     = time.Second
	startTimeout     = 30 * time.Second
	lockFile         = "proofload.lock"
	lockPatience     = 200 * time.Millisecond // for who looks whether the folder is held
)

// EmbeddedOptions say how the server inside this process keeps its data.
type EmbeddedOptions struct {
	Dir    string       // the data folder; made when it is missing
	Strict bool         // sync every message to disk before it is acknowledged; otherwise once a second
	Logger *slog.Logger // warnings and errors of the server; nil: none
	Locked func() error // done as soon as the folder is taken, before anything else; nil: nothing
}

// Embedded is a NATS server inside this process, without a port.
type Embedded struct {
	server *server.Server
	conn   *nats.Conn
	lock   *flock.Flock
	dir    string

	closing chan struct{}
	stop    sync.Once      // closes it
	alive   sync.WaitGroup // keepAlive
}

// LockedError says which folder another process holds, and the ways out.
type LockedError struct {
	Dir     string
	Process int // its id; 0: it did not say
}

func (e *LockedError) Error() string {
	holder := ""
	if e.Process > 0 {
		holder = fmt.Sprintf(" (process %d)", e.Process)
	}
	return fmt.Sprintf("%v by another proofload%s: %s: stop that process, or choose another folder with --data", ErrLocked, holder, e.Dir)
}

// Unwrap makes it an ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// StartEmbedded locks the folder and starts the server on it. Close ends both.
func StartEmbedded(opts EmbeddedOptions) (*Embedded, error) {
	lock, err := lockDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	e := &Embedded{lock: lock, dir: opts.Dir, closing: make(chan struct{})}
	if err := e.start(opts); err != nil {
		return nil, errors.Join(fmt.Errorf("event store in %s: %w", opts.Dir, err), e.Close())
	}
	return e, nil
}

// Conn is the connection of this process to the server. It ends with Close.
func (e *Embedded) Conn() *nats.Conn { return e.conn }

// Close stops the server, waits until everything is on disk, and frees the folder.
func (e *Embedded) Close() error {
	e.stop.Do(func() { close(e.closing) })
	e.alive.Wait()
	if e.conn != nil {
		e.conn.Close()
	}
	if e.server != nil {
		e.server.Shutdown()
		e.server.WaitForShutdown()
	}
	return e.lock.Unlock()
}

func (e *Embedded) start(opts EmbeddedOptions) error {
	if opts.Locked != nil {
		if err := opts.Locked(); err != nil {
			return err
		}
	}
	var err error
	if e.server, err = server.NewServer(serverOptions(opts)); err != nil {
		return err
	}
	log := newServerLog(opts.Logger)
	e.server.SetLogger(log, false, false)
	e.server.Start()
	if cause := log.cause(); cause != "" {
		return fmt.Errorf("the NATS server did not start: %s", cause)
	}
	if !e.server.ReadyForConnections(startTimeout) {
		return fmt.Errorf("the NATS server was not ready within %v", startTimeout)
	}
	e.alive.Go(func() { e.keepAlive(log) })
	e.conn, err = nats.Connect("", append(connOptions(), nats.InProcessServer(e.server))...)
	return err
}

func serverOptions(opts EmbeddedOptions) *server.Options {
	return &server.Options{
		ServerName:        "proofload",
		DontListen:        true,
		NoSigs:            true,
		JetStream:         true,
		StoreDir:          opts.Dir,
		JetStreamMaxStore: maxEmbeddedStore,
		SyncInterval:      syncInterval,
		SyncAlways:        opts.Strict,
		MaxPayload:        maxPayload,
	}
}

// Lock keeps a second process away from a folder in which no server of ours runs, until it is released; LockedError:
// another process holds it.
func Lock(dir string) (release func() error, err error) {
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	return lock.Unlock, nil
}

// Held is the LockedError of a folder that a process holds; nil: none does. The folder stays as it is.
func Held(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, lockFile)); errors.Is(err, fs.ErrNotExist) {
		return nil // nobody ever held it
	}
	release, err := Lock(dir)
	if err != nil {
		return err
	}
	return release()
}

// lockDir keeps a second process away: two servers on one folder destroy it.
func lockDir(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	path := filepath.Join(dir, lockFile)
	lock := flock.New(path)
	wait, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	held, err := lock.TryLockContext(wait, lockPatience/10)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("lock of the data folder: %w", err)
	}
	if !held {
		return nil, &LockedError{Dir: dir, Process: holder(path)}
	}
	// For those who find the folder locked. The lock holds without it, such as on a full disk.
	_ = os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o600)
	return lock, nil
}

// holder is the process that wrote itself into the lock file.
func holder(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return id
}
