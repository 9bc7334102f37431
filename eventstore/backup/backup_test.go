package backup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/eventstore"
)

// A backup that is restored to a new folder gives the same messages at the same places, and the log goes on.
func TestRestoreIsTheSameLog(t *testing.T) {
	l := newLog(t)
	l.fill(20)
	want := l.messages()
	dir := in(t.TempDir(), "backups/today")
	made := l.backUp(dir)
	if names := entries(t, filepath.Dir(dir)); !slices.Equal(names, []string{"today"}) {
		t.Errorf("beside the backup stands %v", names)
	}
	if events := made.Streams[0]; events.First != 1 || events.Last != 40 || events.Messages != 40 || len(events.Segments) < 3 {
		t.Errorf("%+v", events)
	}
	found, err := Verify(t.Context(), dir, nil)
	must(t, err)
	if diff := cmp.Diff(made, found); diff != "" {
		t.Errorf("as it was made, as it is verified:\n%s", diff)
	}
	target := in(t.TempDir(), "data")
	must(t, found.RestoreFolder(t.Context(), target, nil))
	restored := openLog(t, target)
	if diff := cmp.Diff(want, restored.messages()); diff != "" {
		t.Errorf("restored:\n%s", diff)
	}
	last, err := restored.store.Last(t.Context(), profile("a"))
	must(t, err)
	if _, err := restored.store.Append(t.Context(), profile("a"), eventstore.Tail{}, commitOf(`{}`)); !errors.Is(err, eventstore.ErrRaced) {
		t.Errorf("an append that knows no commit: %v", err)
	}
	if r := restored.save("a", last.Tail(), "{}"); r.Seq != 41 {
		t.Errorf("the log goes on at %d", r.Seq)
	}
	again := restored.backUp(in(t.TempDir(), "again"))
	if again.Streams[0].Messages != 41 || again.ID == made.ID {
		t.Errorf("a backup of the restored log: %+v", again.Streams[0].Totals)
	}
}

// sha256sum finds nothing wrong with a backup.
func TestSumsAreThoseOfSha256sum(t *testing.T) {
	l := newLog(t)
	l.fill(3)
	dir := in(t.TempDir(), "b")
	l.backUp(dir)
	check := exec.CommandContext(t.Context(), "sha256sum", "--strict", "-c", sumsFile)
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil || bytes.Count(out, []byte(": OK")) != len(entries(t, dir))-1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// A log that is sent over a connection gives the same backup as one that is read where it is.
func TestReceivedIsTheSame(t *testing.T) {
	l := newLog(t)
	l.fill(10)
	var lines bytes.Buffer
	must(t, Send(t.Context(), l.store, &lines))
	here, err := Write(t.Context(), in(t.TempDir(), "here"), FromStore(l.store), someOptions)
	must(t, err)
	there, err := Write(t.Context(), in(t.TempDir(), "there"), Receive(&lines), someOptions)
	must(t, err)
	if here.ID != there.ID {
		t.Errorf("%+v and %+v", here.Streams, there.Streams)
	}
}

// A connection that is cut anywhere is noticed, and so are lines that were changed on the way.
func TestReceivedIsCutOrChanged(t *testing.T) {
	l := newLog(t)
	l.fill(2)
	var sent bytes.Buffer
	must(t, Send(t.Context(), l.store, &sent))
	receive := func(lines []byte) error {
		parent := t.TempDir()
		_, err := Write(t.Context(), in(parent, "b"), Receive(bytes.NewReader(lines)), someOptions)
		if names := entries(t, parent); len(names) > 0 {
			t.Errorf("%v is left", names)
		}
		return err
	}
	for cut := 0; cut < sent.Len()-1; cut += 97 {
		if err := receive(sent.Bytes()[:cut]); !errors.Is(err, ErrCut) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	for _, change := range []struct{ from, to, want string }{
		{`{"begin":{"format":1`, `{"begin":{"format":2`, "use the same version"},
		{`{"message":{"seq":"2"`, `{"message":{"seq":"3"`, "it comes after message 1"},
		{`"Command-Id":["cmd"]`, `"Command-Id":["cmp"]`, "came with the digest"},
		{`{"end":`, `{"error":"disk","end":`, "the server gave up: disk"},
		{`{"begin":`, `{"other":`, "a line that is none of a log"},
		{`{"begin":`, `[`, "a line that is none of a log"},
	} {
		err := receive([]byte(strings.Replace(sent.String(), change.from, change.to, 1)))
		if err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s for %s: %v", change.to, change.from, err)
		}
	}
}

// What fails while a log is sent stands in the last line.
func TestSendSaysWhatFailed(t *testing.T) {
	l := newLog(t)
	l.fill(1)
	ctx, cancel := context.WithCancel(t.Context())
	var sent bytes.Buffer
	err := Send(ctx, l.store, writerFunc(func(data []byte) (int, error) {
		cancel()
		return sent.Write(data)
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := Write(t.Context(), in(t.TempDir(), "b"), Receive(&sent), someOptions); err == nil || !strings.Contains(err.Error(), "the server gave up: context canceled") {
		t.Errorf("received: %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// A folder in which something is, or on which another process works, is left alone; what a killed backup has left is not
// in the way.
func TestWriteTakesAFreshFolder(t *testing.T) {
	l := newLog(t)
	l.fill(1)
	parent := t.TempDir()
	must(t, os.MkdirAll(in(parent, "full/x"), 0o700))
	if _, err := Write(t.Context(), in(parent, "full"), FromStore(l.store), someOptions); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a full folder: %v", err)
	}
	must(t, os.MkdirAll(in(parent, "empty"), 0o700))
	must(t, os.MkdirAll(in(parent, "empty.partial/old"), 0o700))
	must(t, os.WriteFile(in(parent, "empty.partial/EVT-000001.jsonl.gz"), nil, 0o600))
	_, err := Write(t.Context(), in(parent, "empty")+"/", FromStore(l.store), someOptions)
	must(t, err)
	if names := entries(t, in(parent, "empty")); !slices.Equal(names, []string{"BLOB-000001.jsonl.gz", "EVT-000001.jsonl.gz", "SHA256SUMS", "manifest.json"}) {
		t.Errorf("%v", names)
	}
	_, err = Write(t.Context(), in(parent, "twice"), func(ctx context.Context, to sink) error {
		_, err := Write(ctx, in(parent, "twice"), FromStore(l.store), someOptions)
		return err
	}, someOptions)
	if !errors.Is(err, ErrInUse) {
		t.Errorf("two at once: %v", err)
	}
	if names := entries(t, parent); !slices.Equal(names, []string{"empty", "full"}) {
		t.Errorf("%v", names)
	}
}

// What fails half way leaves nothing.
func TestWriteLeavesNothingHalf(t *testing.T) {
	l := newLog(t)
	l.fill(5)
	for _, fail := range []error{io.ErrShortWrite, context.Canceled} {
		parent := t.TempDir()
		_, err := Write(t.Context(), in(parent, "b"), func(ctx context.Context, to sink) error {
			err := FromStore(l.store)(ctx, all{to, &failing{at: 7, err: fail}})
			if _, open := Open(in(parent, "b")); !errors.Is(open, ErrNoBackup) {
				t.Errorf("meanwhile: %v", open)
			}
			return err
		}, someOptions)
		if !errors.Is(err, fail) || len(entries(t, parent)) > 0 {
			t.Errorf("%v, left is %v", err, entries(t, parent))
		}
	}
}

// failing is a sink that fails at a message of the events.
type failing struct {
	at  uint64
	err error
}

func (f *failing) begin(eventstore.StreamState) error { return nil }
func (f *failing) end() error                         { return nil }
func (f *failing) message(m eventstore.Message) error {
	if m.Seq == f.at {
		return f.err
	}
	return nil
}
