package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// defaultListen is where serve listens unless it is told otherwise.
const defaultListen = "127.0.0.1:7711"

type serveOptions struct {
	data, listen, nats, durability string
}

func serveCommand(io streams) *cobra.Command {
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
			return serve(cmd.Context(), o, io)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", defaultData(), "the data folder")
	flags.StringVar(&o.listen, "listen", defaultListen, "host:port of the API; loopback only")
	flags.StringVar(&o.nats, "nats", "", "URL of an external NATS 2.12 or later; empty: the embedded server")
	flags.StringVar(&o.durability, "durability", "default", "default: sync to disk once a second; strict: before each commit is acknowledged")
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

func serve(ctx context.Context, o serveOptions, io streams) error {
	if err := onLoopback(o.listen); err != nil {
		return err
	}
	if o.durability != "default" && o.durability != "strict" {
		return fmt.Errorf("--durability %q: default or strict", o.durability)
	}
	logger := slog.New(slog.NewTextHandler(io.err, nil))
	n, err := startNode(ctx, nodeOptions{dir: o.data, listen: o.listen, nats: o.nats, strict: o.durability == "strict", logger: logger})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(io.out, "proofload serves %s (data in %s); Ctrl-C stops it\n", n.url(), o.data)
	return errors.Join(n.serve(ctx), n.close())
}

// onLoopback refuses every other address: there are no accounts yet, so nobody else may reach the API.
func onLoopback(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("--listen %q: %w", listen, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("--listen %s is refused: this version has no accounts and listens on loopback only, as in --listen %s", listen, defaultListen)
}
