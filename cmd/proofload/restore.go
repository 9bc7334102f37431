package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/backup"
)

type restoreOptions struct {
	data   string
	nats   natsOptions
	asJSON bool
}

func restoreCommand(io streams) *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore DIR",
		Short: "Make a new data folder, or the streams of a NATS, from the backup in DIR",
		Long: "Check the whole backup in DIR, then make a data folder that does not exist yet, or the streams of a NATS that has none, with\n" +
			"every commit at the position that it had. Where a log is already nothing is changed. A restore that was interrupted\n" +
			"can be given again; until it has ended nothing can open the log.\n" +
			"Where the log is can be said in environment variables, as for serve; what the command line names goes before them.",
		Args: arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer boundMemory()()
			return o.restore(cmd.Context(), args[0], io)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", defaultData(), "the data folder that is made")
	o.nats.flags(flags)
	o.nats.replicasFlag(flags)
	flags.BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("data", "nats")
	cmd.MarkFlagsMutuallyExclusive("data", "replicas")
	return cmd
}

func (o restoreOptions) restore(ctx context.Context, dir string, io streams) error {
	if err := o.nats.check(); err != nil {
		return err
	}
	from, err := verified(ctx, dir, io)
	if err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	bar := newCopyBar(io)
	word, next := "restored to "+o.data+" from", "start it: proofload serve --data "+o.data
	if o.nats.external() {
		word, next = "restored to NATS from", adviceNATS
		err = o.toNATS(ctx, from, bar.show("restoring"))
	} else {
		err = from.RestoreFolder(ctx, o.data, bar.show("restoring"))
	}
	bar.clear()
	if err != nil {
		return fmt.Errorf("the log was not restored: %w", err)
	}
	if err := showBackup(io, word, from, o.asJSON); err != nil || o.asJSON {
		return err
	}
	_, err = fmt.Fprintln(io.out, next)
	return err
}

func (o restoreOptions) toNATS(ctx context.Context, from backup.Backup, progress backup.Progress) error {
	conn, err := o.nats.connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	err = from.Restore(ctx, conn, o.nats.replicas, progress)
	var replicas *eventstore.ReplicasError
	switch {
	case errors.As(err, &replicas):
		return fmt.Errorf("%w; or restore with --replicas %d", err, replicas.Have)
	case errors.Is(err, eventstore.ErrNotEmpty):
		return fmt.Errorf("%w on that NATS: take another, or account of it; or stop all servers and workers, make a backup of that log too, and delete its streams "+
			"(nats stream rm EVT, nats stream rm BLOB)", err)
	}
	return err
}

const adviceNATS = "start the servers; where read models of the log before are still there, proofload projections rebuild makes them anew"
