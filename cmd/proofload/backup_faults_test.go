package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/eventstore"
	api "github.com/proofload/proofload/http"
)

// projectNames are those that the read models of a folder's server show.
func projectNames(t *testing.T, o serverOptions) (names []string) {
	t.Helper()
	must(t, o.through(t.Context(), func(c *serverClient) error {
		var projects api.List[api.Project]
		err := c.call(t.Context(), http.MethodGet, "/api/projects?limit=200", nil, &projects)
		for _, p := range projects.Items {
			names = append(names, p.Name)
		}
		return err
	}))
	return names
}

// notReady waits until the server of a folder says that it is not ready, and gives what it says.
func notReady(t *testing.T, o serverOptions) (text string) {
	t.Helper()
	eventually(t, func() bool {
		err := o.through(t.Context(), func(c *serverClient) error {
			return c.call(t.Context(), http.MethodGet, "/readyz", nil, nil)
		})
		text = fmt.Sprint(err)
		return strings.Contains(text, "the projector has stopped")
	}, "not ready")
	return text
}

// An older copy of the log is put back beside the read models and the position of the newer one. Nothing is served until
// somebody says what is meant; who follows the advice has all that was backed up.
func TestOlderCopyOfTheLog(t *testing.T) {
	parent := t.TempDir()
	data, old, backup := filepath.Join(parent, "data"), filepath.Join(parent, "old"), filepath.Join(parent, "b")
	o := serverOptions{data: data}
	stop := served(t, data)
	project(t, data, "first")
	stop()
	must(t, os.CopyFS(old, os.DirFS(filepath.Join(data, "jetstream"))))
	stop = served(t, data)
	project(t, data, "second")
	says(t, "backup", backup, "--data", data)
	project(t, data, "after the backup")
	stop()
	must(t, errors.Join(os.RemoveAll(filepath.Join(data, "jetstream")), os.CopyFS(filepath.Join(data, "jetstream"), os.DirFS(old))))

	for _, args := range [][]string{{"serve", "--data", data, "--listen", "127.0.0.1:0"}, {"backup", filepath.Join(parent, "c"), "--data", data}} {
		if got := refusedWith(t, args...); !strings.Contains(got, "stream EVT ends at 4, and had reached 6") || !strings.Contains(got, "proofload restore") {
			t.Errorf("%s: %s", args[0], got)
		}
	}
	must(t, os.Remove(filepath.Join(data, markFile))) // the read models miss the commits too
	stop = served(t, data)
	if got := notReady(t, o); !strings.Contains(got, "show position 6, the stream ends at 4") || !strings.Contains(got, "proofload restore") {
		t.Errorf("%s", got)
	}
	if diff := cmp.Diff([]string{"first", "second", "after the backup"}, projectNames(t, o)); diff != "" {
		t.Errorf("lists show the old state meanwhile: %s", diff)
	}
	stop()
	must(t, os.Rename(data, data+".old"))
	says(t, "restore", backup, "--data", data)
	defer served(t, data)()
	project(t, data, "third")
	if diff := cmp.Diff([]string{"first", "second", "third"}, projectNames(t, o)); diff != "" {
		t.Error(diff)
	}
}

// requester sends requests to the server of a folder as its administrator.
func requester(t *testing.T, dir string) *killedServer {
	t.Helper()
	address, err := readAddress(dir)
	must(t, err)
	token, err := os.ReadFile(filepath.Join(dir, tokenFile))
	must(t, err)
	return &killedServer{t: t, dir: dir, url: address.URL, token: strings.TrimSpace(string(token))}
}

// A run that had ended is not run again, and the key with which it was asked for is still its own; one that was waiting
// is taken up.
func TestRestoredRuns(t *testing.T) {
	parent := t.TempDir()
	data, restored, backup := filepath.Join(parent, "data"), filepath.Join(parent, "restored"), filepath.Join(parent, "b")
	stop := served(t, data)
	s := requester(t, data)
	want := s.saveExample()
	ended := s.requestRun("ended")
	s.outcome(ended)
	stop()
	idle, err := startNode(t.Context(), nodeOptions{dir: data, listenOptions: listenOptions{address: "127.0.0.1:0"}, noEngine: true, logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	stop = serving(t, idle)
	s.url = idle.url()
	queued := s.requestRun("queued")
	says(t, "backup", backup, "--data", data)
	stop()
	before := commitsOf(t, data, ended)

	says(t, "restore", backup, "--data", restored)
	stop = served(t, restored)
	again := requester(t, restored)
	again.project, again.profile = s.project, s.profile
	if got := again.requestRun("ended"); got != ended {
		t.Errorf("the key of %s makes the run %s", ended, got)
	}
	if got := again.outcome(queued); got.Status != "completed" || got.ResultHash != want {
		t.Errorf("the run that waited: %+v", got)
	}
	if got := again.outcome(ended); got.Status != "completed" || got.ResultHash != want {
		t.Errorf("the run that had ended: %+v", got)
	}
	stop()
	checkLog(t, restored, map[string]bool{ended: true, queued: true})
	if diff := cmp.Diff(before, commitsOf(t, restored, ended)); diff != "" {
		t.Errorf("the commits of the run that had ended:\n%s", diff)
	}
}

// openedLog is a log in a folder that no process holds.
func openedLog(t *testing.T, dir string) (store *eventstore.Store, release func()) {
	t.Helper()
	server, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	must(t, err)
	store, err = eventstore.Open(t.Context(), server.Conn(), eventstore.Options{})
	must(t, err)
	return store, func() { must(t, server.Close()) }
}

// commitsOf are the commits of a run in a folder that no process holds.
func commitsOf(t *testing.T, dir, run string) []eventstore.Record {
	t.Helper()
	store, release := openedLog(t, dir)
	defer release()
	agg, err := store.Find(t.Context(), "run", run)
	must(t, err)
	records, err := store.Load(t.Context(), agg)
	must(t, err)
	return records
}

// messagesOf are the messages of a stream up to a position, without the times at which they were stored.
func messagesOf(t *testing.T, store *eventstore.Store, stream string, last uint64) (all []eventstore.Message) {
	t.Helper()
	state, err := store.State(t.Context(), stream)
	must(t, err)
	state.Last = min(last, state.Last)
	must(t, store.Messages(t.Context(), state, func(m eventstore.Message) error {
		all = append(all, eventstore.Message{Seq: m.Seq, Subject: m.Subject, Header: m.Header, Data: bytes.Clone(m.Data)})
		return nil
	}))
	return all
}

// sameMessage is what cmp takes many times as long for.
func sameMessage(a, b eventstore.Message) bool {
	return a.Seq == b.Seq && a.Subject == b.Subject && bytes.Equal(a.Data, b.Data) && maps.EqualFunc(a.Header, b.Header, slices.Equal)
}

// Backups are taken while four writers append and runs are computed: each is whole, and restored it is the log up to the
// position that it names.
func TestSoakBackupWhileAllWork(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	data := filepath.Join(parent, "data")
	n := startTestNode(t, data)
	stopped := make(chan struct{})
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for {
				select {
				case <-stopped:
					return
				case <-time.After(2 * time.Millisecond):
				}
				_, err := n.commands.CreateProject(t.Context(), commands.CreateProject{Meta: commands.Meta{Member: n.first.MemberID}, WorkspaceID: n.first.WorkspaceID, Name: "Shop"})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	s := requester(t, data)
	s.saveExample()
	runs := map[string]bool{}
	var made []shownBackup
	until := time.Now().Add(soakTime(t))
	for i := 0; i < 3 || time.Now().Before(until); i++ {
		runs[s.requestRun(fmt.Sprint("run", i))] = true
		dir := filepath.Join(parent, fmt.Sprint("b", i))
		made = append(made, manifestOf(t, says(t, "backup", dir, "--data", data, "--json")))
		says(t, "backup", "--verify", dir)
	}
	close(stopped)
	working.Wait()
	for id := range runs {
		s.outcome(id)
	}
	n.stop(t)
	for i, b := range made {
		restored := filepath.Join(parent, "restored")
		says(t, "restore", b.Dir, "--data", restored)
		original, release := openedLog(t, data)
		copied, releaseCopy := openedLog(t, restored)
		for _, of := range b.Streams {
			got, want := messagesOf(t, copied, of.Stream, 1<<62), messagesOf(t, original, of.Stream, of.Last)
			if uint64(len(got)) != of.Last || !slices.EqualFunc(want, got, sameMessage) {
				t.Errorf("backup %d, stream %s: %d messages, want %d: %.2000s", i, of.Stream, len(got), of.Last, cmp.Diff(want, got))
			}
		}
		release()
		releaseCopy()
		must(t, os.RemoveAll(restored))
	}
	checkLog(t, data, runs)
	t.Logf("%d backups, the last one up to %d", len(made), made[len(made)-1].Streams[0].Last)
}

// soakTime is how long a soak test goes on; 0: its short form.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("PROOFLOAD_SOAK")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	must(t, err)
	return d
}
