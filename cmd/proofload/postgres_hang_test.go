package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore/natstest"
	"github.com/proofload/proofload/projections/pgtest"
)

// While PostgreSQL hangs a server answers reads with 503 within 15 s, and a stop takes less than 10 s.
func TestServeWhilePostgresHangs(t *testing.T) {
	t.Parallel()
	nats, postgres := natstest.Start(t, natstest.Options{}), pgtest.Start(t)
	file := chosenTokenFile(t)
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := program(t, "serve", "--nats", nats.URL, "--replicas", "1", "--postgres", postgres.Database(t), "--data", t.TempDir(),
		"--listen", "127.0.0.1:0", "--admin-token-file", file)
	p.says("proofload serves")
	url := servesAt.FindString(p.out.text())
	list := func() int {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/projects", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		began := time.Now()
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Logf("no answer after %v: %v", time.Since(began), err)
			return 0
		}
		_ = answer.Body.Close()
		t.Logf("%d after %v", answer.StatusCode, time.Since(began))
		return answer.StatusCode
	}
	for range 10 { // the connections are open
		if status := list(); status != http.StatusOK {
			t.Fatalf("before: %d", status)
		}
	}
	postgres.Pause(t)
	for range 2 {
		if status := list(); status != http.StatusServiceUnavailable {
			t.Errorf("while it hangs: %d", status)
		}
	}
	pending := make(chan int)
	go func() { pending <- list() }()
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	p.stop() // which asks for less than 10 s
	<-pending
	t.Logf("stopped after %v", time.Since(began))
}
