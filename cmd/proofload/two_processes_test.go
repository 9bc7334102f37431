package main

import (
	"fmt"
	"strings"
	"testing"
)

// A second process on a data folder ends at once and names the first. A command asks the first. When it is killed nothing
// has to be removed: a command opens the folder, and so does the next server.
func TestTwoProcessesOnOneFolder(t *testing.T) {
	dir := t.TempDir()
	first := program(t, "serve", "--data", dir, "--listen", "127.0.0.1:0")
	first.says("proofload serves")
	code, text := exitOf(t, "serve", "--data", dir, "--listen", "127.0.0.1:0")
	for _, words := range []string{dir, "--data", fmt.Sprintf("process %d", first.cmd.Process.Pid)} {
		if code != exitError || !strings.Contains(text, words) {
			t.Errorf("a second server: exit code %d, no %q in %s", code, words, text)
		}
	}
	if code, text := exitOf(t, "events", "--data", dir); code != exitOK || !strings.Contains(text, "WorkspaceCreated") {
		t.Errorf("events beside it: exit code %d, %s", code, text)
	}
	first.kill()
	if code, text := exitOf(t, "events", "--data", dir); code != exitOK || !strings.Contains(text, "WorkspaceCreated") {
		t.Errorf("events after it was killed: exit code %d, %s", code, text)
	}
	first.start()
	eventually(t, func() bool { return strings.Count(first.out.text(), "proofload serves") == 2 }, "the killed server is back")
	first.stop()
}
