package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// bigLog makes a data folder with so many commits of aggregates of their own, each naming one of some blobs of this size.
func bigLog(t *testing.T, dir string, commits, blobs, size int) {
	t.Helper()
	store, release := openedLog(t, dir)
	defer release()
	hashes := make([]string, blobs)
	noise, random := make([]byte, size/4), rand.NewChaCha8([32]byte{})
	for i := range hashes {
		content := bytes.Repeat([]byte("0"), size) // half of it text that compresses, half hexadecimal noise that hardly does
		_, _ = random.Read(noise)
		hex.Encode(content, noise)
		copy(content, fmt.Sprintf(`{"blob":%d,"pad":"`, i))
		hash, err := store.PutBlob(t.Context(), content)
		must(t, err)
		hashes[i] = hash
	}
	for i := range commits {
		_, err := store.Append(t.Context(), eventstore.Aggregate{Workspace: "w", Type: "profile", ID: fmt.Sprint("p", i)}, eventstore.Tail{}, eventstore.Commit{
			CommandID: fmt.Sprint("c", i), Member: "m", At: time.Unix(1_800_000_000, 0),
			Events: []eventstore.Event{{Name: "ProfileSaved", Schema: 1, Data: json.RawMessage(fmt.Sprintf(`{"profileId":"p%d","blob":%q}`, i, hashes[i%blobs]))}},
		})
		must(t, err)
	}
}

// killedWithin starts the program and kills it after a random part of the time. It says whether it was still at work.
func killedWithin(t *testing.T, d time.Duration, args ...string) bool {
	t.Helper()
	p := program(t, args...)
	select {
	case <-p.ended:
	case <-time.After(rand.N(d)):
	}
	atWork := !p.done()
	p.kill()
	return atWork
}

// took is how long the program takes for a command that succeeds.
func took(t *testing.T, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	p := program(t, args...)
	<-p.ended
	if code := p.cmd.ProcessState.ExitCode(); code != exitOK {
		t.Fatalf("%v: exit code %d, %s", args, code, p.errs.text())
	}
	return time.Since(began)
}

// Backup and restore are killed at random moments, three times each or for as long as PROOFLOAD_SOAK says. What then has
// the name of a backup or a data folder is whole, and the same command given again comes to its end.
func TestSoakKilledBackupAndRestore(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	data, backup, restored := filepath.Join(parent, "data"), filepath.Join(parent, "b"), filepath.Join(parent, "restored")
	bigLog(t, data, 3000, 3, 1<<20)
	long := took(t, "backup", backup, "--data", data)
	want := manifestOf(t, says(t, "backup", backup, "--verify", "--json"))
	longRestore := took(t, "restore", backup, "--data", restored)
	must(t, os.RemoveAll(restored))
	kills, atWork := 0, 0
	count := func(hit bool) {
		kills++
		if hit {
			atWork++
		}
	}
	for until := time.Now().Add(soakTime(t)); kills < 6 || time.Now().Before(until); {
		must(t, os.RemoveAll(backup))
		count(killedWithin(t, long, "backup", backup, "--data", data))
		if _, err := os.Stat(backup); errors.Is(err, os.ErrNotExist) {
			says(t, "backup", backup, "--data", data)
		}
		says(t, "backup", "--verify", backup)
		count(killedWithin(t, longRestore, "restore", backup, "--data", restored))
		if _, err := os.Stat(restored); errors.Is(err, os.ErrNotExist) {
			says(t, "restore", backup, "--data", restored)
		}
		got := manifestOf(t, says(t, "backup", filepath.Join(parent, "again"), "--data", restored, "--json"))
		for i, s := range got.Streams {
			if s.Digest != want.Streams[i].Digest {
				t.Errorf("restored is %+v, want %+v", s.Totals, want.Streams[i].Totals)
			}
		}
		must(t, errors.Join(os.RemoveAll(restored), os.RemoveAll(filepath.Join(parent, "again"))))
	}
	for _, lock := range []string{backup + ".partial.lock", restored + ".restoring.lock"} { // the last kill may have left it
		_ = os.Remove(lock)
	}
	wantEntries(t, parent, "b", "data")
	t.Logf("%d kills, %d of them at work", kills, atWork)
}

// The server is killed while it sends its log: the command says so, and leaves nothing.
func TestServerKilledDuringABackup(t *testing.T) {
	parent := t.TempDir()
	data, backup := filepath.Join(parent, "data"), filepath.Join(parent, "b")
	bigLog(t, data, 100, 12, 4<<20)
	server := program(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	server.says("proofload serves")
	p := pausedAt(t, filepath.Join(backup+".partial", "EVT-000001.jsonl.gz"), func() *daemon {
		must(t, os.RemoveAll(backup))
		return program(t, "backup", backup, "--data", data)
	})
	server.kill()
	p.goOn()
	<-p.ended
	if code := p.cmd.ProcessState.ExitCode(); code != exitError || !strings.Contains(p.errs.text(), "no backup was made: the connection ended before the log did") {
		t.Errorf("exit code %d, %s", code, p.errs.text())
	}
	for _, name := range []string{backup, backup + ".partial"} {
		if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// pausedAt starts the program until it could be paused while a file is there that it makes and takes away: on a quick machine it
// may have ended first.
func pausedAt(t *testing.T, path string, start func() *daemon) *daemon {
	t.Helper()
	isThere := func() bool { _, err := os.Stat(path); return err == nil }
	for range 50 {
		p := start()
		for !isThere() && !p.done() {
			time.Sleep(time.Millisecond / 2)
		}
		if _ = p.cmd.Process.Signal(syscall.SIGSTOP); isThere() && !p.done() {
			return p
		}
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		<-p.ended
	}
	t.Fatalf("50 times it had ended before it could be paused at %s", path)
	return nil
}

// An interrupted backup and an interrupted restore end with code 130 and leave nothing.
func TestInterruptedBackupAndRestore(t *testing.T) {
	parent := t.TempDir()
	data, backup := filepath.Join(parent, "data"), filepath.Join(parent, "b")
	bigLog(t, data, 100, 12, 4<<20)
	says(t, "backup", backup, "--data", data)
	for _, c := range []struct{ made, building, target, command string }{
		{"c", "c.partial", "--data " + data, "backup " + filepath.Join(parent, "c")},
		{"r", "r.restoring", "--data " + filepath.Join(parent, "r"), "restore " + backup},
	} {
		p := pausedAt(t, filepath.Join(parent, c.building), func() *daemon {
			must(t, errors.Join(os.RemoveAll(filepath.Join(parent, c.made)), os.RemoveAll(filepath.Join(parent, c.building))))
			return program(t, strings.Fields(c.command+" "+c.target)...)
		})
		must(t, p.cmd.Process.Signal(os.Interrupt)) // which it sees when it goes on
		p.goOn()
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%s: exit code %d, %s", c.command, code, p.errs.text())
		}
		wantEntries(t, parent, "b", "data")
	}
}

// wantEntries expects that a folder holds nothing else.
func wantEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	must(t, err)
	names := []string{}
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("left is %v, want %v", names, want)
	}
}

// A disk that is full gives an error that says so, and nothing is left on it.
func TestFullDisk(t *testing.T) {
	parent := t.TempDir()
	data, small, backup := filepath.Join(parent, "data"), filepath.Join(parent, "small"), filepath.Join(parent, "b")
	bigLog(t, data, 100, 4, 1<<20)
	must(t, os.Mkdir(small, 0o700))
	says(t, "backup", backup, "--data", data)
	for _, command := range []string{"backup " + small + "/b --data " + data, "restore " + backup + " --data " + small + "/data"} {
		script := "mount -t tmpfs -o size=600k tmpfs " + small + " && { proofload " + command + "; code=$?; ls -A " + small + "; exit $code; }"
		out, err := exec.CommandContext(t.Context(), "unshare", "-rm", "sh", "-c", script).CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitError || !strings.Contains(string(out), "no space left on device") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		if text := strings.TrimSpace(string(out)); strings.Contains(text, "\n") { // it says why, in one line, and ls nothing
			t.Errorf("%s leaves something:\n%s", command, text)
		}
	}
}

// The size of a log does not show in the memory of who copies it: peak resident memory of a process that works on
// 100 000 commits and 400 MB of blobs (3 000 and 100 MB in the short form), by a server and without one.
func TestSoakMemoryOfABackup(t *testing.T) {
	t.Parallel()
	commits, blobs := 3000, 24
	if os.Getenv("PROOFLOAD_SOAK") != "" {
		commits, blobs = 100_000, 100
	}
	parent := t.TempDir()
	data, backup := filepath.Join(parent, "data"), filepath.Join(parent, "b")
	bigLog(t, data, commits, blobs, 4<<20)
	stop := served(t, data)
	check := func(limit int, args ...string) {
		p := program(t, args...)
		peak := 0
		for !p.done() {
			peak = max(peak, peakOf(t, p.cmd.Process.Pid))
			time.Sleep(5 * time.Millisecond)
		}
		if code := p.cmd.ProcessState.ExitCode(); code != exitOK {
			t.Fatalf("%v: exit code %d, %s", args, code, p.errs.text())
		}
		t.Logf("%s: %d MB", args[0]+" "+args[1], peak>>20)
		if peak == 0 || peak > limit {
			t.Errorf("%v took %d bytes, at most %d", args, peak, limit)
		}
	}
	const client, withServer = 144 << 20, 232 << 20 // the server inside the process keeps blocks of its files for some seconds
	check(client, "backup", backup, "--data", data)
	stop()
	check(client, "backup", "--verify", backup)
	check(withServer, "backup", backup+"2", "--data", data)
	check(withServer, "restore", backup, "--data", filepath.Join(parent, "restored"))
}

// peakOf is the most that a process had resident since it was started, in bytes; 0: it is gone. What the system counts of a
// child at its end begins with what its parent had.
func peakOf(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if text, found := strings.CutPrefix(line, "VmHWM:"); found {
			var kilobytes int
			_, err := fmt.Sscan(text, &kilobytes)
			must(t, err)
			return kilobytes << 10
		}
	}
	return 0
}
