package main

import (
	"debug/elf"
	"runtime"
	"testing"
)

// isDynamic says whether a program needs an interpreter or libraries. Only Linux programs are looked at: those of images.
func isDynamic(t *testing.T, path string) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		return false
	}
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			return true
		}
	}
	return false
}
