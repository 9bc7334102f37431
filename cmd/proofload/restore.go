package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/eventstore"
)

type restoreOptions struct {
	data, nats string
	replicas   int
	asJSON     bool
}

func restoreCommand(io streams) *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore DIR",
		Short: "Make a new data folder, or the streams of a NATS, from the backup in DIR",
		Long: "Check the whole backup in DIR, then make a data folder that does not exist yet, or the streams of a NATS that has none, with\n" +
			"every commit at the position that it had. Where a log is already nothing is changed. A restore that was interrupted\n" +
			"can be given again; until it has ended nothing can open the log.",
		Args: arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.restore(cmd.Context(), args[0], io)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", defaultData(), "the data folder that is made")
	flags.StringVar(&o.nats, "nats", "", "URL of the NATS whose streams are made, instead of a data folder")
	flags.IntVar(&o.replicas, "replicas", 1, "replicas of the streams, with --nats: 3 on a cluster")
	flags.BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("data", "nats")
	cmd.MarkFlagsMutuallyExclusive("data", "replicas")
	return cmd
}

func (o restoreOptions) restore(ctx context.Context, dir string, io streams) error {
	if o.replicas < 1 || o.replicas > 5 {
		return fmt.Errorf("--replicas %d: 1 to 5", o.replicas)
	}
	from, err := verified(ctx, dir, io)
	if err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	bar := newCopyBar(io)
	if o.nats != "" {
		conn, err := eventstore.Connect(o.nats)
		if err != nil {
			return err
		}
		defer conn.Close()
		err = from.Restore(ctx, conn, o.replicas, bar.show("restoring"))
		bar.clear()
		if err != nil {
			return fmt.Errorf("the log was not restored: %w", err)
		}
		return o.show(io, showBackup(io, "restored to NATS from", from, o.asJSON), adviceNATS)
	}
	err = from.RestoreFolder(ctx, o.data, bar.show("restoring"))
	bar.clear()
	if err != nil {
		return fmt.Errorf("the log was not restored: %w", err)
	}
	return o.show(io, showBackup(io, "restored to "+o.data+" from", from, o.asJSON), "start it: proofload serve --data "+o.data)
}

const adviceNATS = "start the servers; where read models of the log before are still there, proofload projections rebuild makes them anew"

// show says what to do next.
func (o restoreOptions) show(io streams, err error, next string) error {
	if err != nil || o.asJSON {
		return err
	}
	_, err = fmt.Fprintln(io.out, next)
	return err
}
