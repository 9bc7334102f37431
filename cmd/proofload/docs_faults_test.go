package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var namedTest = regexp.MustCompile("`(Test\\w+)`")

// The page of faults names the tests that show what it says; each of them is there.
func TestDocsFaultsNamesItsTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "howto", "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, dir := range []string{".", "../../eventstore", "../../engine/worker", "../../commands", "../../projections", "../../http", "../../projections"} {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(data)
		}
	}
	names := namedTest.FindAllStringSubmatch(string(page), -1)
	if len(names) < 8 {
		t.Errorf("%d tests are named", len(names))
	}
	for _, name := range names {
		if !strings.Contains(code.String(), "func "+name[1]+"(") {
			t.Errorf("there is no %s", name[1])
		}
	}
}
