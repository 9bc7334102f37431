package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/proofload/proofload/eventstore"
)

// A worker whose log can be read and takes no writes is not ready.
func TestAWorkerIsNotReadyWhileTheLogTakesNothing(t *testing.T) {
	embedded, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: t.TempDir()})
	must(t, err)
	defer func() { must(t, embedded.Close()) }()
	store, err := eventstore.Open(t.Context(), embedded.Conn(), eventstore.Options{})
	must(t, err)
	health, err := listenHealth(t.Context(), "127.0.0.1:0", store)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- health.serve(ctx) }()
	url := "http://" + health.listener.Addr().String()
	if status, body := answerOf(t, url+"/readyz"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	stream, err := store.JetStream().Stream(t.Context(), eventstore.StreamBlobs)
	must(t, err)
	config := stream.CachedInfo().Config
	config.MaxBytes = 1
	_, err = store.JetStream().UpdateStream(t.Context(), config)
	must(t, err)
	if _, err := store.PutBlob(t.Context(), []byte("result")); !errors.Is(err, eventstore.ErrFull) {
		t.Fatal(err)
	}
	if status, body := answerOf(t, url+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := answerOf(t, url+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	stop()
	must(t, <-served)
}

// A restore goes to a folder or to a NATS.
func TestRestoreToOnePlaceOnly(t *testing.T) {
	for _, more := range [][]string{{"--nats", "nats://127.0.0.1:1"}, {"--replicas", "1"}} {
		code, text := exitOf(t, append([]string{"restore", t.TempDir(), "--data", t.TempDir()}, more...)...)
		if code != exitError || !strings.Contains(text, "none of the others can be") {
			t.Errorf("%v: exit code %d, %s", more, code, text)
		}
	}
}
