package main

import (
	"bufio"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// A stop takes less than 10 s and is no error, whatever a client holds open.
func TestStopWithHalfABody(t *testing.T) {
	t.Parallel()
	s := serveProgram(t)
	conn := halfABody(t, strings.TrimPrefix(s.url, "http://"))
	defer func() { _ = conn.Close() }()
	began := time.Now()
	s.stop() // which asks for exit code 0
	if took := time.Since(began); took < shutdownTimeout || tooLong(t, took, stopTime) {
		t.Errorf("the stop took %v", took)
	}
}

// halfABody sends a request whose body does not come to its end, and is being read when this returns: the server has asked for it.
func halfABody(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	must(t, err)
	_, err = conn.Write([]byte("POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n"))
	must(t, err)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = conn.Write([]byte("{"))
	must(t, err)
	return conn
}

// A data folder that others can look into is told of, one that is made here is not.
func TestADataFolderForAll(t *testing.T) {
	for mode, warned := range map[os.FileMode]bool{0o755: true, 0o710: true, 0o700: false} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		s := serveFolder(t, dir)
		if log := s.errs.text(); strings.Contains(log, "others can look into the data folder") != warned {
			t.Errorf("mode %o: %s", mode, log)
		}
		s.stop()
	}
}
