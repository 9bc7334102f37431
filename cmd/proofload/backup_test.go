package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/proofload/proofload/eventstore"
	api "github.com/proofload/proofload/http"
)

// refusedWith runs a command that has to fail with code 3, and gives what it says.
func refusedWith(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); code != exitError {
		t.Fatalf("%v: exit code %d, %s%s", args, code, out.String(), errs.String())
	}
	return errs.String()
}

func manifestOf(t *testing.T, text string) (shown shownBackup) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return shown
}

// A backup of a folder whose server runs is that of the folder alone, and restored it is the same log, in which all goes on.
func TestBackupAndRestore(t *testing.T) {
	parent := t.TempDir()
	data, restored := filepath.Join(parent, "data"), filepath.Join(parent, "restored")
	stop := served(t, data)
	id := project(t, data, "Shop")
	running := manifestOf(t, says(t, "backup", filepath.Join(parent, "running"), "--data", data, "--json"))
	stop()
	text := says(t, "backup", filepath.Join(parent, "stopped"), "--data", data)
	for _, part := range []string{"backed up to " + filepath.Join(parent, "stopped"), "position 4: 4 commits (", ", 0 documents and results (0 bytes)", "1 files with data ("} {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
	stopped := manifestOf(t, says(t, "backup", "--verify", filepath.Join(parent, "stopped"), "--json"))
	for i := range running.Streams {
		if running.Streams[i].Totals != stopped.Streams[i].Totals {
			t.Errorf("with the server %+v, without %+v", running.Streams[i].Totals, stopped.Streams[i].Totals)
		}
	}
	if got := says(t, "restore", filepath.Join(parent, "running"), "--data", restored); !strings.Contains(got, "start it: proofload serve --data "+restored) {
		t.Errorf("%s", got)
	}
	before := says(t, "events", "--data", data, "--json")
	defer served(t, restored)()
	project(t, restored, "Later") // the read models show the log then, names of members too
	after := says(t, "events", "--data", restored, "--json")
	if !strings.HasPrefix(after, before) { // behind it stands the token of the new folder
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	o := serverOptions{data: restored}
	if err := o.through(t.Context(), func(c *serverClient) error {
		var projects api.List[api.Project]
		err := c.call(t.Context(), "GET", "/api/projects", nil, &projects)
		if len(projects.Items) != 2 || projects.Items[0].ID != id {
			t.Errorf("%+v", projects)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// The administrator of a server somewhere else takes a backup with --server; nobody else does.
func TestBackupOfAServer(t *testing.T) {
	parent := t.TempDir()
	n := startTestNode(t, filepath.Join(parent, "data"))
	defer n.stop(t)
	t.Setenv(tokenVariable, n.token)
	says(t, "backup", filepath.Join(parent, "b"), "--server", n.url())
	says(t, "backup", filepath.Join(parent, "b"), "--verify")
	t.Setenv(tokenVariable, "pl_wrong")
	if got := refusedWith(t, "backup", filepath.Join(parent, "c"), "--server", n.url()); !strings.Contains(got, "no backup was made") || !strings.Contains(got, "401 unauthenticated") {
		t.Errorf("%s", got)
	}
	if _, err := os.Stat(filepath.Join(parent, "c")); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

// Where a log is, or nobody knows what, nothing is restored, and the way out is told.
func TestRestoreRefuses(t *testing.T) {
	parent := t.TempDir()
	data, backup := filepath.Join(parent, "data"), filepath.Join(parent, "b")
	stop := served(t, data)
	says(t, "backup", backup, "--data", data)
	if got := refusedWith(t, "restore", backup, "--data", data); !strings.Contains(got, "in use") || !strings.Contains(got, "mv "+data+" "+data+".old") {
		t.Errorf("a folder that is served: %s", got)
	}
	stop()
	if got := refusedWith(t, "restore", backup, "--data", data); !strings.Contains(got, "is not empty") || !strings.Contains(got, "mv "+data) {
		t.Errorf("a folder with a log: %s", got)
	}
	if got := refusedWith(t, "backup", backup, "--data", data); !strings.Contains(got, "is not empty") {
		t.Errorf("a backup is there: %s", got)
	}
	if got := refusedWith(t, "backup", filepath.Join(parent, "c"), "--data", filepath.Join(parent, "none")); !strings.Contains(got, "no server runs on") {
		t.Errorf("a folder that is not there: %s", got)
	}
	if got := refusedWith(t, "restore", data, "--data", filepath.Join(parent, "new")); !strings.Contains(got, "nothing was restored") || !strings.Contains(got, "no finished backup") {
		t.Errorf("what is no backup: %s", got)
	}
	segment := filepath.Join(backup, "EVT-000001.jsonl.gz")
	if err := os.Truncate(segment, 100); err != nil {
		t.Fatal(err)
	}
	if got := refusedWith(t, "restore", backup, "--data", filepath.Join(parent, "new")); !strings.Contains(got, "EVT-000001.jsonl.gz was changed") {
		t.Errorf("a damaged backup: %s", got)
	}
	for _, name := range []string{"new", "new.restoring", "c", "c.partial"} {
		if _, err := os.Stat(filepath.Join(parent, name)); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

// What a killed restore has left is not served, and the same command takes it up.
func TestRestoreIsTakenUp(t *testing.T) {
	parent := t.TempDir()
	data, restored, copied := filepath.Join(parent, "data"), filepath.Join(parent, "restored"), filepath.Join(parent, "b")
	stop := served(t, data)
	project(t, data, "Shop")
	stop()
	id := manifestOf(t, says(t, "backup", copied, "--data", data, "--json")).ID
	half(t, restored+".restoring", id)
	if got := refusedWith(t, "serve", "--data", restored+".restoring", "--listen", "127.0.0.1:0"); !strings.Contains(got, "give the same proofload restore command again") {
		t.Errorf("serve: %s", got)
	}
	must(t, os.RemoveAll(restored+".restoring"))
	for _, of := range []string{id, "another"} { // gone on with, and begun anew
		half(t, restored+".restoring", of)
		says(t, "restore", copied, "--data", restored)
		served(t, restored)()
		if _, err := os.Stat(restored + ".restoring"); !os.IsNotExist(err) {
			t.Errorf("%v", err)
		}
		must(t, os.RemoveAll(restored))
	}
	must(t, os.MkdirAll(restored+".restoring/mine", 0o700))
	if got := refusedWith(t, "restore", copied, "--data", restored); !strings.Contains(got, "holds mine, which no restore made") {
		t.Errorf("%s", got)
	}
}

// half begins a restore in a folder and leaves it.
func half(t *testing.T, dir, backup string) {
	t.Helper()
	server, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	must(t, err)
	_, err = eventstore.StartRestore(t.Context(), server.Conn(), eventstore.RestoreOptions{Backup: backup})
	must(t, err)
	must(t, server.Close())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
