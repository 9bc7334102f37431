package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/proofload/proofload/commands"
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
	if !nats.ReadyForConnections(patience) {
		t.Fatal("the NATS server is not ready")
	}
	dir := filepath.Join(t.TempDir(), "not", "there")
	options := nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, nats: natsOptions{urls: nats.ClientURL()}, logger: slog.New(slog.DiscardHandler)}
	if n, err := startNode(t.Context(), options); !errors.Is(err, errNoAdministrator) {
		_ = n.close()
		t.Fatalf("it starts although nobody could log in: %v", err)
	}
	token := strings.Repeat("k", 43)
	options.adminTokenFile = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(options.adminTokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := startNode(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{token, issuedOver(t, nats.ClientURL())} {
		if m, err := n.commands.Authenticate(t.Context(), text); err != nil || !m.Administrator {
			t.Errorf("the token gives %v, %v", m, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, tokenFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a token of the shared log stands in the data folder: %v", err)
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

// issuedOver is what proofload token admin prints.
func issuedOver(t *testing.T, url string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"token", "admin", "--nats", url, "--replicas", "1"}, streams{strings.NewReader(""), &out, &errs}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return strings.TrimSpace(out.String())
}

// TestNodeWithHaltedProjector: read models of another log stop the projector, not the process. Commands and runs go
// on, and /readyz says what to do.
func TestNodeWithHaltedProjector(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		n := startTestNode(t, dir)
		_, _, err := runExample(t.Context(), n.node)
		n.stop(t)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"views.db", "views.db-wal", "views.db-shm"} {
		data, err := os.ReadFile(filepath.Join(first, name))
		if errors.Is(err, os.ErrNotExist) {
			_ = os.Remove(filepath.Join(second, name))
			continue
		}
		if err := errors.Join(err, os.WriteFile(filepath.Join(second, name), data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	n := startTestNode(t, second)
	defer n.stop(t)
	eventually(t, func() bool {
		status, err := statusOf(t, n.url()+"/readyz")
		must(t, err)
		return status == http.StatusServiceUnavailable && n.projections.Status().Trouble != nil
	}, "the projector does not follow the read models of another log")
	meta := commands.Meta{Member: n.first.MemberID}
	if _, err := n.commands.CreateProject(t.Context(), commands.CreateProject{Meta: meta, WorkspaceID: n.first.WorkspaceID, Name: "goes on"}); err != nil {
		t.Errorf("a command after the halt: %v", err)
	}
	if status, err := statusOf(t, n.url()+"/healthz"); err != nil || status != http.StatusOK {
		t.Errorf("/healthz answers %d, %v", status, err)
	}
}

// testNode is a node that serves in this process.
type testNode struct {
	*node
	cancel context.CancelFunc
	served chan error
}

func startTestNode(t *testing.T, dir string) *testNode {
	t.Helper()
	n, err := startNode(t.Context(), nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return serveNode(t, n)
}

func serveNode(t *testing.T, n *node) *testNode {
	ctx, cancel := context.WithCancel(t.Context())
	test := &testNode{node: n, cancel: cancel, served: make(chan error, 1)}
	go func() { test.served <- n.serve(ctx) }()
	return test
}

func (n *testNode) stop(t *testing.T) {
	t.Helper()
	n.cancel()
	if err := errors.Join(<-n.served, n.close()); err != nil {
		t.Error(err)
	}
}
