package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// copyleft must not be linked into the binary.
var copyleft = regexp.MustCompile(`\b(A|L)?GPL\b`)

// TestThirdParty: THIRD_PARTY.md (make third-party) names each module that is linked, with a licence that allows it.
func TestThirdParty(t *testing.T) {
	data, err := os.ReadFile("../../THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		listed = append(listed, strings.TrimSpace(cells[1]))
		if licence := strings.TrimSpace(cells[3]); licence == "" || licence == "Unknown" || copyleft.MatchString(licence) {
			t.Errorf("licence of %s: %q", cells[1], licence)
		}
	}
	for _, linked := range linkedModules(t) {
		if !slices.ContainsFunc(listed, func(name string) bool { return name == linked || strings.HasPrefix(name, linked+"/") }) {
			t.Errorf("%s is linked and not listed; make third-party", linked)
		}
	}
}

func linkedModules(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	if modules = slices.Compact(modules); len(modules) < 10 {
		t.Fatalf("only %d modules found", len(modules))
	}
	return modules
}
