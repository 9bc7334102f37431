package backup

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/proofload/proofload/eventstore"
)

// A log that is not whole is not backed up, and a backup of one does not pass: the error names the place.
func TestLogThatIsNotWhole(t *testing.T) {
	l := newLog(t)
	l.fill(3)
	good := l.messages()
	blobOf := func(n int) string { return strings.TrimPrefix(good["BLOB"][n].Subject, "blob.") }
	for _, test := range []struct {
		name   string
		change func(events, blobs []eventstore.Message) (newEvents, newBlobs []eventstore.Message)
		want   string
	}{
		{"a commit is missing", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			return slices.Delete(e, 2, 3), b
		}, "stream EVT, message 4 on evt.w1.profile.b: it comes after message 2"},
		{"a commit stands twice", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			return slices.Insert(e, 2, e[1]), b
		}, "stream EVT, message 2 on evt.w1.profile.b: it comes after message 2"},
		{"a commit was changed", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			e[0].Data = []byte(strings.Replace(string(e[0].Data), "admin", "edmin", 1))
			return e, b
		}, "stream EVT, message 3 on evt.w1.profile.a: it does not carry the hash of the aggregate's commit before it, message 1"},
		{"the first commit is of another aggregate", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			e[0].Subject = "evt.w1.profile.c"
			return e, b
		}, "stream EVT, message 3 on evt.w1.profile.a: it follows a commit of the aggregate that is not there"},
		{"no commit", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			e[5].Data = []byte("{}")
			return e, b
		}, "stream EVT, message 6 on evt.w1.profile.b: it is no commit"},
		{"a blob is missing", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			b = slices.Delete(b, 2, 3)
			for i := range b {
				b[i].Seq = uint64(i + 1)
			}
			return e, b
		}, "stream EVT, message 3: it names the blob " + blobOf(2) + ", which is not there (missing in all: 1)"},
		{"a blob was changed", func(e, b []eventstore.Message) ([]eventstore.Message, []eventstore.Message) {
			b[1].Data = append(b[1].Data, ' ')
			return e, b
		}, "stream BLOB, message 2 on blob." + blobOf(1) + ": its content has the SHA-256 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			events, blobs := test.change(slices.Clone(good["EVT"]), slices.Clone(good["BLOB"]))
			parent := t.TempDir()
			_, err := Write(t.Context(), in(parent, "b"), given(map[string][]eventstore.Message{"EVT": events, "BLOB": blobs}), someOptions)
			if !errors.Is(err, eventstore.ErrDamaged) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v\nwant %s", err, test.want)
			}
			if names := entries(t, parent); len(names) > 0 {
				t.Errorf("%v is left", names)
			}
		})
	}
}

// An event that names a blob that was never put is found in a real log.
func TestBlobThatNeverWas(t *testing.T) {
	l := newLog(t)
	l.fill(1)
	l.name("c", eventstore.Tail{}, strings.Repeat("0", 64))
	_, err := Write(t.Context(), in(t.TempDir(), "b"), FromStore(l.store), someOptions)
	if want := fmt.Sprintf("message 3: it names the blob %064d, which is not there", 0); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	l.name("d", eventstore.Tail{}, "x")
	_, err = Write(t.Context(), in(t.TempDir(), "b"), FromStore(l.store), someOptions)
	if err == nil || !strings.Contains(err.Error(), `message 4 on evt.w1.profile.d: ProfileSaved names the blob "x"`) {
		t.Errorf("%v", err)
	}
}

// Each part of a backup is changed, cut, removed and exchanged; each time the file is named, and nothing is restored.
func TestDamagedFiles(t *testing.T) {
	l := newLog(t)
	l.fill(20)
	whole := in(t.TempDir(), "b")
	l.backUp(whole)
	files := entries(t, whole)
	if len(files) < 6 {
		t.Fatalf("only %v", files)
	}
	refused := func(t *testing.T, dir string, either ...string) {
		t.Helper()
		_, err := Verify(t.Context(), dir, nil)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoBackup) {
			t.Fatalf("%v", err)
		}
		if !slices.ContainsFunc(either, func(name string) bool { return strings.Contains(err.Error(), name) }) {
			t.Errorf("%v does not name %v", err, either)
		}
	}
	for i, name := range files {
		other := files[(i+1)%len(files)]
		damage := func(what string, change func(dir string, data []byte)) {
			t.Run(name+" "+what, func(t *testing.T) {
				dir := in(t.TempDir(), "b")
				copyFolder(t, whole, dir)
				data, err := os.ReadFile(in(dir, name))
				must(t, err)
				change(dir, data)
				if what == "exchanged" {
					refused(t, dir, name, other)
					return
				}
				refused(t, dir, name)
			})
		}
		damage("with a flipped bit", func(dir string, data []byte) {
			data[len(data)/2] ^= 1
			must(t, os.WriteFile(in(dir, name), data, 0o600))
		})
		damage("cut", func(dir string, data []byte) { must(t, os.WriteFile(in(dir, name), data[:len(data)-5], 0o600)) })
		damage("empty", func(dir string, _ []byte) { must(t, os.WriteFile(in(dir, name), nil, 0o600)) })
		damage("removed", func(dir string, _ []byte) { must(t, os.Remove(in(dir, name))) })
		if strings.HasSuffix(name, ".gz") && strings.HasSuffix(other, ".gz") {
			damage("exchanged", func(dir string, _ []byte) {
				must(t, os.Rename(in(dir, name), in(dir, "x")))
				must(t, os.Rename(in(dir, other), in(dir, name)))
				must(t, os.Rename(in(dir, "x"), in(dir, other)))
			})
		}
	}
}

// A manifest that was edited together with the list of sums still has to fit the files.
func TestEditedManifest(t *testing.T) {
	l := newLog(t)
	l.fill(20)
	whole := in(t.TempDir(), "b")
	made := l.backUp(whole)
	second := made.Streams[0].Segments[1]
	for _, edit := range []struct{ from, to, want string }{
		{`"messages": 40`, `"messages": 41`, "says of stream EVT"},
		{`"bytes": ` + fmt.Sprint(made.Streams[0].Bytes), `"bytes": 1`, "says of stream EVT"},
		{`"digest": "`, `"digest": "0`, "says of stream EVT"},
		{`"last": "40"`, `"last": "39"`, "EVT"},
		{`"format": 1`, `"format": 2`, "has the format 2, this program reads 1"},
		{`"stream": "EVT"`, `"stream": "BLOB"`, `the stream "BLOB" in the place of EVT`},
		{`"program":`, `"programme":`, "unknown field"},
		{second.File, "../" + second.File, "in the place of " + second.File},
		{`"first": "` + fmt.Sprint(second.First), `"first": "` + fmt.Sprint(second.First+1), second.File + ": message "},
		{second.SHA256, strings.Repeat("0", 64), second.File + ": manifest.json and SHA256SUMS have different sums"},
	} {
		t.Run(edit.to, func(t *testing.T) {
			dir := in(t.TempDir(), "b")
			copyFolder(t, whole, dir)
			data, err := os.ReadFile(in(dir, manifestFile))
			must(t, err)
			edited := strings.Replace(string(data), edit.from, edit.to, 1)
			if edited == string(data) {
				t.Fatalf("the manifest has no %s", edit.from)
			}
			sums, err := os.ReadFile(in(dir, sumsFile))
			must(t, err)
			must(t, os.WriteFile(in(dir, manifestFile), []byte(edited), 0o600))
			must(t, os.WriteFile(in(dir, sumsFile), []byte(strings.Replace(string(sums), hexSum(data), hexSum([]byte(edited)), 1)), 0o600))
			if _, err := Verify(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), edit.want) {
				t.Errorf("%v\nwant %s", err, edit.want)
			}
		})
	}
}
