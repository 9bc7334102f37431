package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/engine/worker"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/backup"
	api "github.com/proofload/proofload/http"
	"github.com/proofload/proofload/projections"
)

// shutdownTimeout is how long a stop waits for requests that are being answered. The worker then has 3 s for its runs,
// so that the whole stop takes less than 10 s.
const shutdownTimeout = 5 * time.Second

// markFile says how far the log has reached.
const markFile = "log-position.json"

// nodeOptions say where a node keeps its data and where it listens.
type nodeOptions struct {
	listenOptions
	dir            string
	nats           natsOptions
	postgres       string // DSN of the read models; empty: a file of the data folder
	strict         bool   // sync every commit to disk before it is acknowledged
	adminTokenFile string // of a token that the operator chose for the administrator; empty: none
	noEngine       bool   // take up no run
	unnamed        bool   // tell no other process where it answers: a command serves itself
	logger         *slog.Logger
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
	api       *api.Server
	server    *http.Server
	address   string       // URL of the API
	forget    func() error // tells commands no more where it answers; nil: they were not told

	certificate *certificate // nil: plain HTTP
	door        *door        // nil: the listener is one
}

// startNode opens everything. The node works once serve is called. Servers outside that do not answer yet are waited for;
// the folder is held meanwhile.
func startNode(ctx context.Context, o nodeOptions) (*node, error) {
	if err := os.MkdirAll(o.dir, 0o700); err != nil { // with an external NATS nobody made it yet
		return nil, fmt.Errorf("data folder: %w", err)
	}
	warnOfReaders(ctx, o)
	if !o.nats.external() {
		n := &node{logger: o.logger}
		return n.opened(n.open(ctx, o))
	}
	unlock, err := eventstore.Lock(o.dir)
	if err != nil {
		return nil, err
	}
	var n *node
	err = forgetAddress(o.dir)
	if err == nil {
		err = patiently(ctx, o.logger, func() error {
			n = &node{logger: o.logger}
			_, err := n.opened(n.open(ctx, o))
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	n.closers = slices.Insert(n.closers, 0, unlock)
	return n, nil
}

// opened is the node, or the error of a start: then what was opened is closed.
func (n *node) opened(err error) (*node, error) {
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func (n *node) open(ctx context.Context, o nodeOptions) error {
	var err error
	if n.store, err = n.openStore(ctx, o); err != nil {
		return err
	}
	n.closers = append(n.closers, func() error { n.closeStore(context.WithoutCancel(ctx)); return nil })
	n.commands = commands.New(n.store, time.Now)
	if n.first, err = n.commands.Bootstrap(ctx); err != nil {
		return fmt.Errorf("first start: %w", err)
	}
	if err := n.openAccess(ctx, o); err != nil {
		return err
	}
	if n.projections, err = projections.Open(ctx, projections.Options{Path: filepath.Join(o.dir, "views.db"), Postgres: o.postgres}); err != nil {
		return err
	}
	n.closers = append(n.closers, n.projections.Close)
	n.projector = projections.NewProjector(n.projections, n.store, o.logger)
	if !o.noEngine {
		if n.worker, err = worker.New(worker.Config{
			Store: n.store, Commands: n.commands, Logger: o.logger, Name: processName(), Slots: engineProcessors(), Now: time.Now,
		}); err != nil {
			return err
		}
	}
	return n.openHTTP(ctx, o)
}

// closeStore writes down how far the log has reached. Without it, as on a full disk, nothing is lost, so that a stop is no error.
func (n *node) closeStore(ctx context.Context) {
	if err := n.store.Close(); err != nil {
		n.logger.WarnContext(ctx, "how far the log has reached was not written down: nothing that was acknowledged is lost, but the next start may not see if its end is cut off until then", "err", err)
	}
}

// warnOfReaders tells when others of this machine can look into the data folder. It may be meant so: nothing is changed.
func warnOfReaders(ctx context.Context, o nodeOptions) {
	info, err := os.Stat(o.dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		o.logger.WarnContext(ctx, "others can look into the data folder: chmod 700 keeps them out", "folder", o.dir, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
	}
}

// openAccess makes sure that the administrator can log in: by the token of the data folder, or by one that the
// operator chose. A log that others share has no folder of ours to put a token into.
func (n *node) openAccess(ctx context.Context, o nodeOptions) (err error) {
	if o.adminTokenFile != "" {
		if err := admitTokenFile(ctx, n.commands, o.adminTokenFile, n.first.MemberID); err != nil {
			return err
		}
	}
	if !o.nats.external() {
		n.token, err = folderToken(ctx, n.commands, o.dir, n.first.MemberID)
		return err
	}
	has, err := n.commands.AdministratorHasToken(ctx)
	if err == nil && !has {
		err = errNoAdministrator
	}
	return err
}

var errNoAdministrator = errors.New("nobody could log in: the administrator has no token in this log. Name a file with one in " +
	"PROOFLOAD_ADMIN_TOKEN_FILE, or issue one with proofload token admin --nats URL")

// openStore connects to NATS by URL, or starts the server inside this process, which takes the folder.
func (n *node) openStore(ctx context.Context, o nodeOptions) (*eventstore.Store, error) {
	if o.nats.external() {
		store, release, err := o.nats.open(ctx, o.storeOptions())
		if err == nil {
			n.closers = append(n.closers, release)
		}
		return store, err
	}
	embedded, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{
		Dir: o.dir, Strict: o.strict, Logger: o.logger, Locked: func() error { return forgetAddress(o.dir) },
	})
	if err != nil {
		return nil, err
	}
	n.closers = append(n.closers, embedded.Close)
	options := o.storeOptions()
	options.Room = embedded.Room
	return eventstore.Open(ctx, embedded.Conn(), options)
}

// storeOptions has how far the log has reached written down in the data folder.
func (o nodeOptions) storeOptions() eventstore.Options {
	return eventstore.Options{MarkFile: filepath.Join(o.dir, markFile)}
}

func (n *node) openHTTP(ctx context.Context, o nodeOptions) error {
	var err error
	n.api, err = api.New(api.Config{
		Commands: n.commands, Projections: n.projections, Projector: n.projector, Blobs: n.commands, Logger: o.logger, Now: time.Now, Version: buildVersion(),
		WorkspaceID: n.first.WorkspaceID,
		SendLog:     func(ctx context.Context, w io.Writer) error { return backup.Send(ctx, n.store, w) },
		Hosts:       o.hosts, AnyHost: o.anyHost(), Proxies: o.proxies, UserHeader: o.userHeader, ProxiesOnly: o.proxiesOnly(),
	})
	if err != nil {
		return err
	}
	if n.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", o.address); err != nil {
		return fmt.Errorf("%w: choose another address with --listen", err)
	}
	n.closers = append(n.closers, func() error { _ = n.listener.Close(); return nil })
	n.server = newServer(n.api.Handler(), o.logger)
	if n.certificate = o.certificate; n.certificate != nil {
		n.server.TLSConfig = n.certificate.config()
	}
	n.server.RegisterOnShutdown(n.api.Stop)
	n.address = urlOf(n.listener, n.certificate != nil)
	if o.unnamed {
		return nil
	}
	named := serverAddress{URL: n.address}
	if !o.opensToCommands() {
		if n.door, named, err = openDoor(ctx, n.api.Door(), o.logger); err != nil {
			return err
		}
		n.closers = append(n.closers, n.door.close)
	}
	n.forget, err = named.write(o.dir)
	n.closers = append(n.closers, n.forget)
	return err
}

// newServer is a server with the times of the API.
func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		HTTP2:    &http.HTTP2Config{WriteByteTimeout: api.DefaultAnswerWait}, // of a connection that takes nothing
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),       // what clients break off, such as handshakes
	}
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
func (n *node) url() string { return n.address }

// loginLink logs one browser in as the administrator and goes on to a page of the server; empty: none.
func (n *node) loginLink(next string) string {
	link := n.url() + "/login#code=" + n.api.LoginCode(n.first.MemberID)
	if next != "" {
		link += "&next=" + url.QueryEscape(next)
	}
	return link
}

// listenAndServe answers requests until Shutdown.
func (n *node) listenAndServe() error { return serveOn(n.server, n.listener) }

func serveOn(server *http.Server, l net.Listener) error {
	err := error(nil)
	if server.TLSConfig != nil {
		err = server.ServeTLS(l, "", "")
	} else {
		err = server.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// serve works until the context is done or a part fails, then stops in this order: requests are finished, the
// run is handed back, the projector stops.
func (n *node) serve(ctx context.Context) error {
	parts, stopParts := context.WithCancel(context.WithoutCancel(ctx))
	defer stopParts()
	group, failed := errgroup.WithContext(ctx)
	group.Go(func() error { return n.project(parts) })
	if n.worker != nil {
		group.Go(func() error { return unlessDone(parts, n.worker.Run(parts)) })
	}
	group.Go(n.listenAndServe)
	if n.door != nil {
		group.Go(n.door.serve)
	}
	if n.certificate != nil {
		group.Go(func() error { n.certificate.watch(parts, n.logger); return nil })
	}
	group.Go(func() error {
		<-failed.Done()
		defer stopParts()
		return n.stopHTTP(parts)
	})
	return group.Wait()
}

// stopHTTP finishes the requests in progress and breaks those off that take too long, such as one whose body does not come.
// Commands are told first that nobody answers any more: who takes the port then must not be taken for this server.
func (n *node) stopHTTP(ctx context.Context) error {
	if n.forget != nil {
		if err := n.forget(); err != nil {
			n.logger.ErrorContext(ctx, "commands may still ask here", "file", serverFile, "err", err)
		}
	}
	stop, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	servers := []*http.Server{n.server}
	if n.door != nil {
		servers = append(servers, n.door.server)
	}
	var group errgroup.Group
	for _, server := range servers {
		group.Go(func() error {
			err := server.Shutdown(stop)
			if errors.Is(err, context.DeadlineExceeded) {
				n.logger.WarnContext(ctx, "requests that were not finished are broken off", "after", shutdownTimeout)
				return server.Close()
			}
			return err
		})
	}
	return group.Wait()
}

// project follows the stream. A halted projector does not end the process: commands and runs go on, the log
// and /readyz say what to do. After a rebuild it goes on.
func (n *node) project(ctx context.Context) error {
	for {
		err := n.projector.Run(ctx)
		var halted *projections.HaltError
		if !errors.As(err, &halted) {
			return unlessDone(ctx, err)
		}
		n.logger.ErrorContext(ctx, "the read models have stopped", "err", err)
		select {
		case <-n.projector.Rebuilt():
		case <-ctx.Done():
			return nil
		}
	}
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
