package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/proofload/proofload/eventstore"
)

// clusterReplicas is how many copies of the log a cluster keeps unless it is told otherwise: one server may be lost.
const clusterReplicas = 3

// natsOptions say how an external NATS is reached.
type natsOptions struct {
	urls     string // with commas; empty: the server inside the process
	creds    string // file of a JWT and its seed; empty: none
	ca       string // file of the certificates that sign those of the servers; empty: those of the system
	replicas int    // of the streams that are made; 0: one
}

func (o *natsOptions) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.urls, "nats", "", "URL of an external NATS 2.12 or later, or several with commas")
	flags.StringVar(&o.creds, "nats-creds", "", "file of credentials (JWT and seed) for that NATS")
	flags.StringVar(&o.ca, "nats-ca", "", "file of the certificates (PEM) that sign those of that NATS; empty: those of the system")
}

// replicasFlag is for those commands that make the log.
func (o *natsOptions) replicasFlag(flags *pflag.FlagSet) {
	flags.IntVar(&o.replicas, "replicas", clusterReplicas, "on how many servers of that NATS the log is kept; 1 for one without a cluster")
}

// external says whether the log is on another server.
func (o natsOptions) external() bool { return o.urls != "" }

func (o natsOptions) check() error {
	switch {
	case !o.external() && (o.creds != "" || o.ca != ""):
		return errors.New("--nats-creds and --nats-ca need --nats")
	case o.replicas < 0 || o.replicas > 5 || o.replicas == 0 && o.external():
		return fmt.Errorf("--replicas %d: 1 to 5, and 3 for a cluster", o.replicas)
	}
	return nil
}

// open connects and opens the log; release disconnects.
func (o natsOptions) open(ctx context.Context, options eventstore.Options) (_ *eventstore.Store, release func() error, err error) {
	conn, err := o.connect()
	if err != nil {
		return nil, nil, err
	}
	options.Replicas = o.replicas
	store, err := eventstore.Open(ctx, conn, options)
	if err != nil {
		conn.Close()
		var replicas *eventstore.ReplicasError
		if errors.As(err, &replicas) {
			err = fmt.Errorf("%w; or start with --replicas %d", err, replicas.Have)
		}
		return nil, nil, err
	}
	return store, func() error { conn.Close(); return nil }, nil
}

// connect reads the files first: a missing one is no trouble of the server.
func (o natsOptions) connect() (*nats.Conn, error) {
	var more []nats.Option
	if o.creds != "" {
		if _, err := os.ReadFile(o.creds); err != nil {
			return nil, fmt.Errorf("--nats-creds: %w", err)
		}
		more = append(more, nats.UserCredentials(o.creds))
	}
	if o.ca != "" {
		if _, err := os.ReadFile(o.ca); err != nil {
			return nil, fmt.Errorf("--nats-ca: %w", err)
		}
		more = append(more, nats.RootCAs(o.ca))
	}
	return eventstore.Connect(o.urls, more...)
}
