package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proofload/proofload/eventstore/natstest"
)

// freeReserve is what the server keeps free on the disk of its data folder, as docs/howto/faults.md says.
const freeReserve = 64 << 20

// full is a server whose disk is full.
type full struct {
	*killedServer
	disk    *natstest.Disk
	created map[string]bool // the names of the projects that were acknowledged
}

// create asks for a project and gives the answer.
func (f *full) create() reply {
	f.t.Helper()
	name := rand64()
	r := send(f.t, f.killedServer, http.MethodPost, "projects", fmt.Sprintf(`{"name":%q}`, name), http.Header{"Idempotency-Key": {name}})
	if r.status == http.StatusCreated {
		f.created[name] = true
	}
	return r
}

// wantRefused expects that a write is refused, and that reads go on.
func (f *full) wantRefused(when string) {
	f.t.Helper()
	var p struct{ Type, Detail string }
	r := f.create()
	if err := json.Unmarshal([]byte(r.body), &p); err != nil || r.status != http.StatusServiceUnavailable || p.Type != "unavailable" ||
		r.header.Get("Retry-After") != "30" || !strings.Contains(p.Detail, "no room") {
		f.t.Errorf("%s: a write is answered %d %s %s", when, r.status, r.header.Get("Retry-After"), r.body)
	}
	if r := send(f.t, f.killedServer, http.MethodGet, "/readyz", "", nil); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "no room") {
		f.t.Errorf("%s: /readyz is %d %s", when, r.status, r.body)
	}
	for _, path := range []string{"projects", f.project + "/stress/runs", f.project + "/model", "log"} {
		if r := send(f.t, f.killedServer, http.MethodGet, path, "", nil); r.status != http.StatusOK {
			f.t.Errorf("%s: GET %s is %d %s", when, path, r.status, r.body)
		}
	}
}

// wantAll expects that the server is ready, takes a write, and shows all that was acknowledged.
func (f *full) wantAll(when string) {
	f.t.Helper()
	ready := func() bool {
		return send(f.t, f.killedServer, http.MethodGet, "/readyz", "", nil).status == http.StatusOK
	}
	eventually(f.t, ready, "%s: ready", when)
	r := f.create()
	if r.status != http.StatusCreated {
		f.t.Errorf("%s: a write is answered %d %s", when, r.status, r.body)
	}
	names := map[string]bool{}
	o := &outage{killedServer: f.killedServer}
	for name, count := range o.projects() {
		if names[name] = true; count != 1 {
			f.t.Errorf("%s: %q is there %d times", when, name, count)
		}
	}
	for name := range f.created {
		if !names[name] {
			f.t.Errorf("%s: %q was acknowledged, and is gone", when, name)
		}
	}
}

// The disk of the data folder fills up, to the reserve and to the last byte, under a server and before its start. Writes are
// refused, reads go on, nothing is lost, and with room everything goes on without a restart, the read models too.
func TestSoakDiskFull(t *testing.T) {
	natstest.OnSmallDisk(t, freeReserve+32<<20, func(disk *natstest.Disk) {
		f := &full{killedServer: &killedServer{t: t, dir: disk.Dir}, disk: disk, created: map[string]bool{}}
		server := f.serve()
		want := f.saveExample()
		f.wantAll("at first")

		disk.Fill(t, freeReserve-1<<20)
		f.wantRefused("below the reserve")
		disk.Clear(t)
		f.wantAll("with room")

		disk.Fill(t, 0)
		f.wantRefused("on a full disk")
		disk.Clear(t)
		f.wantAll("with room again")

		server.stop()
		for _, path := range []string{"views.db", "views.db-wal", "views.db-shm"} {
			_ = os.Remove(filepath.Join(disk.Dir, path))
		}
		disk.Fill(t, 200<<10) // not even the read models can be made
		server.start()
		eventually(t, func() bool { return strings.Contains(server.errs.text(), "full") }, "it says that the disk is full: %s", server.errs.text())
		disk.Clear(t)
		eventually(t, func() bool {
			if server.done() { // it could not start, and ended a moment after it said so: an operator starts it again
				server.start()
			}
			return strings.Count(server.out.text(), "proofload serves") == 2
		}, "it serves again")
		f.locate(server)
		f.wantAll("after a start on a full disk")
		if got := f.outcome(f.requestRun("last")); got.Status != "completed" || got.ResultHash != want {
			t.Errorf("run %+v, want it completed with %s", got, want)
		}
		server.stop()
	})
}

// serve starts the server on the disk.
func (f *full) serve() *daemon {
	f.t.Helper()
	p := program(f.t, "serve", "--data", f.dir, "--listen", "127.0.0.1:0")
	p.says("proofload serves")
	f.locate(p)
	return p
}

// locate reads where the server answers, and its token.
func (f *full) locate(p *daemon) {
	f.t.Helper()
	all := servesAt.FindAllString(p.out.text(), -1)
	for _, url := range all {
		if !strings.Contains(url, "/login") {
			f.url = url
		}
	}
	token, err := os.ReadFile(filepath.Join(f.dir, tokenFile))
	if err != nil {
		f.t.Fatal(err)
	}
	f.token = strings.TrimSpace(string(token))
}
