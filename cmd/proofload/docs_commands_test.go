package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	api "github.com/proofload/proofload/http"
)

// A block marked console holds commands after "$ " with the output of each; one marked sh or yaml holds
// commands alone; a text block holds neither.

// shown is a command of a console block with what the page shows below it. A line … stands for any lines.
type shown struct{ command, output string }

func (p docPage) shown() (all []shown) {
	for _, b := range p.blocks {
		if b.language != "console" {
			continue
		}
		for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", "")) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all = append(all, shown{command: strings.TrimSpace(command)})
			} else if len(all) > 0 {
				all[len(all)-1].output += line
			}
		}
	}
	return all
}

// commandLines are the lines of all blocks that a shell reads.
func (p docPage) commandLines() (lines []string) {
	for _, s := range p.shown() {
		lines = append(lines, s.command)
	}
	for _, b := range p.blocks {
		if b.language == "sh" || b.language == "yaml" {
			lines = append(lines, strings.Split(strings.ReplaceAll(b.text, "\\\n", ""), "\n")...)
		}
	}
	return lines
}

var (
	programPattern = regexp.MustCompile(`(?:^|[\s;&|(])(?:\./proofload|go run \./cmd/proofload|proofload) ([^#\n]*)`)
	wordPattern    = regexp.MustCompile(`'[^']*'|"[^"]*"|[|&;<>)]|[^\s'"|&;<>)]+`)
)

// argumentsOf are the arguments up to where the shell's own words begin.
func argumentsOf(text string) (args []string) {
	for _, word := range wordPattern.FindAllString(text, -1) {
		if strings.Contains("|&;<>)", word) {
			break
		}
		args = append(args, strings.Trim(word, `'"`))
	}
	return args
}

// TestDocsCommands parses every command line of the pages with the commands and flags that there are.
func TestDocsCommands(t *testing.T) {
	found := 0
	for _, p := range docPages(t) {
		for _, line := range p.commandLines() {
			for _, match := range programPattern.FindAllStringSubmatch(line, -1) {
				found++
				if err := parseCommand(argumentsOf(match[1])); err != nil {
					t.Errorf("%s: %s: %v", p.path, strings.TrimSpace(line), err)
				}
			}
		}
	}
	if found == 0 {
		t.Fatal("no command line was found")
	}
}

func parseCommand(args []string) error {
	root := rootCommand(streams{strings.NewReader(""), io.Discard, io.Discard})
	command, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if command == root {
		return fmt.Errorf("no command in %q", args)
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}

// TestDocsOutput runs the console blocks of the pages, each page in a folder of its own, and compares what is
// printed with what the page shows. The demo ends after its run.
func TestDocsOutput(t *testing.T) {
	binary := buildBinary(t)
	t.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, p := range docPages(t) {
		all := p.shown()
		if len(all) == 0 || strings.HasPrefix(p.path, "docs/examples/") { // TestExamples runs those
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			outputs := runShown(t, all)
			for i, s := range all {
				if !matchesLines(docLines(s.output), docLines(outputs[i])) {
					t.Errorf("$ %s prints\n%s\nand not\n%s", s.command, outputs[i], s.output)
				}
			}
		})
	}
}

// runShown runs the commands one after the other in one shell, so that $? is that of the one before.
func runShown(t *testing.T, all []shown) []string {
	t.Helper()
	const mark = "@@@ next command @@@"
	var script strings.Builder
	for _, s := range all {
		command := strings.ReplaceAll(s.command, "go run ./cmd/proofload", "proofload")
		if command == "proofload demo" {
			command += " --once"
		}
		_, _ = fmt.Fprintf(&script, "%s\ncode=$?; echo '%s'; (exit $code)\n", command, mark)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec 2>&1\n"+script.String()+"true\n")
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	outputs := strings.Split(string(out), mark+"\n")
	if len(outputs) != len(all)+1 {
		t.Fatalf("%d commands gave %d outputs:\n%s", len(all), len(outputs)-1, out)
	}
	return outputs
}

// docLines are the lines of a text without what nobody sees.
func docLines(text string) []string {
	all := strings.Split(strings.TrimRight(text, " \n"), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " ")
	}
	return all
}

// matchesLines compares lines; … in the pattern stands for any number of them.
func matchesLines(pattern, got []string) bool {
	switch {
	case len(pattern) == 0:
		return len(got) == 0
	case strings.TrimSpace(pattern[0]) == "…":
		for skip := range len(got) + 1 {
			if matchesLines(pattern[1:], got[skip:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && pattern[0] == got[0] && matchesLines(pattern[1:], got[1:])
}

func TestMatchesLines(t *testing.T) {
	for i, c := range []struct {
		pattern, got string
		want         bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a\nc", false},
		{"a\n…", "a\nb\nc", true},
		{"…\nc", "a\nb\nc", true},
		{"a\n…\nc", "a\nb", false},
		{"", "a", false},
	} {
		if got := matchesLines(docLines(c.pattern), docLines(c.got)); got != c.want {
			t.Errorf("%s: got %v", strconv.Itoa(i), got)
		}
	}
}

var (
	curlPattern   = regexp.MustCompile(`curl [^|]*`)
	methodPattern = regexp.MustCompile(`-X ([A-Z]+)`)
	pathPattern   = regexp.MustCompile(`(?:\$API|http://127\.0\.0\.1:7711)(/[^\s"'?)]*)`)
)

// TestDocsRequests finds the route of every curl line.
func TestDocsRequests(t *testing.T) {
	found := 0
	for _, p := range docPages(t) {
		for _, line := range p.commandLines() {
			request := curlPattern.FindString(line)
			path := pathPattern.FindStringSubmatch(request)
			if path == nil {
				continue
			}
			found++
			method := http.MethodGet
			if m := methodPattern.FindStringSubmatch(request); m != nil {
				method = m[1]
			}
			if full := path[1]; !hasRoute(method, full) && !hasRoute(method, "/api"+full) {
				t.Errorf("%s: there is no route for %s %s", p.path, method, full)
			}
		}
	}
	if found == 0 {
		t.Fatal("no curl line was found")
	}
}

func hasRoute(method, path string) bool {
	parameter := regexp.MustCompile(`\\\{[^/]*\\\}`)
	for _, route := range api.Routes() {
		pattern := "^" + parameter.ReplaceAllString(regexp.QuoteMeta(route.Path), `[^/]+`) + "$"
		if route.Method == method && regexp.MustCompile(pattern).MatchString(path) {
			return true
		}
	}
	return false
}
