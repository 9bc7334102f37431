package main

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/eventstore"
)

// fillLog lets a node append until the log has the given number of bytes, and stops it.
func fillLog(t *testing.T, dir string, bytes int64) {
	t.Helper()
	n := startTestNode(t, dir)
	defer n.stop(t)
	meta := commands.Meta{Member: n.first.MemberID}
	for range 1000 {
		info, err := os.Stat(filepath.Join(dir, "jetstream", "$G", "streams", "EVT", "msgs", "1.blk"))
		if err == nil && info.Size() > bytes {
			return
		}
		if _, err := n.commands.CreateProject(t.Context(), commands.CreateProject{Meta: meta, WorkspaceID: n.first.WorkspaceID, Name: "Shop"}); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("the log has not reached %d bytes", bytes)
}

// TestServeRefusesALogThatWasCut damages the log while the server is down. The NATS server starts with what stands before
// the damage; without the read models nothing else would miss the rest.
func TestServeRefusesALogThatWasCut(t *testing.T) {
	dir := t.TempDir()
	fillLog(t, dir, 100_000)
	messages := filepath.Join(dir, "jetstream", "$G", "streams", "EVT", "msgs")
	block, err := os.OpenFile(filepath.Join(messages, "1.blk"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 50)
	_, _ = rand.Read(noise)
	_, err = block.WriteAt(noise, 80_000)
	views, none := filepath.Glob(filepath.Join(dir, "views.db*"))
	for _, view := range views {
		err = errors.Join(err, os.Remove(view))
	}
	if err := errors.Join(err, none, block.Close(), os.Remove(filepath.Join(messages, "index.db"))); err != nil {
		t.Fatal(err)
	}
	n, err := startNode(t.Context(), nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		t.Fatal("it serves a log that lost its end", n.close())
	}
	if !errors.Is(err, eventstore.ErrAhead) || !strings.Contains(err.Error(), filepath.Join(dir, markFile)) || !strings.Contains(err.Error(), "newest backup") {
		t.Errorf("%v does not say what to do", err)
	}
}
