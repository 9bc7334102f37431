package eventstore

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

// appenderDir in the environment makes the test binary a process that appends to the store in this folder.
const appenderDir = "PROOFLOAD_TEST_APPENDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(appenderDir); dir != "" {
		fmt.Fprintln(os.Stderr, appendForEver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// appendForEver prints sequence and hash of each commit once it is acknowledged.
func appendForEver(dir string) error {
	e, err := StartEmbedded(EmbeddedOptions{Dir: dir})
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Open(ctx, e.Conn(), Options{})
	if err != nil {
		return err
	}
	records, err := s.Load(ctx, profile("killed"))
	if err != nil {
		return err
	}
	for tail := TailOf(records); ; {
		r, err := s.Append(ctx, profile("killed"), tail, commit(int(tail.Seq%60)))
		if err != nil {
			return err
		}
		fmt.Println(r.Seq, r.Hash)
		tail = r.Tail()
	}
}

// A process that appends is killed at random points, three times or for as long as PROOFLOAD_SOAK says: every
// commit that was acknowledged is there, and the chain holds.
func TestSoakKill(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[uint64]string{}
	end := time.Now().Add(soak(t))
	kills := 0
	for ; kills < 3 || time.Now().Before(end); kills++ {
		killAppender(t, dir, time.Duration(rand.IntN(300))*time.Millisecond, acknowledged)
	}
	s, _ := startStore(t, dir)
	stored := mustLoad(t, s, profile("killed"))
	byPlace := map[uint64]string{}
	for _, r := range stored {
		byPlace[r.Seq] = r.Hash
	}
	for seq, hash := range acknowledged {
		if byPlace[seq] != hash {
			t.Errorf("commit %d was acknowledged as %s, stored is %q", seq, hash, byPlace[seq])
		}
	}
	if len(acknowledged) == 0 || len(stored) > len(acknowledged)+kills {
		t.Errorf("%d commits acknowledged, %d stored, %d kills", len(acknowledged), len(stored), kills)
	}
	t.Logf("%d kills, %d commits acknowledged, %d stored", kills, len(acknowledged), len(stored))
}

// soak is how long a soak test goes on; 0: its short form.
func soak(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PROOFLOAD_SOAK")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// killAppender lets the process append for the time after its first commit, kills it, and notes what it acknowledged.
func killAppender(t *testing.T, dir string, after time.Duration, acknowledged map[uint64]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), appenderDir+"="+dir), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for first := true; lines.Scan(); first = false {
		var seq uint64
		var hash string
		if n, _ := fmt.Sscan(lines.Text(), &seq, &hash); n == 2 && len(hash) == 64 { // a killed process leaves half a line
			acknowledged[seq] = hash
		}
		if first {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
}
