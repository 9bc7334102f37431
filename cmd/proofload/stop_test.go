package main

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// A stop takes less than 10 s and is no error, whatever a client holds open.
func TestStopWithHalfABody(t *testing.T) {
	s := serveProgram(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // until the request is being answered
	began := time.Now()
	s.stop() // which asks for exit code 0
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("the stop took %v", took)
	}
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
