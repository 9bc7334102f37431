package main

import (
	"net"
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
