package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Every case of the engine as a table: no crash, and the exit code that its expected document asks for.
func TestRunCases(t *testing.T) {
	const cases = "../../engine/testdata"
	paths, err := filepath.Glob(cases + "/cases/*.json")
	if err != nil || len(paths) != 147 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	for _, path := range paths {
		expected, err := os.ReadFile(filepath.Join(cases, "expected", filepath.Base(path)))
		if err != nil {
			t.Fatal(err)
		}
		want := exitOK
		if bytes.Contains(expected, []byte(`"issues"`)) {
			want = exitRefused
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"run", path}, streams{strings.NewReader(""), &out, &errs}); code != want {
			t.Errorf("%s: exit code %d, want %d: %s", filepath.Base(path), code, want, &errs)
		}
		if refused := want == exitRefused; refused != (errs.Len() > 0) || refused == (out.Len() > 0) {
			t.Errorf("%s: standard output %.100q, standard error %.100q", filepath.Base(path), &out, &errs)
		}
	}
}

// TestInterrupt sends Ctrl-C to a real process while it runs seeds, and while it waits for standard input.
func TestInterrupt(t *testing.T) {
	small, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.NewReplacer("ratePerSecond: 10", "ratePerSecond: 40", "durationSeconds: 10", "durationSeconds: 3000").Replace(string(small))
	for name, test := range map[string]struct {
		args  []string
		close bool
	}{
		"a long run":     {[]string{"run", "-", "--seeds", "1000"}, true},
		"standard input": {[]string{"check", "-"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := startProofload(t, test.args...)
			// More than a pipe holds: when it is written, the process reads, and so has its signal handler.
			if _, err := io.WriteString(p.stdin, long+strings.Repeat("# nothing\n", 20_000)); err != nil {
				t.Fatal(err)
			}
			if test.close {
				_ = p.stdin.Close()
			}
			time.Sleep(100 * time.Millisecond)
			if err := p.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = p.Wait()
			if code := p.ProcessState.ExitCode(); code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			if p.out.Len() > 0 || p.errs.String() != "proofload: interrupted\n" {
				t.Errorf("standard output %q, standard error %q", &p.out, &p.errs)
			}
		})
	}
}

// process is the program as a process.
type process struct {
	*exec.Cmd
	stdin     io.WriteCloser
	out, errs bytes.Buffer
}

// startProofload starts the test's own binary, which is proofload under that name (TestMain).
func startProofload(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.CommandContext(ctx, self, args...)}
	p.Args[0], p.Stdout, p.Stderr = "proofload", &p.out, &p.errs
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}
