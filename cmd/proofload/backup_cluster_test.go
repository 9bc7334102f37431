package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
	api "github.com/proofload/proofload/http"
	"github.com/proofload/proofload/projections/pgtest"
)

// onCluster is a server that keeps its log on a NATS and its read models in PostgreSQL.
type onCluster struct {
	t      *testing.T
	nats   *natstest.Server
	dsn    string
	parent string
	serverOptions
	daemon *daemon
}

// serve starts the server on a data folder.
func (c *onCluster) serve(dir string) {
	c.t.Helper()
	c.data = filepath.Join(c.parent, dir)
	c.daemon = program(c.t, "serve", "--nats", c.nats.URL, "--postgres", c.dsn, "--replicas", "1", "--data", c.data, "--listen", "127.0.0.1:0", "--admin-token-file", chosenTokenFile(c.t))
	c.daemon.says("proofload serves")
}

// create makes a project, whatever the read models do.
func (c *onCluster) create(name string) {
	c.t.Helper()
	must(c.t, c.through(c.t.Context(), func(client *serverClient) error {
		var made api.Created
		return client.call(c.t.Context(), http.MethodPost, "/api/projects", api.NewProject{Name: name}, &made)
	}))
}

func (c *onCluster) shows(want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, projectNames(c.t, c.serverOptions)); diff != "" {
		c.t.Errorf("the lists: %s", diff)
	}
}

// removeStreams is what nats stream rm does.
func (c *onCluster) removeStreams() {
	c.t.Helper()
	conn := c.nats.Connect(c.t)
	defer conn.Close()
	js, err := jetstream.New(conn)
	must(c.t, err)
	must(c.t, errors.Join(js.DeleteStream(c.t.Context(), eventstore.StreamEvents), js.DeleteStream(c.t.Context(), eventstore.StreamBlobs)))
}

// A log is restored from a backup while PostgreSQL holds the read models of the log before, which had gone on: the server says
// so and what to do; commands work meanwhile, and after the advice was followed all that was backed up is there.
func TestRestoreBelowReadModelsThatAreAhead(t *testing.T) {
	t.Setenv(tokenVariable, chosenToken)
	c := &onCluster{t: t, nats: natstest.Start(t, natstest.Options{}), dsn: pgtest.Database(t), parent: t.TempDir()}
	backup := filepath.Join(c.parent, "b")
	if got := refusedWith(t, "backup", backup, "--nats", c.nats.URL); !strings.Contains(got, "the log is not there yet") {
		t.Errorf("a backup of nothing: %s", got)
	}
	c.serve("data")
	c.create("first")
	c.create("second")
	says(t, "backup", backup, "--nats", c.nats.URL)
	c.create("after the backup")
	c.shows("first", "second", "after the backup")
	c.daemon.stop()

	restore := []string{"restore", backup, "--nats", c.nats.URL, "--replicas", "1"}
	if got := refusedWith(t, restore...); !strings.Contains(got, "there is a log already") || !strings.Contains(got, "nats stream rm EVT") {
		t.Errorf("over a log: %s", got)
	}
	c.removeStreams()
	if got := says(t, restore...); !strings.Contains(got, "proofload projections rebuild") {
		t.Errorf("%s", got)
	}
	c.serve("data")
	if got := notReady(t, c.serverOptions); !strings.Contains(got, "503") || !strings.Contains(got, "this one was created at") || !strings.Contains(got, "proofload projections rebuild") {
		t.Errorf("/readyz: %s", got)
	}
	c.daemon.says("the read models have stopped")
	c.create("meanwhile")
	if err := c.through(t.Context(), func(client *serverClient) error {
		return client.call(t.Context(), http.MethodGet, "/api/projects", nil, nil)
	}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("the lists are those of the log before: %v", err)
	}
	says(t, "projections", "rebuild", "--data", c.data)
	c.shows("first", "second", "meanwhile")
	c.create("last")
	c.shows("first", "second", "meanwhile", "last")
	c.daemon.stop()
}

// The folder of a NATS server is put back as it was before: the same streams, shorter. A server that knows how far they had
// come does not start, one that does not know it serves what PostgreSQL has and says what happened.
func TestOlderCopyOfANATS(t *testing.T) {
	t.Setenv(tokenVariable, chosenToken)
	c := &onCluster{t: t, nats: natstest.Start(t, natstest.Options{}), dsn: pgtest.Database(t), parent: t.TempDir()}
	backup, old := filepath.Join(c.parent, "b"), filepath.Join(c.parent, "old")
	c.serve("data")
	c.create("first")
	c.daemon.stop()
	c.nats.Kill()
	must(t, os.CopyFS(old, os.DirFS(c.nats.Dir)))
	c.nats.Start(t)
	c.nats.WaitReady(t)
	c.serve("data")
	c.create("second")
	says(t, "backup", backup, "--data", c.data)
	c.daemon.stop()
	c.nats.Kill()
	must(t, errors.Join(os.RemoveAll(c.nats.Dir), os.CopyFS(c.nats.Dir, os.DirFS(old))))
	c.nats.Start(t)
	c.nats.WaitReady(t)

	if got := refusedWith(t, "serve", "--nats", c.nats.URL, "--postgres", c.dsn, "--replicas", "1", "--data", c.data, "--listen", "127.0.0.1:0"); !strings.Contains(got, "and had reached") || !strings.Contains(got, "proofload restore") {
		t.Errorf("%s", got)
	}
	c.serve("another")
	if got := notReady(t, c.serverOptions); !strings.Contains(got, "the stream ends at") || !strings.Contains(got, "proofload restore") {
		t.Errorf("/readyz: %s", got)
	}
	c.shows("first", "second")
	c.daemon.stop()

	c.removeStreams()
	says(t, "restore", backup, "--nats", c.nats.URL, "--replicas", "1")
	c.serve("data")
	notReady(t, c.serverOptions)
	says(t, "projections", "rebuild", "--data", c.data)
	c.shows("first", "second")
	c.create("third")
	c.shows("first", "second", "third")
	c.daemon.stop()
}

// On a machine of a cluster the variables of its servers name the log; what the command line names goes before them.
func TestBackupByTheVariablesOfAServer(t *testing.T) {
	parent := t.TempDir()
	backup, folder, secret := filepath.Join(parent, "b"), filepath.Join(parent, "folder"), filepath.Join(parent, "nats-url")
	c := &onCluster{t: t, nats: natstest.Start(t, natstest.Options{})}
	must(t, os.WriteFile(secret, []byte(c.nats.URL+"\n"), 0o600))
	t.Setenv("PROOFLOAD_NATS_FILE", secret)
	t.Setenv("PROOFLOAD_REPLICAS", "1")
	t.Setenv("PROOFLOAD_DATA", filepath.Join(parent, "unused"))
	says(t, "token", "admin")
	says(t, "backup", backup)
	says(t, "backup", "--verify", backup)
	c.removeStreams()
	if got := says(t, "restore", backup); !strings.Contains(got, "restored to NATS from") {
		t.Errorf("without a flag: %s", got)
	}
	if got := says(t, "restore", backup, "--data", folder); !strings.Contains(got, "restored to "+folder) {
		t.Errorf("with --data: %s", got)
	}
	t.Setenv("PROOFLOAD_DATA", folder)
	if got := says(t, "events"); !strings.Contains(got, "TokenIssued") {
		t.Errorf("the events of PROOFLOAD_DATA: %s", got)
	}
}
