package main

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server whose read models do not show the log as it was at the start is alive and not ready: at the first start, and when
// they are made again after they were deleted.
func TestNotReadyBeforeTheReadModelsAreComplete(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		n, err := startNode(t.Context(), nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- n.listenAndServe() }() // the projector does not run yet
		if status, body := answerOf(t, n.url()+"/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, `"not_ready"`) || !strings.Contains(body, "how far the read models show the log") {
			t.Errorf("/readyz before anything was projected: %d %s", status, body)
		}
		if status, _ := answerOf(t, n.url()+"/healthz"); status != http.StatusOK {
			t.Errorf("/healthz: %d", status)
		}
		must(t, n.server.Close())
		must(t, <-served)
		must(t, n.close())

		whole := startTestNode(t, dir)
		eventually(t, func() bool { status, _ := answerOf(t, whole.url()+"/readyz"); return status == http.StatusOK }, "it becomes ready")
		whole.stop(t)
		for _, name := range []string{"views.db", "views.db-wal", "views.db-shm"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
}

func answerOf(t *testing.T, url string) (status int, body string) {
	t.Helper()
	response, err := http.Get(url)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(data)
}
