package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// outcome is what a command did.
type outcome struct {
	code      int
	out, errs string
}

// commandOn starts a command on a folder.
func commandOn(t *testing.T, dir string, args ...string) <-chan outcome {
	t.Helper()
	ended := make(chan outcome, 1)
	go func() {
		var out, errs bytes.Buffer
		code := run(t.Context(), append(args, "--data", dir), streams{strings.NewReader(""), &out, &errs})
		ended <- outcome{code, out.String(), errs.String()}
	}()
	return ended
}

// A command waits for a server that is just starting: it holds the folder and has not said yet where it answers.
func TestACommandWaitsForAStartingServer(t *testing.T) {
	for _, external := range []bool{false, true} { // of an external NATS the folder has no log
		dir := t.TempDir()
		_, stop := serveHere(t, nodeOptions{dir: dir, noEngine: true, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
		file, jetstream := filepath.Join(dir, serverFile), filepath.Join(dir, "jetstream")
		address, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		move(t, file, file+".away")
		if external {
			move(t, jetstream, jetstream+".away")
		}
		for _, args := range [][]string{{"token", "list"}, {"events"}, {"backup", filepath.Join(t.TempDir(), "b")}} {
			command := commandOn(t, dir, args...)
			select {
			case got := <-command:
				t.Errorf("%v does not wait: %+v", args, got)
			case <-time.After(300 * time.Millisecond):
			}
			must(t, os.WriteFile(file+".new", address, 0o600)) // a command must not find half of it
			move(t, file+".new", file)
			if got := <-command; got.code != exitOK {
				t.Errorf("%v: %+v", args, got)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		if external {
			move(t, jetstream+".away", jetstream)
		}
		stop()
	}
}

// impatient has the commands of this process wait less for a folder that stays held.
func impatient(t *testing.T) {
	t.Helper()
	usual := folderPatience
	folderPatience = usual / 10
	t.Cleanup(func() { folderPatience = usual })
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// Commands that find a folder free all at once open it one after another. Each is a process: they wait for one that holds the
// folder, not for all before them together.
func TestCommandsAtOnceOnAFreeFolder(t *testing.T) {
	dir := freeFolder(t)
	var commands []*daemon
	for i := range 6 {
		args := [][]string{{"token", "list"}, {"events"}, {"backup", filepath.Join(t.TempDir(), "b")}}[i%3]
		commands = append(commands, program(t, append(args, "--data", dir)...))
	}
	for _, command := range commands {
		if <-command.ended; command.cmd.ProcessState.ExitCode() != exitOK {
			t.Errorf("%q: %s", command.args, command.errs.text())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, serverFile)); err == nil {
		t.Error("a command says that it is a server")
	}
}

// freeFolder is a data folder whose server has stopped.
func freeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	_, stop := serveHere(t, nodeOptions{dir: dir, noEngine: true, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
	stop()
	return dir
}

// An address that a killed server left is believed by no command: another program may listen there, and gets no token.
func TestAnAddressThatAKilledServerLeft(t *testing.T) {
	dir := freeFolder(t)
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	for _, args := range [][]string{{"token", "list"}, {"backup", filepath.Join(t.TempDir(), "b")}} {
		if _, err := (serverAddress{URL: other.URL}).write(dir); err != nil {
			t.Fatal(err)
		}
		if got := <-commandOn(t, dir, args...); got.code != exitOK || asked.Load() != 0 {
			t.Errorf("%v: %+v, the other is asked %d times", args, got, asked.Load())
		}
		if _, err := os.Stat(filepath.Join(dir, serverFile)); err == nil {
			t.Errorf("%v: the address is still there", args)
		}
	}
	none := t.TempDir() // of a server whose log is elsewhere
	if _, err := (serverAddress{URL: other.URL}).write(none); err != nil {
		t.Fatal(err)
	}
	if got := <-commandOn(t, none, "token", "list"); got.code != exitError || !strings.Contains(got.errs, "no server runs") || asked.Load() != 0 {
		t.Errorf("%+v, the other is asked %d times", got, asked.Load())
	}
}

// A process that holds the folder and does not answer is named in the end, also one whose address is dead.
func TestACommandDoesNotWaitForEver(t *testing.T) {
	if folderPatience != 5*time.Second {
		t.Errorf("a command waits for %v", folderPatience)
	}
	impatient(t)
	dir := freeFolder(t)
	release, err := eventstore.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = release() }()
	if _, err := (serverAddress{URL: "http://127.0.0.1:1"}).write(dir); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	got := <-commandOn(t, dir, "token", "list")
	if took := time.Since(began); got.code != exitError || took < folderPatience || took > patience {
		t.Errorf("after %v: %+v", took, got)
	}
	for _, words := range []string{"in use", fmt.Sprintf("process %d", os.Getpid()), dir, "did not answer"} {
		if !strings.Contains(got.errs, words) {
			t.Errorf("no %q in %s", words, got.errs)
		}
	}
}
