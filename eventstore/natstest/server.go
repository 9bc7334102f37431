// Package natstest starts real nats-server processes for tests: one, or a cluster on which streams have replicas.
// It is the server of the version in go.mod, each process with a folder and ports of its own; they end with the test.
//
// Only tests import it. It imports nothing of ours, so that the tests of eventstore can use it too.
package natstest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// patience is how long a server may take for what it is waited for: tests share the machine with others.
const patience = 2 * time.Minute

// binary is the nats-server of go.mod, never the machine's own: go builds it once into its cache, as make test builds all, so that
// the race detector gets no other one.
var binary = sync.OnceValues(func() (string, error) {
	build := exec.CommandContext(context.Background(), "go", "tool", "-n", "nats-server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	out, err := build.Output()
	return strings.TrimSpace(string(out)), err
})

// Binary is the path of the nats-server that is started.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatalf("go tool nats-server: %v", err)
	}
	return path
}

// Options say how a server is started.
type Options struct {
	Settings string // lines in the syntax of its configuration file; they override those that are always there
	Dir      string // where its files and its data are; empty: a temporary folder
}

// Server is one nats-server in a process of its own.
type Server struct {
	URL  string // for clients
	Name string // in the cluster
	Dir  string // of its files and its data

	config, health string
	log            string    // file, on another disk than the data may be
	cmd            *exec.Cmd // nil: not running
}

// Start starts a server and waits until it is ready. It ends with the test.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	s := prepare(t, "n1", opts)
	s.Start(t)
	s.WaitReady(t)
	return s
}

// prepare writes the configuration of a server that is not started yet.
func prepare(t testing.TB, name string, opts Options) *Server {
	t.Helper()
	s := &Server{Name: name, Dir: opts.Dir}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	client, monitor := FreeAddress(t), FreeAddress(t)
	s.URL, s.health = "nats://"+client, "http://"+monitor+"/healthz"
	s.config, s.log = filepath.Join(s.Dir, "nats.conf"), filepath.Join(t.TempDir(), "nats.log")
	text := fmt.Sprintf("server_name: %s\nlisten: %q\nhttp: %q\nmax_payload: 8388608\njetstream { store_dir: %q, max_file_store: 100GB }\n%s\n",
		name, client, monitor, s.Dir, opts.Settings)
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("%s: %s", name, s.logTail())
		}
	})
	return s
}

// Start starts the process on its folder, also again after Kill. It does not wait until the server is ready.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the process has its own
	s.cmd = exec.CommandContext(context.Background(), Binary(t), "-c", s.config)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		t.Fatal(err)
	}
}

// Kill is SIGKILL: nothing is tidied up. A server that does not run stays as it is.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Running tells whether the process was started and not killed.
func (s *Server) Running() bool { return s.cmd != nil }

// WaitReady waits until the server serves and, in a cluster, has caught up with all its streams.
func (s *Server) WaitReady(t testing.TB) {
	t.Helper()
	eventually(t, s.Name+" is not ready", s.ready)
}

func (s *Server) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.health, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("health: %s", answer.Status)
	}
	return nil
}

// Connect gives a connection to this server alone, which ends with the test.
func (s *Server) Connect(t testing.TB) *nats.Conn {
	t.Helper()
	var conn *nats.Conn
	eventually(t, s.Name+" takes no connection", func(context.Context) (err error) {
		conn, err = nats.Connect(s.URL, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.IgnoreDiscoveredServers())
		return err
	})
	t.Cleanup(conn.Close)
	return conn
}

// LogFile is where the server writes what it has to say.
func (s *Server) LogFile() string { return s.log }

// logTail is the end of what the server wrote.
func (s *Server) logTail() string {
	data, err := os.ReadFile(s.log)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-4000):])
}

// eventually tries until it works.
func eventually(t testing.TB, what string, try func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		once, end := context.WithTimeout(ctx, 2*time.Second)
		err := try(once)
		end()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s after %v: %v", what, patience, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
