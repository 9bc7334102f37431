package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// defaultListen is where serve listens unless it is told otherwise.
const defaultListen = "127.0.0.1:7711"

type serveOptions struct {
	data, listen, nats, durability string
	tlsCert, tlsKey                string
	behindProxy, hosts             []string
	authHeader, adminTokenFile     string
}

func serveCommand(std streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the service: event store, read models, engine worker and HTTP API in one process",
		Long: "Run the service until it is interrupted. Each flag can be given as an environment variable too:\n" +
			"--data as PROOFLOAD_DATA, --listen as PROOFLOAD_LISTEN and so on.",
		Args: cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return flagsFromEnvironment(cmd.Flags(), os.LookupEnv)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), o, std)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", defaultData(), "the data folder")
	flags.StringVar(&o.listen, "listen", defaultListen, "host:port of the API; beyond loopback with TLS or behind a proxy only")
	flags.StringVar(&o.nats, "nats", "", "URL of an external NATS 2.12 or later; empty: the embedded server")
	flags.StringVar(&o.durability, "durability", "default", "default: sync to disk once a second; strict: before each commit is acknowledged")
	flags.StringVar(&o.tlsCert, "tls-cert", "", "file of the certificate chain (PEM); the API then speaks HTTPS only")
	flags.StringVar(&o.tlsKey, "tls-key", "", "file of the certificate's key (PEM)")
	flags.StringSliceVar(&o.behindProxy, "behind-proxy", nil, "CIDR of the proxy in front of the API, repeatable; without TLS only it is answered")
	flags.StringSliceVar(&o.hosts, "host", nil, "name that a request may have as Host beside loopback, such as the proxy's; repeatable")
	flags.StringVar(&o.authHeader, "auth-header", "", "header in which that proxy names the member")
	flags.StringVar(&o.adminTokenFile, "admin-token-file", "", "file of a token that the administrator gets")
	return cmd
}

// flagsFromEnvironment sets each flag that the command line leaves out from its PROOFLOAD_ variable.
func flagsFromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "PROOFLOAD_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, set := lookup(name)
		if f.Changed || !set {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	})
	return failed
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

func serve(ctx context.Context, o serveOptions, std streams) error {
	listening, err := o.listening()
	if err != nil {
		return err
	}
	if o.durability != "default" && o.durability != "strict" {
		return fmt.Errorf("--durability %q: default or strict", o.durability)
	}
	n, err := startNode(ctx, nodeOptions{
		listenOptions: listening, dir: o.data, nats: o.nats, strict: o.durability == "strict", adminTokenFile: o.adminTokenFile,
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
