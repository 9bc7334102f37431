package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/proofload/proofload/eventstore"
	"github.com/proofload/proofload/eventstore/natstest"
	"github.com/proofload/proofload/projections/pgtest"
)

// startedCluster is what compose.yaml starts, as processes of this machine: with the commands, variables, files and
// secrets that stand there. Only addresses and folders are others, and PostgreSQL is that of the tests.
type startedCluster struct {
	t       *testing.T
	dir     string // secrets, and a folder for each service as its root
	compose composeFile
	binary  string // proofload
	nats    map[string]*daemon
	api     []*apiNode
	workers []*daemon
	natsURL string // with commas, user and password
	ports   map[string]string
}

// apiNode is a server of the cluster and a client of it.
type apiNode struct {
	process *daemon
	client  *killedServer // its calls only
	health  []string      // the command of its health check
}

// startCompose starts everything at once, as compose does: each process waits for what it needs.
func startCompose(t *testing.T) *startedCluster {
	t.Helper()
	c := &startedCluster{t: t, dir: t.TempDir(), compose: readCompose(t), binary: buildBinary(t), nats: map[string]*daemon{}, ports: map[string]string{}}
	c.makeSecrets()
	for _, name := range slices.Sorted(maps.Keys(c.compose.Services)) {
		s := c.compose.Services[name]
		for n := range max(1, s.Deploy.Replicas) {
			switch {
			case s.isNATS():
				c.startNATS(name, s)
			case s.ours() && s.Command[0] == "worker":
				c.startWorker(fmt.Sprint(name, n+1), s)
			case s.ours():
				c.startServer(name, s)
			}
		}
	}
	for _, w := range c.workers {
		w.says("works as")
	}
	for _, a := range c.api {
		a.process.says("proofload serves")
		a.client.url, a.client.token = servesAt.FindString(a.process.out.text()), strings.TrimSpace(c.secret("admin-token"))
	}
	return c
}

// makeSecrets runs the commands of the page, and puts the database of the tests in the place of the container.
func (c *startedCluster) makeSecrets() {
	c.t.Helper()
	var script string
	for _, b := range readPage(c.t, "docs/howto/cluster.md").blocks {
		if strings.Contains(b.text, "secrets/admin-token") {
			script = b.text
			break
		}
	}
	make := exec.CommandContext(c.t.Context(), "/bin/sh", "-eu", "-c", script)
	make.Dir = c.dir
	if out, err := make.CombinedOutput(); err != nil || script == "" {
		c.t.Fatalf("the commands of docs/howto/cluster.md: %v\n%s", err, out)
	}
	for name := range c.compose.Secrets {
		if len(c.secret(name)) < 43 {
			c.t.Errorf("the secret %s is short", name)
		}
	}
	c.natsURL = c.located("", strings.TrimSpace(c.secret("nats-url")))
	c.write("secrets/postgres-dsn", pgtest.Database(c.t))
}

func (c *startedCluster) secret(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, "secrets", name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

func (c *startedCluster) write(path, text string) string {
	c.t.Helper()
	path = filepath.Join(c.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// located puts what a service calls its own, or another service by name, where it is here.
func (c *startedCluster) located(service, text string) string {
	var pairs []string
	for name, s := range c.compose.Services {
		if s.isNATS() {
			pairs = append(pairs, name+":4222", c.address(name, "4222"), name+":6222", c.address(name, "6222"))
		}
	}
	for _, port := range []string{"4222", "6222", "8222", "7711", "7713"} {
		pairs = append(pairs, "0.0.0.0:"+port, c.address(service, port), "127.0.0.1:"+port, c.address(service, port))
	}
	root := filepath.Join(c.dir, service)
	pairs = append(pairs, "../../run/secrets", "../../run/secrets", "/etc/nats", root+"/etc/nats", "/run/secrets", root+"/run/secrets", `"/data"`, `"`+root+`/data"`)
	if text == "/data" {
		return root + "/data"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// address is a free address for a port of a service, always the same.
func (c *startedCluster) address(service, port string) string {
	key := service + ":" + port
	if c.ports[key] == "" {
		c.ports[key] = natstest.FreeAddress(c.t)
	}
	return c.ports[key]
}

// daemon prepares a process of a service in a root of its own, with its secrets.
func (c *startedCluster) daemon(name string, s composeService, binary string, words ...string) *daemon {
	d := &daemon{t: c.t, binary: binary}
	for _, secret := range s.Secrets {
		c.write(filepath.Join(name, "run", "secrets", secret), c.located(name, c.secret(secret)))
	}
	for _, config := range s.Configs {
		c.write(filepath.Join(name, config.Target), c.located(name, c.compose.Configs[config.Source].Content))
	}
	for variable, value := range s.Environment {
		d.env = append(d.env, variable+"="+c.located(name, value))
	}
	for _, word := range append(words, s.Command...) {
		d.args = append(d.args, c.located(name, word))
	}
	return d
}

func (c *startedCluster) startNATS(name string, s composeService) {
	c.t.Helper()
	d := c.daemon(name, s, natstest.Binary(c.t))
	checked := exec.CommandContext(c.t.Context(), d.binary, append([]string{"-t"}, d.args...)...)
	if out, err := checked.CombinedOutput(); err != nil {
		c.t.Fatalf("nats-server refuses the configuration of compose.yaml: %v\n%s", err, out)
	}
	d.start()
	c.nats[name] = d
}

// startWorker starts a worker with one slot: the tests share two processors.
func (c *startedCluster) startWorker(name string, s composeService) {
	c.t.Helper()
	d := c.daemon(name, s, c.binary)
	d.env = append(d.env, "GOMAXPROCS=1")
	d.start()
	c.workers = append(c.workers, d)
}

func (c *startedCluster) startServer(name string, s composeService) {
	c.t.Helper()
	a := &apiNode{process: c.daemon(name, s, c.binary), client: &killedServer{t: c.t}}
	for _, word := range s.Healthcheck.Test[2:] {
		a.health = append(a.health, c.located(name, word))
	}
	a.process.start()
	c.api = append(c.api, a)
}

// isHealthy runs the health check of a service as the container does.
func (c *startedCluster) isHealthy(d *daemon, words ...string) bool {
	check := exec.CommandContext(c.t.Context(), c.binary, words...)
	check.Env = append(os.Environ(), d.env...)
	return check.Run() == nil
}

// store opens the log beside the processes.
func (c *startedCluster) store() *eventstore.Store {
	c.t.Helper()
	conn, err := eventstore.Connect(c.natsURL, nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(conn.Close)
	store, err := eventstore.Open(context.WithoutCancel(c.t.Context()), conn, eventstore.Options{Existing: true, Replicas: 3})
	if err != nil {
		c.t.Fatal(err)
	}
	return store
}
