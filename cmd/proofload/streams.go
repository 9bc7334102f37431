package main

import (
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// writeJSON writes a value as one line.
func writeJSON(w io.Writer, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}

// checkedWriter keeps the first error of writing, so that a full disk gives an exit code.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// interruptible ends a read when the context ends: Ctrl-C works while a command waits for standard input.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

func (r interruptible) Read(data []byte) (n int, err error) {
	done := make(chan struct{})
	go func() {
		n, err = r.in.Read(data)
		close(done)
	}()
	select {
	case <-done:
		return n, err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}
