package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/backup"
)

type backupOptions struct {
	serverOptions
	nats           natsOptions
	verify, asJSON bool
}

func backupCommand(io streams) *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use:   "backup DIR",
		Short: "Copy the log, events and documents, to a new folder of plain files, and check it on the way",
		Long: "Copy the log as it stands now to DIR, which must not exist or be empty. The server of the data folder may run, and go on\n" +
			"working. Everything is checked on the way; DIR appears when all of it is on disk. With --verify nothing is copied: the\n" +
			"backup in DIR is checked, file by file and commit by commit.\n" +
			"Where the log is can be said in environment variables, as for serve; what the command line names goes before them.",
		Args: arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.verify {
				return verifyBackup(cmd.Context(), args[0], o.asJSON, io)
			}
			defer boundMemory()()
			return o.backUp(cmd.Context(), args[0], io)
		},
	}
	o.flags(cmd)
	o.nats.flags(cmd.Flags())
	o.nats.replicas = 1 // or more: it is not checked here
	cmd.Flags().BoolVar(&o.verify, "verify", false, "check the backup in DIR")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("verify", "server", "nats")
	return cmd
}

func (o backupOptions) backUp(ctx context.Context, dir string, io streams) error {
	bar := newCopyBar(io)
	var made backup.Backup
	err := o.source(ctx, func(from backup.Source) (err error) {
		made, err = backup.Write(ctx, dir, from, backup.Options{Program: "proofload " + buildVersion(), At: time.Now(), Progress: bar.show("copying")})
		return err
	})
	bar.clear()
	if err != nil {
		return fmt.Errorf("no backup was made: %w", err)
	}
	return showBackup(io, "backed up to", made, o.asJSON)
}

func verifyBackup(ctx context.Context, dir string, asJSON bool, io streams) error {
	found, err := verified(ctx, dir, io)
	if err != nil {
		return err
	}
	return showBackup(io, "whole:", found, asJSON)
}

// verified checks a backup, with a bar.
func verified(ctx context.Context, dir string, io streams) (backup.Backup, error) {
	bar := newCopyBar(io)
	defer bar.clear()
	return backup.Verify(ctx, dir, bar.show("checking"))
}

// source reaches the log: on NATS, by a server, or in the folder when no process holds it.
func (o backupOptions) source(ctx context.Context, use func(backup.Source) error) error {
	if err := o.nats.check(); err != nil {
		return err
	}
	if o.nats.external() {
		store, release, err := o.nats.open(ctx, eventstore.Options{Existing: true})
		if err != nil {
			return err
		}
		return errors.Join(use(backup.FromStore(store)), store.Close(), release())
	}
	if o.server != "" {
		client, err := o.connect(ctx)
		if err != nil {
			return err
		}
		return receive(ctx, client, use)
	}
	return o.reach(ctx, func() error { return o.openLog(ctx, use) }, func(client *serverClient) error { return receive(ctx, client, use) })
}

// openLog reads the log of a folder that no process holds, and nothing but the log.
func (o backupOptions) openLog(ctx context.Context, use func(backup.Source) error) error {
	server, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: o.data})
	if err != nil {
		return err
	}
	store, err := eventstore.Open(ctx, server.Conn(), eventstore.Options{MarkFile: filepath.Join(o.data, markFile), Existing: true})
	if err = errors.Join(err, forgetAddress(o.data)); err != nil {
		return errors.Join(err, server.Close())
	}
	err = use(backup.FromStore(store))
	_ = store.Close() // on a full disk the position is not written down: it has not changed
	return errors.Join(err, server.Close())
}

// copyMemory is what the program may have in memory, in bytes, before garbage is collected more often than usual.
const copyMemory = 128 << 20

// boundMemory is for the copy of a log by an embedded server: it keeps what was read until the garbage is collected, which is
// the later the more of it there is. GOMEMLIMIT goes before.
func boundMemory() (end func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(copyMemory)
	return func() { debug.SetMemoryLimit(before) }
}

// receive reads the log from a server.
func receive(ctx context.Context, client *serverClient, use func(backup.Source) error) error {
	lines, err := client.stream(ctx, "/api/log/backup")
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }()
	return use(backup.Receive(lines))
}
