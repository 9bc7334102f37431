//go:build unix

package pgtest

import (
	"syscall"
	"testing"
)

// Pause is SIGSTOP to the server and all its processes: it hangs, with its connections open, and takes new ones without
// a word.
func (s *Server) Pause(tb testing.TB) {
	tb.Helper()
	s.each(tb, syscall.SIGSTOP)
}

// Continue ends a Pause.
func (s *Server) Continue(tb testing.TB) {
	tb.Helper()
	s.each(tb, syscall.SIGCONT)
}

func (s *Server) each(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	parent := s.process.Process.Pid
	for _, pid := range append([]int{parent}, childrenOf(parent)...) { // the parent first: it starts no other then
		if err := syscall.Kill(pid, signal); err != nil && pid == parent {
			tb.Fatal(err)
		}
	}
}
