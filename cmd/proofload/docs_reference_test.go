package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	api "github.com/proofload/proofload/http"
)

const (
	routesBegin = "<!-- routes: go test ./cmd/proofload -run TestDocsRoutes prints the table that belongs here -->\n"
	routesEnd   = "<!-- /routes -->"
)

// TestDocsRoutes compares the table of docs/reference/http.md with the route table, and asks for every type word.
func TestDocsRoutes(t *testing.T) {
	text := readPage(t, "docs/reference/http.md").prose
	_, rest, found := strings.Cut(text, routesBegin)
	table, rest, closed := strings.Cut(rest, routesEnd)
	if want := routesTable(); !found || !closed || strings.TrimSpace(table) != strings.TrimSpace(want) {
		t.Errorf("the table of docs/reference/http.md is not that of the routes:\n%s", want)
	}
	for _, route := range api.Routes() {
		for _, word := range route.Refusals {
			if !strings.Contains(rest, "`"+word+"`") {
				t.Errorf("docs/reference/http.md does not explain %s", word)
			}
		}
	}
}

func routesTable() string {
	var b strings.Builder
	b.WriteString("| Route | Role | Answer | Refusals |\n| --- | --- | --- | --- |\n")
	for _, r := range api.Routes() {
		var statuses []string
		for _, answer := range r.Answers {
			statuses = append(statuses, fmt.Sprint(answer.Status))
		}
		_, _ = fmt.Fprintf(&b, "| `%s %s` | %s | %s: %s | %s |\n", r.Method, r.Path, r.Role, strings.Join(statuses, ", "),
			strings.ReplaceAll(r.Summary, "|", "\\|"), strings.Join(r.Refusals, ", "))
	}
	return b.String()
}

// TestDocsMembers asks for every member of a document on its page.
func TestDocsMembers(t *testing.T) {
	for path, document := range map[string]reflect.Type{
		"docs/reference/model.md":    reflect.TypeFor[domain.Model](),
		"docs/reference/scenario.md": reflect.TypeFor[domain.Scenario](),
		"docs/reference/profile.md":  reflect.TypeFor[domain.Profile](),
		"docs/reference/result.md":   reflect.TypeFor[engine.Result](),
	} {
		text := readPage(t, path).prose
		members := map[string]bool{}
		collectMembers(document, members, map[reflect.Type]bool{})
		for name := range members {
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("%s does not name the member %s", path, name)
			}
		}
	}
}

// collectMembers gathers the JSON names of a type and of all types in it.
func collectMembers(of reflect.Type, members map[string]bool, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Array {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || seen[of] {
		return
	}
	seen[of] = true
	for _, field := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			members[name] = true
		}
		collectMembers(field.Type, members, seen)
	}
}

// TestDocsEvents asks for every event, and every member of the types in the files of events.
func TestDocsEvents(t *testing.T) {
	text := readPage(t, "docs/reference/events.md").prose
	files, err := filepath.Glob(filepath.Join(docsRoot, "domain", "events*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file of events: %v", err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if name := eventName(n); name != "" && !strings.Contains(text, "`"+name+"`") {
				t.Errorf("docs/reference/events.md does not name %s", name)
			}
			return true
		})
	}
}

// eventName is the name of an event, where n declares one, or the JSON name of a member.
func eventName(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Name.Name == "EventName" {
			return n.Recv.List[0].Type.(*ast.Ident).Name
		}
	case *ast.Field:
		if n.Tag != nil {
			name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(n.Tag.Value, "`")).Get("json"), ",")
			return name
		}
	}
	return ""
}

// TestDocsFlags asks for every command and flag.
func TestDocsFlags(t *testing.T) {
	text := readPage(t, "docs/reference/command-line.md").prose
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.HasParent() && !strings.Contains(text, "`"+c.CommandPath()) {
			t.Errorf("docs/reference/command-line.md does not name %s", c.CommandPath())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "`--"+f.Name) {
				t.Errorf("docs/reference/command-line.md does not name --%s of %s", f.Name, c.CommandPath())
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand(streams{}))
}

// TestDocsRefusals asks for every limit by its name and its number, and for every code of a refusal.
func TestDocsRefusals(t *testing.T) {
	text := readPage(t, "docs/reference/refusals.md").prose
	limits := reflect.ValueOf(engine.DefaultLimits)
	for i := range limits.NumField() {
		name := limits.Type().Field(i).Tag.Get("json")
		switch name {
		case "drainSeconds", "keptSamples", "seriesPoints": // they refuse nothing
			continue
		}
		if row := "| `" + name + "` | " + count(limits.Field(i).Int()); !strings.Contains(text, row) {
			t.Errorf("docs/reference/refusals.md has no row %s", row)
		}
	}
	for _, code := range []string{
		domain.CodeInvalidProfile, domain.CodeInvalidScenario, domain.CodeUnknownScenario, domain.CodeMissingConcurrency,
		domain.CodeMissingServiceTime, domain.CodeMissingConsumers, domain.CodeMissingBranchProbability, domain.CodeUnknownTarget,
		domain.CodeStressTooLarge, domain.CodeInvalidModel, domain.CodeInvalidBundle, domain.CodeInvalidMeasurement,
		domain.CodeInvalidObjectives, domain.CodeInvalidDocument, domain.CodeInvalidProject, domain.StressRefused,
	} {
		if !strings.Contains(text, "`"+code+"`") {
			t.Errorf("docs/reference/refusals.md does not name %s", code)
		}
	}
}

// filePattern is a file or a folder of the repository in backticks, as pages name it.
var filePattern = regexp.MustCompile("`((?:domain|engine|eventstore|commands|projections|http|cmd|docs|examples)/[^`*\\s]*)`")

// TestDocsFiles asks for every file that a page names, and for the functions that a line of the walk in
// architecture.md names in that file, as in `applyRuns` (`projections/runs_apply.go`).
func TestDocsFiles(t *testing.T) {
	for _, p := range docPages(t) {
		for _, match := range filePattern.FindAllStringSubmatch(p.prose, -1) {
			if _, err := os.Stat(filepath.Join(docsRoot, filepath.FromSlash(match[1]))); err != nil {
				t.Errorf("%s names %s, which is not there", p.path, match[1])
			}
		}
	}
	walk := readPage(t, "docs/architecture.md").prose
	functions := functionPattern.FindAllStringSubmatch(walk, -1)
	if len(functions) == 0 {
		t.Fatal("architecture.md names no function with its file")
	}
	for _, match := range functions {
		source, err := os.ReadFile(filepath.Join(docsRoot, filepath.FromSlash(match[2])))
		if err != nil || !regexp.MustCompile(`(?m)^func (\([^)]*\) )?`+match[1]+`\b`).Match(source) {
			t.Errorf("architecture.md: %s has no function %s", match[2], match[1])
		}
	}
}

var functionPattern = regexp.MustCompile("`([A-Za-z]+)`\\s+(?:in\\s+|\\()`([a-z/_]+\\.go)`")
