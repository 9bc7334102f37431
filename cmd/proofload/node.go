package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/engine/worker"
	"github.com/proofload/proofload/eventstore"
	api "github.com/proofload/proofload/http"
	"github.com/proofload/proofload/projections"
)

// shutdownTimeout is how long a stop waits for requests that are being answered.
const shutdownTimeout = 10 * time.Second

// nodeOptions say where a node keeps its data and where it listens.
type nodeOptions struct {
	dir    string
	listen string // host:port on loopback; port 0: the next free one
	nats   string // URL of an external NATS; empty: the embedded server
	strict bool   // sync every commit to disk before it is acknowledged
	logger *slog.Logger
}

// node is one process of proofload: event store, read models, engine worker and HTTP, started in this order
// and stopped in the other.
type node struct {
	store       *eventstore.Store
	commands    *commands.Commands
	projections *projections.DB
	first       commands.Bootstrapped
	token       string // the administrator's, of the data folder; empty with an external NATS
	listener    net.Listener
	logger      *slog.Logger

	closers   []func() error // in the order of the start
	projector *projections.Projector
	worker    *worker.Worker
	server    *http.Server
}

// startNode opens everything. The node works once serve is called.
func startNode(ctx context.Context, o nodeOptions) (*node, error) {
	n := &node{logger: o.logger}
	if err := n.open(ctx, o); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func (n *node) open(ctx context.Context, o nodeOptions) error {
	var err error
	if n.store, err = n.openStore(ctx, o); err != nil {
		return err
	}
	n.commands = commands.New(n.store, time.Now)
	if n.first, err = n.commands.Bootstrap(ctx); err != nil {
		return fmt.Errorf("first start: %w", err)
	}
	if o.nats == "" {
		if n.token, err = folderToken(ctx, n.commands, o.dir, n.first.MemberID); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil { // with an external NATS nobody made it yet
		return fmt.Errorf("data folder: %w", err)
	}
	if n.projections, err = projections.Open(ctx, projections.Options{Path: filepath.Join(o.dir, "views.db")}); err != nil {
		return fmt.Errorf("read models in %s: %w", o.dir, err)
	}
	n.closers = append(n.closers, n.projections.Close)
	n.projector = projections.NewProjector(n.projections, n.store, o.logger)
	if n.worker, err = worker.New(worker.Config{
		Store: n.store, Commands: n.commands, Logger: o.logger, Name: processName(), Now: time.Now,
	}); err != nil {
		return err
	}
	return n.openHTTP(ctx, o)
}

// openStore connects to NATS by URL, or starts the server inside this process.
func (n *node) openStore(ctx context.Context, o nodeOptions) (*eventstore.Store, error) {
	if o.nats != "" {
		conn, err := eventstore.Connect(o.nats)
		if err != nil {
			return nil, err
		}
		n.closers = append(n.closers, func() error { conn.Close(); return nil })
		return eventstore.Open(ctx, conn, eventstore.Options{})
	}
	embedded, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: o.dir, Strict: o.strict, Logger: o.logger})
	if err != nil {
		return nil, err
	}
	n.closers = append(n.closers, embedded.Close)
	return eventstore.Open(ctx, embedded.Conn(), eventstore.Options{})
}

func (n *node) openHTTP(ctx context.Context, o nodeOptions) error {
	server, err := api.New(api.Config{
		Commands: n.commands, Projections: n.projections, Blobs: n.store, Logger: o.logger, Now: time.Now, Version: buildVersion(),
		MemberID: n.first.MemberID, WorkspaceID: n.first.WorkspaceID,
	})
	if err != nil {
		return err
	}
	if n.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", o.listen); err != nil {
		return fmt.Errorf("%w: choose another address with --listen", err)
	}
	n.server = &http.Server{Handler: server.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	n.server.RegisterOnShutdown(server.Stop)
	n.closers = append(n.closers, func() error { _ = n.listener.Close(); return nil })
	return nil
}

// processName tells the workers of one log apart.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}

// url is where the API answers.
func (n *node) url() string { return "http://" + n.listener.Addr().String() }

// serve works until the context is done or a part fails, then stops in this order: requests are finished, the
// run is handed back, the projector stops.
func (n *node) serve(ctx context.Context) error {
	parts, stopParts := context.WithCancel(context.WithoutCancel(ctx))
	defer stopParts()
	group, failed := errgroup.WithContext(ctx)
	group.Go(func() error { return n.project(parts) })
	group.Go(func() error { return unlessDone(parts, n.worker.Run(parts)) })
	group.Go(func() error {
		if err := n.server.Serve(n.listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	group.Go(func() error {
		<-failed.Done()
		defer stopParts()
		stop, cancel := context.WithTimeout(parts, shutdownTimeout)
		defer cancel()
		return n.server.Shutdown(stop)
	})
	return group.Wait()
}

// project follows the stream. A halted projector does not end the process: commands and runs go on, the log
// and /readyz say what to do.
func (n *node) project(ctx context.Context) error {
	err := n.projector.Run(ctx)
	var halted *projections.HaltError
	if errors.As(err, &halted) {
		n.logger.ErrorContext(ctx, "the read models have stopped", "err", err)
		return nil
	}
	return unlessDone(ctx, err)
}

// unlessDone is an error that is not that of a stop.
func unlessDone(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// close ends what was opened, the last first.
func (n *node) close() error {
	var all []error
	for i := len(n.closers) - 1; i >= 0; i-- {
		all = append(all, n.closers[i]())
	}
	n.closers = nil
	return errors.Join(all...)
}
