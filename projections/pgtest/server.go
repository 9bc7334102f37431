//go:build unix

package pgtest

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq" // registers the driver "postgres"
)

// startTime bounds a start, also one that recovers after a kill on a busy machine.
const startTime = time.Minute

// Server is a PostgreSQL server of its own, with a folder of its own. It is for one goroutine.
type Server struct {
	bin     string // folder of the binaries
	dir     string // data, log and socket
	options []string
	process *exec.Cmd  // nil: it does not run
	ended   chan error // gives the end of process
	guard   *guard
}

// Start starts a server that syncs its writes as one in production does. It is stopped and removed with the test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s, err := newServer()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if s.process != nil {
			s.Continue(tb) // or it would not stop
		}
		s.Stop(tb)
		s.guard.end()
	})
	return s
}

// newServer makes a cluster in a new folder and starts it. The folder goes away with this process, however it ends.
func newServer(options ...string) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	if err := giveAway(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &Server{bin: bin, dir: dir, options: options}
	if s.guard, err = startGuard(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.initialise(); err != nil {
		s.guard.end()
		return nil, err
	}
	if err := s.start(); err != nil {
		s.guard.end()
		return nil, err
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) initialise() error {
	cmd := asServer(exec.Command(filepath.Join(s.bin, "initdb"), "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C",
		"--username=postgres", "--pgdata="+s.data()))
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// DSN of the database postgres of the server, for lib/pq. Further settings can be appended: the last one of a name counts.
func (s *Server) DSN() string {
	return "host=" + s.dir + " user=postgres sslmode=disable dbname=postgres"
}

// Start starts the server again after Stop or Kill, with the data that it had.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	err := s.start()
	for end := time.Now().Add(startTime); err != nil && strings.Contains(err.Error(), "is still in use") && time.Now().Before(end); err = s.start() {
		time.Sleep(10 * time.Millisecond) // a process that Kill did not see yet ends when it misses its server
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func (s *Server) start() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	s.process = asServer(exec.Command(filepath.Join(s.bin, "postgres"), append([]string{
		"-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "unix_socket_permissions=0777",
	}, s.options...)...))
	s.process.Dir, s.process.Stdout, s.process.Stderr = s.dir, log, log
	if err := s.process.Start(); err != nil {
		s.process = nil
		return err
	}
	process, ended := s.process, make(chan error, 1)
	s.ended = ended
	go func() { ended <- process.Wait() }()
	return s.ready()
}

// ready waits until the server answers.
func (s *Server) ready() error {
	db, err := sql.Open("postgres", s.DSN())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for end := time.Now().Add(startTime); ; {
		if err = db.Ping(); err == nil {
			return nil
		}
		select {
		case ended := <-s.ended:
			s.process = nil
			return fmt.Errorf("PostgreSQL ended: %w\n%s", ended, s.logEnd())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, s.logEnd())
		}
	}
}

// logEnd is the last that the server wrote.
func (s *Server) logEnd() []byte {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))
}

// Stop ends all connections and stops the server in good order.
func (s *Server) Stop(tb testing.TB) {
	tb.Helper()
	s.signal(tb, syscall.SIGINT)
}

// Kill ends the server and all its processes with SIGKILL, as a machine does that loses its power.
func (s *Server) Kill(tb testing.TB) {
	tb.Helper()
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(syscall.SIGSTOP) // or it would start others meanwhile
	for _, pid := range childrenOf(s.process.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	s.signal(tb, syscall.SIGKILL)
}

func (s *Server) signal(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Fatal(err)
	}
	select {
	case <-s.ended: // killed or not, it has ended
	case <-time.After(startTime):
		tb.Fatalf("PostgreSQL does not end\n%s", s.logEnd())
	}
	s.process = nil
}
