package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proofload/proofload/eventstore/natstest"
)

// A stop on a full disk, also soon after a write, has lost nothing: it is no error, and says what it could not write down.
func TestStopOnAFullDisk(t *testing.T) {
	natstest.OnSmallDisk(t, freeReserve+32<<20, func(disk *natstest.Disk) {
		f := &full{killedServer: &killedServer{t: t, dir: disk.Dir}, disk: disk, created: map[string]bool{}}
		server := f.serve()
		f.saveExample()
		f.wantAll("at first")
		disk.Fill(t, 0)
		server.stop() // which asks for exit code 0
		if text := server.errs.text(); !strings.Contains(text, "nothing that was acknowledged is lost") {
			t.Errorf("it says %s", text)
		}
		if left, err := filepath.Glob(filepath.Join(disk.Dir, "*.new")); len(left) > 0 || err != nil {
			t.Errorf("left is %v, %v", left, err)
		}
		backup := filepath.Join(t.TempDir(), "b") // now of all times
		says(t, "backup", backup, "--data", disk.Dir)
		says(t, "backup", "--verify", backup)
		disk.Clear(t)
		server.start()
		eventually(t, func() bool { return strings.Count(server.out.text(), "proofload serves") == 2 }, "it serves again")
		f.locate(server)
		f.wantAll("after a stop on a full disk")
		server.stop()
	})
}
