package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/engine/worker"
	"github.com/proofload/proofload/eventstore"
)

type workerOptions struct {
	nats   natsOptions
	health string // host:port; empty: nobody can ask
}

func workerCommand(std streams) *cobra.Command {
	var o workerOptions
	cmd := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Compute the runs of a cluster: the engine without an API and without data of its own",
		Long: "Take up the runs that are requested in the log of an external NATS, until it is interrupted; then what is being\n" +
			"computed is handed back. It computes as many runs at once as there are processors, or as GOMAXPROCS says.\n" +
			"Each flag can be given as an environment variable too, as for serve.",
		Args:        cobra.NoArgs,
		Annotations: map[string]string{service: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return work(cmd.Context(), o, std)
		},
	}
	o.nats.flags(cmd.Flags())
	cmd.Flags().StringVar(&o.health, "health", "", "host:port on which /healthz and /readyz answer; empty: none")
	return cmd
}

func work(ctx context.Context, o workerOptions, std streams) error {
	if !o.nats.external() {
		return errors.New("--nats is missing: a worker has no log of its own")
	}
	logger := slog.New(slog.NewTextHandler(std.err, nil))
	var store *eventstore.Store
	var release func() error
	err := patiently(ctx, logger, func() (err error) {
		store, release, err = o.nats.open(ctx, eventstore.Options{Existing: true})
		return err
	})
	if err != nil {
		return err
	}
	if err := errors.Join(workOn(ctx, o, store, logger, std), release()); err != nil {
		_, _ = fmt.Fprintln(std.err, "proofload:", err)
		return exit{exitError}
	}
	return nil
}

// workOn takes up runs until the context is done, and tells who asks whether it can.
func workOn(ctx context.Context, o workerOptions, store *eventstore.Store, logger *slog.Logger, std streams) error {
	name := processName()
	w, err := worker.New(worker.Config{
		Store: store, Commands: commands.New(store, time.Now), Logger: logger, Name: name, Slots: engineProcessors(), Now: time.Now,
	})
	if err != nil {
		return err
	}
	parts, stop := context.WithCancel(ctx)
	defer stop()
	group, parts := errgroup.WithContext(parts)
	if o.health != "" {
		health, err := listenHealth(ctx, o.health, store)
		if err != nil {
			return err
		}
		group.Go(func() error { return health.serve(parts) })
	}
	group.Go(func() error { return unlessDone(parts, w.Run(parts)) })
	_, _ = fmt.Fprintf(std.out, "proofload works as %s on %s; Ctrl-C stops it\n", name, connectedTo(store))
	return group.Wait()
}

// connectedTo is the server that a store speaks to, without user and password.
func connectedTo(store *eventstore.Store) string {
	server, err := url.Parse(store.JetStream().Conn().ConnectedUrlRedacted())
	if err != nil {
		return "NATS"
	}
	server.User = nil
	return server.String()
}
