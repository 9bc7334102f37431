//go:build unix && !solaris && !aix && !netbsd && !openbsd

package eventstore

import "syscall"

// freeBytes is how much the disk of a folder takes before it is full, for a process without privileges.
func freeBytes(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return uint64(max(stat.Bavail, 0)) * uint64(stat.Bsize), nil //nolint:unconvert // the types differ by system
}
