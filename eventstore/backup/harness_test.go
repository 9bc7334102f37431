package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proofload/proofload/eventstore"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// log is an event store on an embedded server.
type log struct {
	t      testing.TB
	dir    string
	server *eventstore.Embedded
	store  *eventstore.Store
}

func openLog(t testing.TB, dir string) *log {
	t.Helper()
	server, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: dir})
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	store, err := eventstore.Open(t.Context(), server.Conn(), eventstore.Options{AnswerWait: time.Minute})
	must(t, err)
	return &log{t: t, dir: dir, server: server, store: store}
}

func newLog(t testing.TB) *log { return openLog(t, t.TempDir()) }

func profile(id string) eventstore.Aggregate {
	return eventstore.Aggregate{Workspace: "w1", Type: "profile", ID: id}
}

// save appends a commit that names a blob of this content, which is stored before it.
func (l *log) save(id string, after eventstore.Tail, content string) eventstore.Record {
	l.t.Helper()
	blob, err := l.store.PutBlob(l.t.Context(), []byte(content))
	must(l.t, err)
	return l.name(id, after, blob)
}

// name appends a commit that names a blob.
func (l *log) name(id string, after eventstore.Tail, blob string) eventstore.Record {
	l.t.Helper()
	r, err := l.store.Append(l.t.Context(), profile(id), after, commitOf(fmt.Sprintf(`{"profileId":%q,"blob":%q}`, id, blob)))
	must(l.t, err)
	return r
}

func commitOf(payload string) eventstore.Commit {
	return eventstore.Commit{
		CommandID: "cmd", Member: "admin", At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
		Events: []eventstore.Event{{Name: "ProfileSaved", Schema: 1, Data: json.RawMessage(payload)}},
	}
}

// fill saves n versions of each of two profiles, and puts two blobs that no event names, one of them no text.
func (l *log) fill(n int) {
	l.t.Helper()
	var a, b eventstore.Record
	for i := range n {
		a = l.save("a", a.Tail(), fmt.Sprintf(`{"seed":"%d","name":"é <&>\u2028"}`, i))
		b = l.save("b", b.Tail(), fmt.Sprintf(`{"seed":"b%d"}`, i))
	}
	for _, content := range [][]byte{{0, 0xff, 0xfe, '\n'}, {}} {
		_, err := l.store.PutBlob(l.t.Context(), content)
		must(l.t, err)
	}
}

// backUp writes a backup with small segments, so that there are several.
func (l *log) backUp(dir string) Backup {
	l.t.Helper()
	before := segmentBytes
	segmentBytes = 2000
	defer func() { segmentBytes = before }()
	b, err := Write(l.t.Context(), dir, FromStore(l.store), someOptions)
	must(l.t, err)
	return b
}

var someOptions = Options{Program: "proofload test", At: time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)}

// messages are all messages of a log as they are stored, without the times of the streams.
func (l *log) messages() map[string][]eventstore.Message {
	l.t.Helper()
	all := map[string][]eventstore.Message{}
	for _, name := range streamNames {
		state, err := l.store.State(l.t.Context(), name)
		must(l.t, err)
		must(l.t, l.store.Messages(l.t.Context(), state, func(m eventstore.Message) error {
			m.Time, m.Data = time.Time{}, bytes.Clone(m.Data)
			all[name] = append(all[name], m)
			return nil
		}))
	}
	return all
}

// entries are the names in a folder; none when it is not there.
func entries(t testing.TB, dir string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return names
}

// copyFolder copies the files of a backup.
func copyFolder(t testing.TB, from, to string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
}

// given is a source of messages that need not be a log.
func given(streams map[string][]eventstore.Message) Source {
	return func(_ context.Context, to sink) error {
		for _, name := range streamNames {
			var last uint64
			if all := streams[name]; len(all) > 0 {
				last = all[len(all)-1].Seq
			}
			if err := to.begin(eventstore.StreamState{Name: name, Position: eventstore.Position{Last: last, Created: someOptions.At}}); err != nil {
				return err
			}
			for _, m := range streams[name] {
				if err := to.message(m); err != nil {
					return err
				}
			}
			if err := to.end(); err != nil {
				return err
			}
		}
		return nil
	}
}

func in(dir, name string) string { return filepath.Join(dir, name) }
