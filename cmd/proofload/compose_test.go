package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// composeFile is what the tests read of compose.yaml.
type composeFile struct {
	Services map[string]composeService
	Configs  map[string]composeConfig
	Secrets  map[string]struct{ File string }
	Volumes  map[string]any
}

type composeConfig struct{ Content, Environment string }

// copied says whether the configuration is copied into the container, and not mounted there from a file.
func (c composeConfig) copied() bool { return c.Content != "" || c.Environment != "" }

type composeService struct {
	Image, User         string
	Build               string
	ReadOnly            bool `yaml:"read_only"`
	Restart             string
	Entrypoint, Command []string
	Environment         map[string]string
	Secrets             []string
	Volumes             []string
	Ports               []string
	Configs             []struct{ Source, Target string }
	Deploy              struct{ Replicas int }
	Healthcheck         struct{ Test []string }
}

// ours says whether the service is proofload.
func (s composeService) ours() bool { return s.Build != "" }

func (s composeService) isNATS() bool { return slices.Contains(s.Entrypoint, "nats-server") }

func readCompose(t *testing.T) composeFile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docsRoot, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return parseCompose(t, string(data))
}

func parseCompose(t *testing.T, text string) composeFile {
	t.Helper()
	var c composeFile
	if err := yaml.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCompose reads compose.yaml without Docker: every flag, variable, secret and volume that it names exists, nothing
// writes where it must not, and nobody beyond this machine reaches a port.
func TestCompose(t *testing.T) {
	c := readCompose(t)
	if err := c.check(); err != nil {
		t.Error(err)
	}
	count := map[string]int{}
	for name, s := range c.Services {
		switch {
		case s.ours():
			count[s.Command[0]] += max(1, s.Deploy.Replicas)
		case s.isNATS():
			count["nats"]++
			if want := "nats:" + moduleVersion(t, "github.com/nats-io/nats-server/v2") + "-alpine"; s.Image != want {
				t.Errorf("%s: image %s, and go.mod has %s", name, s.Image, want)
			}
		default:
			count[name]++
		}
	}
	if want := map[string]int{"serve": 2, "worker": 2, "nats": 3, "postgres": 1, "owner": 1}; !maps.Equal(count, want) {
		t.Errorf("it starts %v, want %v", count, want)
	}
}

// TestComposeCheck breaks each rule once.
func TestComposeCheck(t *testing.T) {
	good := `
services:
  api: {build: ., user: "1:1", read_only: true, restart: always, command: [serve, --no-engine], environment: {PROOFLOAD_NATS_FILE: /run/secrets/url},
    secrets: [url], ports: ["127.0.0.1:1:1"], volumes: ["data:/data"], healthcheck: {test: [CMD, /proofload, health]}}
  nats: {image: nats, user: "2:2", read_only: false, restart: always, configs: [{source: inline, target: /conf}], healthcheck: {test: [CMD, wget]}}
  again: {image: nats, user: "2:2", read_only: true, restart: always, configs: [{source: mounted, target: /conf}], healthcheck: {test: [CMD, wget]}}
configs: {inline: {content: "port: 1"}, mounted: {file: ./conf}}
secrets: {url: {file: ./secrets/url}}
volumes: {data: {}}
`
	if err := parseCompose(t, good).check(); err != nil {
		t.Fatal(err)
	}
	for was, is := range map[string]string{
		"--no-engine":            "--engine",
		"[serve":                 "[server",
		"PROOFLOAD_NATS_FILE":    "PROOFLOAD_NAT_FILE",
		"secrets: [url]":         "secrets: []",
		"secrets: {url":          "secrets: {uri",
		"volumes: {data":         "volumes: {date",
		`user: "1:1"`:            `user: "0:0"`,
		"read_only: true":        "read_only: false",
		"read_only: false":       "read_only: true",
		"source: inline":         "source: mounted",
		"file: ./conf":           "environment: CONF",
		"build: .":               "build: ., image: proofload",
		`"1:1", read_only: true`: `"1:1", read_only: false, configs: [{source: inline, target: /conf}]`,
		"127.0.0.1:1:1":          "1:1",
		"health]}":               "healthy]}",
		", healthcheck: {test: [CMD, /proofload, health]}": "",
	} {
		if err := parseCompose(t, strings.Replace(good, was, is, 1)).check(); err == nil {
			t.Errorf("%q in place of %q passes", is, was)
		}
	}
}

func (c composeFile) check() error {
	var failed error
	for name, s := range c.Services {
		for _, check := range []func(composeService) error{c.checkNames, c.checkConfined, checkFlags} {
			if err := check(s); err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return failed
}

// checkNames asks for each secret and volume where it is declared.
func (c composeFile) checkNames(s composeService) error {
	for _, secret := range s.Secrets {
		if declared, ok := c.Secrets[secret]; !ok || declared.File != "./secrets/"+secret {
			return fmt.Errorf("secret %s is not that of the file ./secrets/%s", secret, secret)
		}
	}
	for _, volume := range s.Volumes {
		name, _, _ := strings.Cut(volume, ":")
		if _, ok := c.Volumes[name]; !ok {
			return fmt.Errorf("no volume %s", name)
		}
	}
	for variable, value := range s.Environment {
		if secret, ok := strings.CutPrefix(value, "/run/secrets/"); ok && !slices.Contains(s.Secrets, secret) {
			return fmt.Errorf("%s: the service has no secret %s", variable, secret)
		}
	}
	return nil
}

// checkConfined: the root of a service is read-only, but where Compose copies a configuration into it, which it refuses to do then
// (docker/compose#12031). The rest is for services; what runs once and ends is none.
func (c composeFile) checkConfined(s composeService) error {
	for _, port := range s.Ports {
		if !strings.HasPrefix(port, "127.0.0.1:") {
			return fmt.Errorf("port %s is open beyond this machine", port)
		}
	}
	copied := false
	for _, config := range s.Configs {
		copied = copied || c.Configs[config.Source].copied()
	}
	switch {
	case s.ReadOnly && copied:
		return errors.New("its configuration cannot be copied to a root that is read-only")
	case !s.ReadOnly && (s.ours() || !copied):
		return errors.New("its root can be written")
	case s.ours() && s.Image != "":
		return fmt.Errorf("it is built as %s, as another one may be at the same time", s.Image)
	case s.Restart == "":
		return nil
	case s.User == "" || strings.HasPrefix(s.User, "0:") || s.User == "root":
		return fmt.Errorf("it runs as user %q", s.User)
	case len(s.Healthcheck.Test) == 0:
		return errors.New("nobody sees whether it is well")
	}
	return nil
}

// checkFlags parses what our program is called with, in its variables too.
func checkFlags(s composeService) error {
	if !s.ours() {
		return nil
	}
	if test := s.Healthcheck.Test; len(test) > 2 {
		if err := parseCommand(test[2:]); err != nil || test[1] != "/proofload" {
			return fmt.Errorf("health check %q: %w", test, err)
		}
	}
	if err := parseCommand(s.Command); err != nil {
		return err
	}
	root := rootCommand(streams{strings.NewReader(""), io.Discard, io.Discard})
	command, _, err := root.Find(s.Command)
	if err != nil {
		return err
	}
	for variable := range s.Environment {
		if !hasVariable(command, variable) {
			return fmt.Errorf("%s has no variable %s", command.CommandPath(), variable)
		}
	}
	return nil
}

// hasVariable says whether a variable stands for a flag of the command, or for a file with its value.
func hasVariable(command *cobra.Command, variable string) bool {
	found := false
	command.Flags().VisitAll(func(f *pflag.Flag) {
		name := variableOf(f.Name)
		found = found || variable == name || variable == name+"_FILE"
	})
	return found
}

// moduleVersion is the version of a module in go.mod, without its v.
func moduleVersion(t *testing.T, module string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docsRoot, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(data)
	if found == nil {
		t.Fatalf("go.mod has no %s", module)
	}
	return string(found[1])
}
