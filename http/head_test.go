package http

import (
	"net/http"
	"strings"
	"testing"
)

// TestHead: what answers GET answers HEAD with the same status and headers, and without a body.
func TestHead(t *testing.T) {
	w := newWorld(t)
	w.shop()
	paths := []string{}
	for _, r := range Routes() {
		if r.Method == http.MethodGet && !strings.Contains(r.Path, "{") {
			paths = append(paths, r.Path)
		}
	}
	for _, p := range webPages {
		paths = append(paths, p.path)
	}
	for _, path := range append(paths, w.at("/model"), w.at("/stress/profiles/{f}"), w.at("/nothing")) {
		got, head := w.send(request{method: http.MethodGet, path: path}), w.send(request{method: http.MethodHead, path: path})
		if head.status != got.status || len(head.body) != 0 || len(got.body) == 0 {
			t.Errorf("%s: HEAD %d with %d bytes, GET %d with %d", path, head.status, len(head.body), got.status, len(got.body))
		}
		for _, name := range []string{"Content-Type", "ETag"} {
			if head.header.Get(name) != got.header.Get(name) {
				t.Errorf("%s: %s %q, GET %q", path, name, head.header.Get(name), got.header.Get(name))
			}
		}
	}
}
