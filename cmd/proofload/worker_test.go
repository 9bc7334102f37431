package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore/natstest"
)

const chosenToken = "a-token-that-the-operator-chose-0123456789-abcdef"

// chosenTokenFile is a file with chosenToken.
func chosenTokenFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(chosenToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// exitOf runs the command line in this process.
func exitOf(t *testing.T, args ...string) (code int, text string) {
	t.Helper()
	var out, errs bytes.Buffer
	ctx, stop := context.WithTimeout(t.Context(), patience) // it may serve where it should refuse
	defer stop()
	code = run(ctx, args, streams{strings.NewReader(""), &out, &errs})
	return code, out.String() + errs.String()
}

var workerName = regexp.MustCompile(`works as (\S+) on (\S+);`)

// Workers start before NATS and before the log are there, say what they wait for, and compute what a server that has no
// engine takes in. A stop in the middle of a run hands the run back.
func TestWorkers(t *testing.T) {
	t.Parallel()
	nats := natstest.Start(t, natstest.Options{Settings: `authorization { user: us, password: geheim }`})
	url := strings.Replace(nats.URL, "nats://", "nats://us:geheim@", 1)
	nats.Kill()
	health := natstest.FreeAddress(t)
	first := program(t, "worker", "--nats", url, "--health", health)
	first.says("cannot connect to NATS")
	nats.Start(t)
	first.says("the first server makes it")
	dir := t.TempDir()
	server := program(t, "serve", "--nats", url, "--replicas", "1", "--no-engine", "--data", dir, "--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(t))
	server.says("proofload serves")
	first.says("works as")
	if code, text := exitOf(t, "health", "http://"+health); code != exitOK || text != "ready\n" {
		t.Errorf("health of the worker: exit code %d, %s", code, text)
	}
	eventually(t, func() bool { code, _ := exitOf(t, "health", "--data", dir); return code == exitOK }, "the server is ready")

	s := &killedServer{t: t, url: servesAt.FindString(server.out.text()), token: chosenToken}
	want := undisturbed(t, s.save("", heavyBundle, heavyRate))
	log, follow := followRunsOn(t, url)
	id, _ := midRun(t, follow, []*daemon{first}, func() string { return s.requestRun(rand64()) })
	second := program(t, "worker", "--nats", url)
	second.says("works as")
	first.stop()
	if got := s.outcome(id); got.Status != "completed" || got.ResultHash != want {
		t.Errorf("run %+v, want it completed with %s", got, want)
	}
	if code, text := exitOf(t, "health", "http://"+health); code != exitNotReady {
		t.Errorf("health of a worker that is gone: exit code %d, %s", code, text)
	}
	if starts := startsOf(t, log, id); len(starts) != 2 || starts[0].worker == starts[1].worker {
		t.Errorf("the run was taken up by %v, want both workers", starts)
	}
	a, b := workerName.FindStringSubmatch(first.out.text()), workerName.FindStringSubmatch(second.out.text())
	if a == nil || b == nil || a[1] == b[1] || a[2] != nats.URL {
		t.Errorf("the workers are %q and %q", a, b)
	}
	second.stop()
	left := s.requestRun("nobody is left")
	time.Sleep(time.Second) // an engine takes a run up at once
	if status := s.statusNow(left); status != "queued" {
		t.Errorf("without workers the run is %s", status)
	}
	server.stop()
	for _, p := range []*daemon{first, second, server} {
		if text := p.out.text() + p.errs.text(); strings.Contains(text, "geheim") {
			t.Errorf("%q shows a password:\n%s", p.args, text)
		}
	}
}

// A worker whose NATS is gone is not ready, and is again when that is back.
func TestHealthOfAWorkerWithoutNATS(t *testing.T) {
	t.Parallel()
	nats := natstest.Start(t, natstest.Options{})
	if code, text := exitOf(t, "token", "admin", "--nats", nats.URL, "--replicas", "1"); code != exitOK {
		t.Fatal(text)
	}
	health := natstest.FreeAddress(t)
	w := program(t, "worker", "--nats", nats.URL, "--health", health)
	w.says("works as")
	nats.Kill()
	eventually(t, func() bool {
		code, text := exitOf(t, "health", "http://"+health)
		return code == exitNotReady && strings.Contains(text, "503")
	}, "not ready without NATS")
	if code, text := exitOf(t, "health", "http://"+health+"/healthz"); code != exitOK {
		t.Errorf("the process lives, and: exit code %d, %s", code, text)
	}
	nats.Start(t)
	eventually(t, func() bool { code, _ := exitOf(t, "health", "http://"+health); return code == exitOK }, "ready with NATS")
	w.stop()
}

func TestWorkerRefuses(t *testing.T) {
	nats := natstest.Start(t, natstest.Options{})
	for _, test := range []struct {
		says string
		args []string
	}{
		{"--nats is missing", []string{"worker"}},
		{"--nats-creds", []string{"worker", "--nats", nats.URL, "--nats-creds", filepath.Join(t.TempDir(), "none")}},
		{"--nats-ca", []string{"worker", "--nats", nats.URL, "--nats-ca", filepath.Join(t.TempDir(), "none")}},
		{"start with --replicas 1", []string{"serve", "--data", t.TempDir(), "--nats", nats.URL}},
		{"start with --replicas 1", []string{"token", "admin", "--nats", nats.URL}},
		{"--replicas 6", []string{"serve", "--data", t.TempDir(), "--nats", nats.URL, "--replicas", "6"}},
		{"--postgres needs --nats", []string{"serve", "--data", t.TempDir(), "--postgres", "postgres://u:geheim@db/x"}},
		{"--no-engine needs --nats", []string{"serve", "--data", t.TempDir(), "--no-engine"}},
		{"sync_interval", []string{"serve", "--data", t.TempDir(), "--nats", nats.URL, "--durability", "strict"}},
		{"need --nats", []string{"serve", "--data", t.TempDir(), "--nats-ca", "x"}},
	} {
		code, text := exitOf(t, test.args...)
		if code != exitError || !strings.Contains(text, test.says) || strings.Contains(text, "geheim") {
			t.Errorf("%q: exit code %d, %s; want 3 and %q", test.args, code, text, test.says)
		}
	}
}

// Two processes cannot use one folder for what they read from a log that is elsewhere.
func TestAFolderIsForOneServerOfACluster(t *testing.T) {
	nats := natstest.Start(t, natstest.Options{})
	dir := t.TempDir()
	args := []string{"serve", "--nats", nats.URL, "--replicas", "1", "--data", dir, "--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(t)}
	program(t, args...).says("proofload serves")
	if code, text := exitOf(t, args...); code != exitError || !strings.Contains(text, "in use") {
		t.Errorf("a second one: exit code %d, %s", code, text)
	}
}
