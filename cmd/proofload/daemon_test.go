package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a process may take for what it is waited for: tests share the machine with others.
const patience = 2 * time.Minute

// daemon is the program in a process of its own.
type daemon struct {
	t      *testing.T
	binary string
	env    []string // beside that of the tests
	args   []string

	cmd       *exec.Cmd
	ended     chan struct{}
	out, errs lockedBuffer
}

// program is the program in a process of its own, of the test binary (see TestMain).
func program(t *testing.T, args ...string) *daemon {
	t.Helper()
	p := &daemon{t: t, binary: ownProgram(t), args: args}
	p.start()
	return p
}

// ownProgram is the test binary under the name that makes it the program.
func ownProgram(t *testing.T) string {
	t.Helper()
	binary, err := exec.LookPath("proofload")
	must(t, err)
	return binary
}

// start starts the process, also again after kill. It ends with the test.
func (p *daemon) start() {
	p.t.Helper()
	p.cmd = exec.CommandContext(context.WithoutCancel(p.t.Context()), p.binary, p.args...)
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	cmd, ended := p.cmd, make(chan struct{})
	p.ended = ended
	go func() { _ = cmd.Wait(); close(ended) }()
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if text := p.errs.text(); p.t.Failed() && p.cmd == cmd {
			p.t.Logf("%q: %s", p.args, text[max(0, len(text)-3000):])
		}
	})
}

// says waits until the process has written a text.
func (p *daemon) says(text string) {
	p.t.Helper()
	eventually(p.t, func() bool { return strings.Contains(p.out.text()+p.errs.text(), text) || p.done() }, "%q", text)
	if !strings.Contains(p.out.text()+p.errs.text(), text) {
		p.t.Fatalf("%q ended without %q:\n%s%s", p.args, text, p.out.text(), p.errs.text())
	}
}

func (p *daemon) done() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// kill is SIGKILL: nothing is tidied up.
func (p *daemon) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// stopTime is how long a stop takes at most.
const stopTime = 10 * time.Second

// stop is what a supervisor does. It takes less than 10 s, and it is no error. A process that is paused goes on, and the first
// that it sees is the signal.
func (p *daemon) stop() {
	p.t.Helper()
	began := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("%q does not stop:\n%s", p.args, p.errs.text())
	}
	if took := time.Since(began); tooLong(p.t, took, stopTime) || p.cmd.ProcessState.ExitCode() != exitOK {
		p.t.Errorf("%q stopped after %v with exit code %d:\n%s", p.args, took, p.cmd.ProcessState.ExitCode(), p.errs.text())
	}
}

// tooLong says whether something took longer than is promised. A promise is for a machine that is not overloaded: on one on which
// a process waits for a processor most of the time the same work may take that many times as long.
func tooLong(t *testing.T, took, promised time.Duration) bool {
	t.Helper()
	if took <= promised {
		return false
	}
	factor := overload(t)
	t.Logf("it took %v instead of %v, while processes took %.1f times as long as they compute", took, promised, factor)
	return took.Seconds() > promised.Seconds()*factor
}

// overload is how many times as long as it computes a process takes at the moment: 1 where a processor is free for it.
func overload(t *testing.T) float64 {
	t.Helper()
	var took, computed time.Duration
	for range 5 {
		cmd := exec.CommandContext(t.Context(), ownProgram(t), "schema")
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		began := time.Now()
		must(t, cmd.Run())
		took += time.Since(began)
		computed += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return max(1, took.Seconds()/computed.Seconds())
}

// eventually tries until something holds.
func eventually(t *testing.T, holds func() bool, what string, args ...any) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("after %v not yet: "+what, append([]any{patience}, args...)...)
		}
	}
}
