package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// TestNodeOnExternalNATS starts a node on a NATS server by URL, on a data folder that is not there yet, and
// runs the example through it.
func TestNodeOnExternalNATS(t *testing.T) {
	nats, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, JetStream: true, StoreDir: t.TempDir(),
		JetStreamMaxStore: 32 << 30, MaxPayload: 8 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	defer func() { nats.Shutdown(); nats.WaitForShutdown() }()
	if !nats.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server is not ready")
	}
	dir := filepath.Join(t.TempDir(), "not", "there")
	n, err := startNode(t.Context(), nodeOptions{dir: dir, listen: "127.0.0.1:0", nats: nats.ClientURL(), logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- n.serve(ctx) }()
	_, run, err := runExample(t.Context(), n)
	if err != nil || run.Status != "completed" {
		t.Errorf("got %s and %v, want a completed run", run.Status, err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := n.close(); err != nil {
		t.Error(err)
	}
}
