package eventstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRestartKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	s, e := startStore(t, dir)
	want := appendChain(t, s, profile("p"), 5)
	hash, err := s.PutBlob(t.Context(), []byte("document"))
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	s, _ = startStore(t, dir)
	if diff := cmp.Diff(want, mustLoad(t, s, profile("p"))); diff != "" {
		t.Error(diff)
	}
	if got, err := s.Blob(t.Context(), hash); err != nil || string(got) != "document" {
		t.Errorf("blob %q, %v", got, err)
	}
	after, err := s.Position(t.Context())
	if err != nil || after.Last != 5 || !after.Created.Equal(before.Created) {
		t.Errorf("position %+v, before %+v, %v", after, before, err)
	}
	mustAppend(t, s, profile("p"), TailOf(want), 6)
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	_, first := startStore(t, dir)
	_, err := StartEmbedded(EmbeddedOptions{Dir: dir})
	var locked *LockedError
	if !errors.Is(err, ErrLocked) || !errors.As(err, &locked) || locked.Dir != dir {
		t.Errorf("a second server on one folder: %v", err)
	}
	for _, words := range []string{dir, "--data", fmt.Sprintf("process %d", os.Getpid())} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("no %q in %q", words, err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	startStore(t, dir)
}

// A start that fails must not keep the folder.
func TestStartFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/jetstream", []byte("no folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := StartEmbedded(EmbeddedOptions{Dir: dir}); err == nil || errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "JetStream") {
		t.Errorf("a file in place of the store, without the cause: %v", err)
	}
	if err := os.Remove(dir + "/jetstream"); err != nil {
		t.Fatal(err)
	}
	startStore(t, dir)
}

func TestStrict(t *testing.T) {
	e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir(), Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !serverOptions(EmbeddedOptions{Strict: true}).SyncAlways || serverOptions(EmbeddedOptions{}).SyncAlways {
		t.Error("strict is not what syncs every message")
	}
	if got := serverOptions(EmbeddedOptions{}).SyncInterval; got != time.Second {
		t.Errorf("synced every %v", got)
	}
	appendChain(t, openStore(t, e), profile("p"), 2)
}

func TestServerLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	e, err := StartEmbedded(EmbeddedOptions{Dir: t.TempDir(), Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("a quiet start and stop logs:\n%s", &out)
	}
	newServerLog(log).Warnf("disk at %d %%", 80)
	if !strings.Contains(out.String(), "level=WARN msg=\"nats: disk at 80 %\"") {
		t.Errorf("the warning became %q", &out)
	}
}

// What has to be done as soon as the folder is taken is done before the server starts; when it fails, nothing starts.
func TestLockedComesFirst(t *testing.T) {
	dir, failed := t.TempDir(), errors.New("no")
	calls := 0
	locked := func() error {
		calls++
		if Held(dir) == nil {
			t.Error("the folder is free")
		}
		if _, err := os.Stat(filepath.Join(dir, "jetstream")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the server has started: %v", err)
		}
		return failed
	}
	if _, err := StartEmbedded(EmbeddedOptions{Dir: dir, Locked: locked}); !errors.Is(err, failed) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := Held(dir); err != nil {
		t.Errorf("the folder is still held: %v", err)
	}
}
