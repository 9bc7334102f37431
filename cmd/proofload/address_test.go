package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
)

// another is a program that listens where a server of ours did, and counts what it is asked.
func another(t *testing.T, address string) *atomic.Int32 {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })}} //nolint:gosec // of a test
	server.Start()
	t.Cleanup(server.Close)
	return &asked
}

// A server that stops is not named any more when it lets go of its port: who takes the port gets no token, however long
// a client holds up the stop.
func TestAStoppingServerIsNotNamed(t *testing.T) {
	dir := t.TempDir()
	address := natstest.FreeAddress(t) // no outgoing connection takes it meanwhile
	_, stop := serveHere(t, nodeOptions{dir: dir, noEngine: true, listenOptions: listenOptions{address: address}, logger: slog.New(slog.DiscardHandler)})
	conn := halfABody(t, address)
	stopped := make(chan struct{})
	began := time.Now()
	go func() { defer close(stopped); stop() }()
	eventually(t, func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, "the port is free")
	if _, err := os.Stat(filepath.Join(dir, serverFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the port is free and the file still names it: %v", err)
	}
	asked := another(t, address)
	command := commandOn(t, dir, "token", "list")
	time.Sleep(300 * time.Millisecond)
	select {
	case <-stopped:
		if time.Since(began) < shutdownTimeout {
			t.Error("the stop does not wait for the request")
		}
	default:
	}
	_ = conn.Close()
	<-stopped
	if got := <-command; got.code != exitOK || !strings.Contains(got.out, "data folder") || asked.Load() != 0 {
		t.Errorf("%+v; the other is asked %d times", got, asked.Load())
	}
}

// While a start waits for its NATS the folder is its own: the address that a killed server left is gone, and a command
// waits and then names the process.
func TestAStartThatWaitsForNATS(t *testing.T) {
	impatient(t)
	dir := t.TempDir()
	free := natstest.FreeAddress(t)
	asked := another(t, free)
	if _, err := (serverAddress{URL: "http://" + free}).write(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error, 1)
	go func() {
		_, err := startNode(ctx, nodeOptions{
			dir: dir, noEngine: true, nats: natsOptions{urls: "nats://127.0.0.1:1"}, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler),
		})
		started <- err
	}()
	eventually(t, func() bool { return eventstore.Held(dir) != nil }, "the start has the folder")
	eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, serverFile))
		return errors.Is(err, fs.ErrNotExist)
	}, "the old address is gone")
	began := time.Now()
	got := <-commandOn(t, dir, "token", "list")
	if took := time.Since(began); got.code != exitError || took < folderPatience || !strings.Contains(got.errs, "did not answer") || asked.Load() != 0 {
		t.Errorf("after %v: %+v; the other is asked %d times", took, got, asked.Load())
	}
	cancel()
	if err := <-started; err == nil {
		t.Error("it starts without its NATS")
	}
	if err := eventstore.Held(dir); err != nil {
		t.Errorf("a start that was given up keeps the folder: %v", err)
	}
}
