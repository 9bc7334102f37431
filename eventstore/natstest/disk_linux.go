package natstest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// inNamespace in the environment says that the test may mount, because it has a namespace of its own.
const inNamespace = "PROOFLOAD_TEST_NAMESPACE"

// Disk is a small disk, in memory.
type Disk struct{ Dir string }

// OnSmallDisk gives the test a disk of the size in bytes. Where the test has no right to mount it runs once more, in a
// namespace of its own (unshare -rm) in which it has.
func OnSmallDisk(t *testing.T, bytes int64, test func(*Disk)) {
	t.Helper()
	d := &Disk{Dir: t.TempDir()}
	err := syscall.Mount("proofload-test", d.Dir, "tmpfs", 0, sized(bytes))
	if errors.Is(err, syscall.EPERM) && os.Getenv(inNamespace) == "" {
		again := exec.CommandContext(context.WithoutCancel(t.Context()), "unshare", "-rm", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		again.Env = append(os.Environ(), inNamespace+"=1")
		out, err := again.CombinedOutput()
		if t.Logf("in a namespace: %s", out); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Unmount(d.Dir, syscall.MNT_DETACH) }() // a process that was killed may still have it
	test(d)
}

// Resize makes the disk larger, or smaller where nothing is.
func (d *Disk) Resize(t testing.TB, bytes int64) {
	t.Helper()
	if err := syscall.Mount("proofload-test", d.Dir, "tmpfs", syscall.MS_REMOUNT, sized(bytes)); err != nil {
		t.Fatal(err)
	}
}

// Fill puts a file on the disk that leaves so many bytes free.
func (d *Disk) Fill(t testing.TB, free int64) {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(d.Dir, &stat); err != nil {
		t.Fatal(err)
	}
	size := int64(stat.Bavail)*stat.Bsize - free
	file, err := os.Create(d.filler())
	if err == nil {
		err = errors.Join(syscall.Fallocate(int(file.Fd()), 0, 0, size), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Clear takes away what Fill put there.
func (d *Disk) Clear(t testing.TB) {
	t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		t.Fatal(err)
	}
}

func (d *Disk) filler() string { return filepath.Join(d.Dir, "filler") }

func sized(bytes int64) string { return fmt.Sprintf("size=%d", bytes) }
