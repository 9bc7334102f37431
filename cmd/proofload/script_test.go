package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts call the program as proofload.
func TestMain(m *testing.M) {
	testscript.Main(alone{m}, map[string]func(){"proofload": main})
}

// alone runs the tests without what the caller has set for a proofload of his own, and with a data folder for nobody.
type alone struct{ *testing.M }

// testVariables are the variables that tests read themselves.
var testVariables = regexp.MustCompile(`^PROOFLOAD_(SOAK|BENCH|TEST_)`)

func (a alone) Run() (code int) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PROOFLOAD_") && !testVariables.MatchString(name) {
			_ = os.Unsetenv(name)
		}
	}
	dir, err := os.MkdirTemp("", "proofload-tests-")
	if err == nil {
		err = os.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	besideEachOther("4")
	builtIn = dir
	defer func() { _ = os.RemoveAll(dir) }()
	return a.M.Run()
}

// besideEachOther lets so many tests run at a time of those that say Parallel, unless the command line says how many: they wait for
// leaders and time limits, more than they compute.
func besideEachOther(count string) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", count)
	}
}

// TestScripts runs the command line as a user types it: each file of testdata is a session. small.yaml stands in
// its folder, $CASES names the cases of the engine, $RESULTS stored results of older versions. "exits N COMMAND" is exec with the exit code that is due,
// "samejson A B" is cmp for JSON in any form.
func TestScripts(t *testing.T) {
	cases, err := filepath.Abs("../../engine/testdata")
	if err != nil {
		t.Fatal(err)
	}
	small, err := os.ReadFile("testdata/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("CASES", cases)
			env.Setenv("RESULTS", filepath.Join(cases, "../../domain/testdata/results"))
			return os.WriteFile(filepath.Join(env.WorkDir, "small.yaml"), small, 0o644)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "samejson": sameJSON},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: exits N COMMAND...")
	}
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func sameJSON(ts *testscript.TestScript, _ bool, args []string) {
	var texts [2]jsontext.Value
	for i, name := range args[:2] {
		texts[i] = jsontext.Value(ts.ReadFile(name))
		ts.Check(texts[i].Canonicalize())
	}
	if string(texts[0]) != string(texts[1]) {
		ts.Fatalf("%s is\n%s\nand %s is\n%s", args[0], texts[0], args[1], texts[1])
	}
}
