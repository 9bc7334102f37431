package main

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/proofload/proofload/eventstore"
	api "github.com/proofload/proofload/http"
)

// says runs a command that has to succeed and gives what it prints.
func says(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs}); code != exitOK {
		t.Fatalf("%v: exit code %d, %s", args, code, errs.String())
	}
	return out.String()
}

// served serves a folder until the function is called.
func served(t *testing.T, dir string) (stop func()) {
	t.Helper()
	n, err := startNode(t.Context(), nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return serving(t, n)
}

// serving lets a node serve until the function is called.
func serving(t *testing.T, n *node) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.serve(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := n.close(); err != nil {
			t.Error(err)
		}
	}
}

// project makes a project in a folder, whoever serves it.
func project(t *testing.T, dir, name string) string {
	t.Helper()
	o := serverOptions{data: dir}
	var made api.Created
	if err := o.through(t.Context(), func(c *serverClient) error {
		return c.call(t.Context(), "POST", "/api/projects", api.NewProject{Name: name}, &made)
	}); err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// TestEvents prints the log of a folder that a server holds, and of one that none does: the same.
func TestEvents(t *testing.T) {
	dir := t.TempDir()
	stop := served(t, dir)
	id := project(t, dir, "Shop = open")
	running := says(t, "events", "--data", dir)
	stop()
	lines := strings.Split(strings.TrimSpace(running), "\n")
	want := regexp.MustCompile(`^4 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ admin project/` + id + ` ProjectCreated name="Shop = open"$`)
	if len(lines) != 5 || !want.MatchString(lines[4]) {
		t.Errorf("the last of %d lines is not %s:\n%s", len(lines), want, running)
	}
	if strings.Contains(running, "hash") || !strings.Contains(running, `TokenIssued`) {
		t.Errorf("the line of the token: %s", running)
	}
	if stopped := says(t, "events", "--data", dir); stopped != running {
		t.Errorf("without a server:\n%swith one:\n%s", stopped, running)
	}
	if got := says(t, "events", "--data", dir, "--after", "3"); strings.TrimSpace(got) != lines[4] {
		t.Errorf("after 3: %s", got)
	}
	if got := says(t, "events", "--data", dir, "--after", "3", "--json"); !strings.Contains(got, `"data":{"projectId":"`+id+`"`) || strings.Count(got, "\n") != 1 {
		t.Errorf("as JSON: %s", got)
	}
	if got := says(t, "events", "--data", dir, "--after", "4"); got != "" {
		t.Errorf("after the end: %s", got)
	}
}

func TestPayloadWords(t *testing.T) {
	words, err := payloadWords([]byte(`{"z":"a b","b":7,"blob":"x","modelBlob":"x","hash":"x","list":[1],"none":null,"known":"k","seed":"18446744073709551615","steer":"\u001b[2J","empty":""}`), "k")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(words, " "), `b=7 empty="" seed=18446744073709551615 steer="\x1b[2J" z="a b"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// unfit makes the checkpoint of a folder's read models lie ahead of the log.
func unfit(t *testing.T, dir string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "views.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE checkpoints SET seq = 999`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestProjections shows halted read models and makes them again: with a server, which goes on with them, and without.
func TestProjections(t *testing.T) {
	for _, running := range []bool{true, false} {
		t.Run(map[bool]string{true: "a server runs", false: "no server runs"}[running], func(t *testing.T) {
			dir := t.TempDir()
			served(t, dir)()
			unfit(t, dir)
			if running {
				stop := served(t, dir)
				defer stop()
			}
			if got := says(t, "projections", "rebuild", "--json", "--data", dir); !strings.Contains(got, `{"name":"views","position":"3","end":"3","trouble":""}`) {
				t.Errorf("rebuilt: %s", got)
			}
			project(t, dir, "Later")
			o := serverOptions{data: dir}
			if err := o.through(t.Context(), func(c *serverClient) error {
				var projects api.List[api.Project]
				err := c.call(t.Context(), "GET", "/api/projects?after=4", nil, &projects)
				if len(projects.Items) != 1 {
					t.Errorf("projects: %+v", projects)
				}
				return err
			}); err != nil {
				t.Errorf("the read models do not go on: %v", err)
			}
		})
	}
}

// A halted projector is shown with what to do.
func TestProjectionsStatus(t *testing.T) {
	dir := t.TempDir()
	stop := served(t, dir)
	if got := strings.Fields(says(t, "projections", "status", "--data", dir)); len(got) < 7 || got[4] != "views" || got[6] != "3" {
		t.Errorf("%v", got)
	}
	stop()
	unfit(t, dir)
	defer served(t, dir)()
	eventually(t, func() bool { return strings.Contains(says(t, "projections", "status", "--data", dir), "position 999") }, "the trouble is shown")
}

// A name that is none, and a folder in which nothing is.
func TestProjectionsRefuses(t *testing.T) {
	impatient(t)
	dir := t.TempDir()
	held, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: filepath.Join(dir, "held")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	served(t, filepath.Join(dir, "data"))()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"projections", "rebuild", "nothing", "--data", filepath.Join(dir, "data")}, "projection nothing: not found"},
		{[]string{"projections", "rebuild", "a", "b"}, "at most 1 arg"},
		{[]string{"events", "--data", filepath.Join(dir, "none")}, "no server runs on"},
		{[]string{"events", "--data", filepath.Join(dir, "held")}, "is in use by another proofload"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), test.args, streams{strings.NewReader(""), &out, &errs})
		if code != exitError || !strings.Contains(errs.String(), test.want) {
			t.Errorf("%v: exit code %d, %q; want 3 and %q", test.args, code, errs.String(), test.want)
		}
	}
}
