package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server that dies while it is asked for something is said to have died.
func TestAServerThatBreaksOff(t *testing.T) {
	for name, begin := range map[string]string{"before its answer": "", "in the middle of it": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write([]byte(begin))
			_ = conn.Close()
		}))
		client := &serverClient{url: server.URL, http: server.Client()}
		err := client.call(t.Context(), http.MethodPost, "/api/projections/views/rebuild", nil, nil)
		if err == nil || !strings.Contains(err.Error(), "broke off, before it had answered") {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}
