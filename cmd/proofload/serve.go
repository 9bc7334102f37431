package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
)

// defaultListen is where serve listens unless it is told otherwise.
const defaultListen = "127.0.0.1:7711"

type serveOptions struct {
	data, listen, durability   string
	nats                       natsOptions
	postgres                   string
	noEngine                   bool
	tlsCert, tlsKey            string
	behindProxy, hosts         []string
	authHeader, adminTokenFile string
}

func serveCommand(std streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the service: event store, read models, engine worker and HTTP API in one process",
		Long: "Run the service until it is interrupted. Each flag can be given as an environment variable too:\n" +
			"--data as PROOFLOAD_DATA, --listen as PROOFLOAD_LISTEN and so on; or as the content of a file that is named in\n" +
			"PROOFLOAD_DATA_FILE and so on, so that a password stands neither in the command line nor in the environment.",
		Args:        cobra.NoArgs,
		Annotations: map[string]string{service: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), o, std)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", defaultData(), "the data folder")
	flags.StringVar(&o.listen, "listen", defaultListen, "host:port of the API; beyond loopback with TLS or behind a proxy only")
	o.nats.flags(flags)
	o.nats.replicasFlag(flags)
	flags.StringVar(&o.postgres, "postgres", "", "DSN of the PostgreSQL with the read models; needs --nats. Empty: a file in the data folder")
	flags.BoolVar(&o.noEngine, "no-engine", false, "compute no run: workers do; needs --nats")
	flags.StringVar(&o.durability, "durability", "default", "default: sync to disk once a second; strict: before each commit is acknowledged")
	flags.StringVar(&o.tlsCert, "tls-cert", "", "file of the certificate chain (PEM); the API then speaks HTTPS only")
	flags.StringVar(&o.tlsKey, "tls-key", "", "file of the certificate's key (PEM)")
	flags.StringSliceVar(&o.behindProxy, "behind-proxy", nil, "CIDR of the proxy in front of the API, repeatable; without TLS only it is answered")
	flags.StringSliceVar(&o.hosts, "host", nil, "name that a request may have as Host beside loopback, such as the proxy's; repeatable")
	flags.StringVar(&o.authHeader, "auth-header", "", "header in which that proxy names the member")
	flags.StringVar(&o.adminTokenFile, "admin-token-file", "", "file of a token that the administrator gets")
	return cmd
}

// defaultData is $XDG_DATA_HOME/proofload.
func defaultData() string {
	base := os.Getenv("XDG_DATA_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "proofload-data"
		}
		base = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(base, "proofload")
}

// check refuses flags that do not go together. Alone, everything is in the data folder: commands that find it without
// a server open it and look nowhere else.
func (o serveOptions) check() error {
	switch {
	case o.durability != "default" && o.durability != "strict":
		return fmt.Errorf("--durability %q: default or strict", o.durability)
	case o.nats.external() && o.durability == "strict":
		return errors.New("--durability is of the embedded server: with --nats it is the setting sync_interval of that NATS")
	case !o.nats.external() && o.postgres != "":
		return errors.New("--postgres needs --nats: without it the read models are in the data folder, beside the log")
	case !o.nats.external() && o.noEngine:
		return errors.New("--no-engine needs --nats: no worker could reach the log")
	}
	return o.nats.check()
}

func serve(ctx context.Context, o serveOptions, std streams) error {
	listening, err := o.listening()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	n, err := startNode(ctx, nodeOptions{
		listenOptions: listening, dir: o.data, nats: o.nats, postgres: o.postgres, strict: o.durability == "strict",
		adminTokenFile: o.adminTokenFile, noEngine: o.noEngine,
		logger: slog.New(slog.NewTextHandler(std.err, nil)),
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(std.out, "proofload serves %s (data in %s); Ctrl-C stops it\n", n.url(), o.data)
	instance, err := n.commands.Instance(ctx)
	if err != nil {
		return errors.Join(err, n.close())
	}
	if n.token != "" && (!instance.LinkUsed || onTerminal(std.out)) { // not into the journal of every start
		_, _ = fmt.Fprintf(std.out, "Log in, once and within an hour: %s\n", n.loginLink(""))
	}
	if n.token != "" {
		_, _ = fmt.Fprintf(std.out, "The administrator's token for scripts is in %s\n", filepath.Join(o.data, tokenFile))
	}
	if err := errors.Join(n.serve(ctx), n.close()); err != nil { // also of a stop by signal, which by itself is no error
		_, _ = fmt.Fprintln(std.err, "proofload:", err)
		return exit{exitError}
	}
	return nil
}

// onTerminal says whether a person reads what is written.
func onTerminal(w io.Writer) bool {
	if checked, ok := w.(*checkedWriter); ok {
		w = checked.Writer
	}
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}
