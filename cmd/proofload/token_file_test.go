package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// Whatever became of the start before, a start ends with a file whose token opens the instance, and closes the
// tokens that were issued for it before.
func TestEachStartEndsWithATokenThatOpens(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, tokenFile)
	start := func() (text string) {
		t.Helper()
		n, err := startNode(t.Context(), nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := n.close(); err != nil {
				t.Error(err)
			}
		}()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", info.Mode(), err)
		}
		text = n.token
		if string(data) != text+"\n" {
			t.Errorf("the file holds %q, the token is %q", data, text)
		}
		if m, err := n.commands.Authenticate(t.Context(), text); err != nil || !m.Administrator {
			t.Errorf("the token gives %v, %v", m, err)
		}
		i, err := n.commands.Instance(t.Context())
		if err != nil || i.Tokens.Len() != 1 {
			t.Errorf("%d tokens are valid, %v", i.Tokens.Len(), err)
		}
		return text
	}
	first := start()
	if again := start(); again != first {
		t.Error("a start gives another token although the file is there")
	}
	for what, spoil := range map[string]func() error{
		"the file is missing":      func() error { return os.Remove(path) },
		"the file is empty":        func() error { return os.WriteFile(path, nil, 0o600) },
		"the token opens nothing":  func() error { return os.WriteFile(path, []byte("pl_other\n"), 0o600) },
		"a start died as it wrote": func() error { return errors.Join(os.Remove(path), os.WriteFile(path+"-1", []byte("pl_"), 0o600)) },
	} {
		before := start()
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if start() == before {
			t.Errorf("%s: the old token is given", what)
		}
	}
}

func TestASecretThatCannotBeWrittenEndsTheStart(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, tokenFile), 0o700); err != nil {
		t.Fatal(err)
	}
	n, err := startNode(t.Context(), nodeOptions{dir: dir, listenOptions: listenOptions{address: "127.0.0.1:0"}, logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_ = n.close()
		t.Fatal("it starts")
	}
}
