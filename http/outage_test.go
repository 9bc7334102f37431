package http

import (
	"net/http"
	"strings"
	"testing"

	"github.com/proofload/proofload/eventstore"
)

// limit makes the stream of events take no more than the given bytes.
func (w *world) limit(bytes int64) {
	w.t.Helper()
	stream, err := w.store.JetStream().Stream(w.t.Context(), eventstore.StreamEvents)
	must(w.t, err)
	config := stream.CachedInfo().Config
	config.MaxBytes = bytes
	_, err = w.store.JetStream().UpdateStream(w.t.Context(), config)
	must(w.t, err)
}

// While the log takes nothing /readyz says so, until a write succeeds.
func TestAFullLogIsNotReady(t *testing.T) {
	w := newWorld(t)
	w.shop()
	create := request{method: http.MethodPost, path: "/api/projects", body: `{"name":"x"}`}
	ready := request{method: http.MethodGet, path: "/readyz"}
	w.limit(100)
	if got := w.send(create); got.status != 503 || got.problem(t).Type != "unavailable" || got.header.Get("Retry-After") != "30" ||
		!strings.Contains(got.problem(t).Detail, "no room") {
		t.Errorf("a command: %d %s %s", got.status, got.header.Get("Retry-After"), got.body)
	}
	if got := w.send(ready); got.status != 503 || got.problem(t).Type != "not_ready" || !strings.Contains(got.problem(t).Detail, "no room") {
		t.Errorf("/readyz: %d %s", got.status, got.body)
	}
	w.limit(1 << 30)
	if got := w.send(create); got.status != 201 {
		t.Errorf("a command afterwards: %d %s", got.status, got.body)
	}
	if got := w.send(ready); got.status != 200 {
		t.Errorf("/readyz afterwards: %d %s", got.status, got.body)
	}
}

// Without its event store the server answers that it is unavailable.
func TestAnOutageIsUnavailable(t *testing.T) {
	w := newWorld(t)
	w.shop()
	must(t, w.embedded.Close())
	for _, r := range []request{
		{method: http.MethodPost, path: "/api/projects", body: `{"name":"x"}`},
		{method: http.MethodGet, path: w.at("/model")},
		{method: http.MethodGet, path: "/api/log"},
	} {
		if got := w.send(r); got.status != 503 || got.problem(t).Type != "unavailable" {
			t.Errorf("%s %s: %d %s", r.method, r.path, got.status, got.body)
		}
	}
	if got := w.send(request{method: http.MethodGet, path: "/readyz"}); got.status != 503 {
		t.Errorf("/readyz: %d %s", got.status, got.body)
	}
}
