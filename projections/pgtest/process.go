//go:build unix

package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// binaries is the folder with initdb and postgres: that of PATH, else the newest of the usual places.
func binaries() (string, error) {
	var dirs []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin"} {
		found, _ := filepath.Glob(pattern) // the pattern is well formed
		slices.Reverse(found)
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("no PostgreSQL: install its server (apt: postgresql), or put its initdb into PATH")
}

// server is the user to run as: PostgreSQL refuses to run as root. nil: the user of this process.
func server() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // there is nothing to change
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL refuses to run as root: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// giveAway makes a folder the server's own, and reachable for who connects.
func giveAway(dir string) error {
	as, err := server()
	if err != nil || as == nil {
		return err
	}
	return errors.Join(os.Chmod(dir, 0o755), os.Chown(dir, int(as.Uid), int(as.Gid))) //nolint:gosec // the data below is private
}

// asServer lets a command run as the server does, in a group of its own: Ctrl-C in a terminal is for the tests.
func asServer(cmd *exec.Cmd) *exec.Cmd {
	as, _ := server() // giveAway has told the error
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setpgid: true}
	return cmd
}

// childrenOf gives the processes that a process started. Where there is no /proc it gives none: they end by themselves,
// a little later than their parent.
func childrenOf(parent int) []int {
	var children []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is well formed
	for _, path := range stats {
		text, err := os.ReadFile(path) //nolint:gosec // of the kernel
		if err != nil {
			continue // it has ended
		}
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // behind the name: state, parent, …
		if len(fields) < 2 || string(fields[1]) != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(path, "/")[2]); err == nil {
			children = append(children, pid)
		}
	}
	return children
}

// guard is a process that outlives this one by a moment: it stops the server in its folder and removes the folder when
// its input ends, and this process cannot end without that.
type guard struct {
	process *exec.Cmd
	input   io.Closer
}

const guardScript = `read -r _
[ ! -f data/postmaster.pid ] || kill -QUIT "$(head -n 1 data/postmaster.pid)" 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$PWD" 2>/dev/null && exit; sleep 0.2; done`

func startGuard(dir string) (*guard, error) {
	g := &guard{process: asServer(exec.Command("/bin/sh", "-c", guardScript))}
	g.process.Dir = dir
	var err error
	if g.input, err = g.process.StdinPipe(); err != nil {
		return nil, err
	}
	return g, g.process.Start()
}

func (g *guard) end() {
	_ = g.input.Close()
	_ = g.process.Wait()
}
