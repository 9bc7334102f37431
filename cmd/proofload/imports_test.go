package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/proofload/proofload/"

// importRule says which packages of ours a package imports and which of others, apart from the standard
// library. An entry of others is a prefix.
type importRule struct{ ours, others []string }

// allowed is the import table of the project. A new arrow needs an ADR first.
var allowed = map[string]importRule{
	"domain":              {others: []string{"github.com/go-json-experiment/json"}},
	"eventstore":          {others: []string{"github.com/nats-io/", "github.com/gofrs/flock"}},
	"eventstore/natstest": {others: []string{"github.com/nats-io/nats.go"}}, // for tests only: no arrow leads here
	"eventstore/backup": {
		ours:   []string{"eventstore", "domain"},
		others: []string{"github.com/nats-io/nats.go", "github.com/gofrs/flock"},
	},
	"engine": {ours: []string{"domain"}, others: []string{"github.com/go-json-experiment/json"}},
	"engine/worker": {
		ours:   []string{"engine", "commands", "eventstore", "domain"},
		others: []string{"github.com/ThreeDotsLabs/watermill", "github.com/nats-io/nats.go"},
	},
	"commands": {ours: []string{"domain", "eventstore"}, others: []string{"golang.org/x/text/unicode/norm"}},
	"projections": {
		ours:   []string{"domain", "eventstore"},
		others: []string{"github.com/jmoiron/sqlx", "github.com/lib/pq", "modernc.org/sqlite", "github.com/pressly/goose/v3"},
	},
	"projections/pgtest": {others: []string{"github.com/lib/pq"}},
	"http": {
		ours:   []string{"commands", "projections", "domain"},
		others: []string{"github.com/gin-gonic/gin", "github.com/danielgtaylor/huma/v2", "github.com/swaggest/"},
	},
	"http/uitest": {others: []string{"github.com/chromedp/"}}, // tests only
	"cmd/proofload": {
		ours:   []string{"domain", "engine", "engine/worker", "eventstore", "eventstore/backup", "commands", "projections", "http"},
		others: []string{""},
	},
}

// forbidden are standard packages that a package must not import: its result is the same on every machine.
var forbidden = map[string][]string{
	"engine": {"time", "os", "math/rand", "math/rand/v2", "sync", "sync/atomic", "runtime", "unsafe"},
	"domain": {"os", "math/rand", "math/rand/v2", "net/http"},
}

// forTests are the libraries that tests of every package may import.
var forTests = []string{
	"github.com/google/go-cmp",
	"pgregory.net/rapid",
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/nats-io/nats.go",
	"github.com/tsenart/vegeta/v12",
}

func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		seen++
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		checkImports(t, path, filepath.ToSlash(dir))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Fatalf("only %d Go files found below %s", seen, root)
	}
}

func checkImports(t *testing.T, path, pkg string) {
	t.Helper()
	rule, known := allowed[pkg]
	if !known {
		t.Errorf("%s: package %s is not in the import table", path, pkg)
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	isTest := strings.HasSuffix(path, "_test.go")
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if why := refuseImport(pkg, rule, imported, isTest); why != "" {
			t.Errorf("%s imports %s: %s", path, imported, why)
		}
		if imported == "net/http" && spec.Name != nil {
			t.Errorf("%s renames net/http", path)
		}
	}
}

// refuseImport says why a package must not import another, or "".
func refuseImport(pkg string, rule importRule, imported string, isTest bool) string {
	own, isOurs := strings.CutPrefix(imported, module)
	isStandard := !strings.Contains(strings.Split(imported, "/")[0], ".")
	switch {
	case isOurs && (slices.Contains(rule.ours, own) || own == pkg || isTest):
		return ""
	case isOurs:
		return "not an arrow of the import table"
	case isStandard && !isTest && slices.Contains(forbidden[pkg], imported):
		return "its result must be the same on every machine"
	case isStandard, isTest && hasPrefix(forTests, imported), hasPrefix(rule.others, imported):
		return ""
	}
	return "not a library of this package in the import table"
}

func hasPrefix(prefixes []string, imported string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(imported, p) })
}

// TestRefuseImport breaks each rule once.
func TestRefuseImport(t *testing.T) {
	tests := []struct {
		pkg, imported string
		isTest, ok    bool
	}{
		{"domain", module + "engine", false, false},
		{"engine", module + "domain", false, true},
		{"engine", module + "commands", false, false},
		{"engine", "time", false, false},
		{"engine", "time", true, true},
		{"commands", "github.com/nats-io/nats.go", false, false},
		{"commands", "github.com/google/go-cmp/cmp", true, true},
		{"commands", "github.com/google/go-cmp/cmp", false, false},
		{"eventstore", "github.com/nats-io/nats.go/jetstream", false, true},
		{"cmd/proofload", "github.com/spf13/cobra", false, true},
		{"cmd/proofload", module + "eventstore/natstest", false, false},
		{"cmd/proofload", module + "eventstore/natstest", true, true},
		{"eventstore", module + "eventstore/natstest", false, false},
		{"eventstore/natstest", module + "eventstore", false, false},
		{"projections", module + "projections/pgtest", true, true},
		{"projections", module + "projections/pgtest", false, false},
		{"projections/pgtest", module + "projections", false, false},
		{"http", "github.com/chromedp/chromedp", true, false},
		{"http/uitest", "github.com/chromedp/chromedp", true, true},
	}
	for _, test := range tests {
		why := refuseImport(test.pkg, allowed[test.pkg], test.imported, test.isTest)
		if (why == "") != test.ok {
			t.Errorf("%s imports %s: got %q, want allowed %v", test.pkg, test.imported, why, test.ok)
		}
	}
}
