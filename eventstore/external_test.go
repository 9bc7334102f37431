package eventstore

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

// serverBinary is the nats-server of go.mod, never the machine's own: go builds it once into its cache.
var serverBinary = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "nats-server").Output()
	return strings.TrimSpace(string(out)), err
})

// serverProcess is one nats-server in a process of its own.
type serverProcess struct {
	config string // file
	url    string
	cmd    *exec.Cmd
}

// startProcess starts a server with the settings, in the syntax of its configuration file, beside the common ones.
func startProcess(t testing.TB, settings string) *serverProcess {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	p := &serverProcess{config: filepath.Join(dir, "nats.conf"), url: fmt.Sprintf("nats://127.0.0.1:%d", port)}
	common := fmt.Sprintf("listen: 127.0.0.1:%d\njetstream { store_dir: %q, max_file_store: 100GB }\n", port, dir)
	if err := os.WriteFile(p.config, []byte(common+settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start(t)
	t.Cleanup(p.kill)
	return p
}

// start starts the process, again after kill.
func (p *serverProcess) start(t testing.TB) {
	t.Helper()
	binary, err := serverBinary()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(binary, "-c", p.config)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// kill is SIGKILL: nothing is tidied up.
func (p *serverProcess) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// connect waits until the server answers.
func (p *serverProcess) connect(t testing.TB) *nats.Conn {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		conn, err := Connect(p.url)
		if err == nil {
			t.Cleanup(conn.Close)
			return conn
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestContractExternal(t *testing.T) {
	conn := startProcess(t, "max_payload: 8388608").connect(t)
	s, err := Open(t.Context(), conn, Options{})
	if err != nil {
		t.Fatal(err)
	}
	contract(t, s)
}

// A killed server comes back on its folder: the client connects again, and the reader goes on without a gap.
func TestExternalServerRestarts(t *testing.T) {
	p := startProcess(t, "max_payload: 8388608")
	s, err := Open(t.Context(), p.connect(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := startRead(t, s, 0)
	want := appendChain(t, s, profile("p"), 3)
	got := read(t, r, 3)
	p.kill()
	if batch, err := r.NextBatch(t.Context(), 10, 50*time.Millisecond); err != nil || len(batch) != 0 {
		t.Errorf("without a server: %v, %v", batch, err)
	}
	if _, err := s.Append(within(t, 50*time.Millisecond), profile("q"), Tail{}, commit(1)); !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("append without a server: %v", err)
	}
	p.start(t)
	want = append(want, settle(t, s, profile("q")))
	if diff := cmp.Diff(want, append(got, read(t, r, 1)...)); diff != "" {
		t.Error(diff)
	}
}

// settle finds out what became of commit(1) of a new aggregate, as a command does: load, and append when it is not there.
func settle(t testing.TB, s *Store, agg Aggregate) Record {
	t.Helper()
	ctx := within(t, 20*time.Second)
	for ctx.Err() == nil {
		records, err := s.Load(ctx, agg)
		if err == nil && len(records) > 0 {
			return records[0]
		}
		if err == nil {
			_, err = s.Append(ctx, agg, Tail{}, commit(1))
		}
		if err != nil && !errors.Is(err, ErrRaced) {
			pause(ctx, 50*time.Millisecond)
		}
	}
	t.Fatal("the commit was neither stored nor refused")
	return Record{}
}

func TestOpenRefusesSmallMessages(t *testing.T) {
	conn := startProcess(t, "").connect(t) // the default of nats-server is 1 MiB
	if _, err := Open(t.Context(), conn, Options{}); err == nil || !strings.Contains(err.Error(), "max_payload: 8388608") {
		t.Errorf("no advice in: %v", err)
	}
}
