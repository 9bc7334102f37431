package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
	"github.com/proofload/proofload/projections/pgtest"
)

// A NATS with accounts lets in who has credentials of one.
func TestCredentials(t *testing.T) {
	settings, err := os.ReadFile("testdata/operator/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	nats := natstest.Start(t, natstest.Options{Settings: string(settings)})
	args := []string{"token", "admin", "--nats", nats.URL, "--replicas", "1"}
	if code, text := exitOf(t, args...); code != exitError || !strings.Contains(text, "refuses to let us in") {
		t.Errorf("without credentials: exit code %d, %s", code, text)
	}
	if code, text := exitOf(t, append(args, "--nats-creds", "testdata/operator/user.creds")...); code != exitOK {
		t.Errorf("with credentials: exit code %d, %s", code, text)
	}
}

// The permissions that docs/howto/cluster.md shows are enough for a whole run.
func TestPermissions(t *testing.T) {
	var settings string
	for _, b := range readPage(t, "docs/howto/cluster.md").blocks {
		if strings.Contains(b.text, "permissions:") {
			settings = strings.Replace(b.text, "…", "geheim", 1)
		}
	}
	nats := natstest.Start(t, natstest.Options{Settings: settings})
	if _, err := eventstore.Connect(nats.URL); err == nil {
		t.Error("the NATS lets anybody in")
	}
	n, err := startNode(t.Context(), nodeOptions{
		nats: natsOptions{urls: strings.Replace(nats.URL, "nats://", "nats://proofload:geheim@", 1)}, dir: t.TempDir(),
		listenOptions: listenOptions{address: "127.0.0.1:0"}, adminTokenFile: chosenTokenFile(t), logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer serveNode(t, n).stop(t)
	if _, run, err := runExample(t.Context(), n); err != nil || run.Status != domain.StatusCompleted {
		t.Errorf("got %s and %v, want a completed run", run.Status, err)
	}
	if err := n.store.JetStream().Conn().LastError(); err != nil {
		t.Errorf("something was not permitted: %v", err)
	}
}

// A server starts before its PostgreSQL, and says what it waits for. A database that is not there, and a wrong password, are
// not waited for: they do not come by themselves. No password is shown.
func TestServeWaitsForPostgres(t *testing.T) {
	t.Parallel()
	nats, postgres := natstest.Start(t, natstest.Options{}), pgtest.Start(t)
	dsn := postgres.Database(t)
	args := func(dsn string) []string {
		return []string{
			"serve", "--nats", nats.URL, "--replicas", "1", "--postgres", dsn, "--data", t.TempDir(),
			"--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(t),
		}
	}
	postgres.Stop(t)
	early := program(t, args(dsn)...)
	early.says("the start waits")
	postgres.Start(t)
	early.says("proofload serves")
	early.stop()
	for _, wrong := range []string{dsn + "_none", "postgres://u:gehe/im@db/x"} {
		if code, text := exitOf(t, args(wrong)...); code != exitError || strings.Contains(text, "gehe") {
			t.Errorf("%s: exit code %d, %s", wrong, code, text)
		}
	}
}

// No command waits for JetStream where none is: it ends at once, and says what is missing.
func TestNATSWithoutJetStream(t *testing.T) {
	without := natstest.Start(t, natstest.Options{Settings: "jetstream: disabled"})
	accounts := natstest.Start(t, natstest.Options{Settings: "accounts { A { users: [{user: a, password: geheim}] } }"})
	parent := t.TempDir()
	backup := filepath.Join(parent, "b")
	data := filepath.Join(parent, "data")
	served(t, data)()
	says(t, "backup", backup, "--data", data)
	for want, url := range map[string]string{
		"that NATS has no JetStream":                without.URL,
		"the account of that NATS has no JetStream": strings.Replace(accounts.URL, "nats://", "nats://a:geheim@", 1),
	} {
		for _, args := range [][]string{
			{"serve", "--data", filepath.Join(parent, "other"), "--listen", "127.0.0.1:0"},
			{"worker"},
			{"token", "admin"},
			{"backup", filepath.Join(parent, "c")},
			{"restore", backup},
		} {
			began := time.Now()
			code, text := exitOf(t, append(args, "--nats", url)...)
			if code != exitError || !strings.Contains(text, want) || strings.Contains(text, "geheim") || strings.Contains(text, "the start waits") {
				t.Errorf("%v: exit code %d, %s", args, code, text)
			}
			if took := time.Since(began); tooLong(t, took, 20*time.Second) {
				t.Errorf("%v took %v", args, took)
			}
		}
	}
}
