package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
)

// Servers and workers that start at the same moment on a cluster without a log wait for each other: none of them ends,
// whatever the others have just made or not yet told everybody. 3 times, each with a new log.
func TestFirstStartsTogether(t *testing.T) {
	cluster := natstest.StartCluster(t, 3)
	token := chosenTokenFile(t)
	for round := range 3 {
		var all sync.WaitGroup
		for n := range 4 {
			options := nodeOptions{
				dir: t.TempDir(), nats: natsOptions{urls: cluster.Servers[n%3].URL, replicas: 3}, noEngine: true, unnamed: true,
				listenOptions: listenOptions{address: "127.0.0.1:0"}, adminTokenFile: token, logger: slog.New(slog.DiscardHandler),
			}
			all.Go(func() {
				node, err := startNode(t.Context(), options)
				if err == nil {
					err = node.close()
				}
				if err != nil {
					t.Errorf("start %d of a server: %v", round, err)
				}
			})
		}
		for n := range 2 {
			all.Go(func() {
				var said bytes.Buffer
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				err := patiently(ctx, slog.New(slog.NewTextHandler(&said, nil)), func() error {
					_, release, err := natsOptions{urls: cluster.Servers[n].URL}.open(ctx, eventstore.Options{Existing: true})
					if err == nil {
						err = release()
					}
					return err
				})
				if err != nil {
					t.Errorf("start %d of a worker: %v; %s", round, err, said.String())
				}
			})
		}
		all.Wait()
		dropLog(t, cluster.Servers[0].URL)
	}
}

// dropLog deletes the streams, as if there had never been any.
func dropLog(t *testing.T, url string) {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{eventstore.StreamEvents, eventstore.StreamBlobs} {
		eventually(t, func() bool {
			err := js.DeleteStream(t.Context(), name)
			return err == nil || errors.Is(err, jetstream.ErrStreamNotFound)
		}, "the stream %s is deleted", name)
	}
}
