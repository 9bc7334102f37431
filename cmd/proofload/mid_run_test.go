package main

import (
	"syscall"
	"testing"
	"time"
)

// pause is SIGSTOP: the process stands still, with its connections open.
func (p *daemon) pause() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGSTOP))
}

// goOn ends a pause.
func (p *daemon) goOn() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGCONT))
}

// midRun requests a run and stops its worker in the middle of it, which is paused then. A quick machine may have ended the run
// before; then the next one is tried.
func midRun(t *testing.T, log *runLog, workers []*daemon, request func() (id string)) (id string, at *daemon) {
	t.Helper()
	for range 20 {
		id, worker := request(), ""
		for began := time.Now(); worker == ""; time.Sleep(time.Millisecond) {
			if worker, _ = log.at(id); time.Since(began) > patience {
				t.Fatalf("nobody takes run %s up", id)
			}
		}
		at := named(t, workers, worker)
		at.pause()
		time.Sleep(250 * time.Millisecond) // what it sent before is in the log then
		if _, ended := log.at(id); !ended {
			return id, at
		}
		at.goOn()
	}
	t.Fatal("20 runs were over before their worker could be stopped")
	return "", nil
}

// named is the worker of this name.
func named(t *testing.T, workers []*daemon, name string) *daemon {
	t.Helper()
	for _, w := range workers {
		if says := workerName.FindStringSubmatch(w.out.text()); says != nil && says[1] == name {
			return w
		}
	}
	t.Fatalf("%s is none of our workers", name)
	return nil
}
