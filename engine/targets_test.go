package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// target is a processor that the engine must give the same bits on.
type target struct {
	env  []string // for the compiler
	qemu string   // the emulator; empty: this machine runs it
}

var targets = map[string]target{
	"amd64v1": {env: []string{"GOARCH=amd64", "GOAMD64=v1"}},
	"amd64v3": {env: []string{"GOARCH=amd64", "GOAMD64=v3"}},
	"arm64":   {env: []string{"GOARCH=arm64"}, qemu: "qemu-aarch64-static"},
	"riscv64": {env: []string{"GOARCH=riscv64"}, qemu: "qemu-riscv64-static"},
	"ppc64le": {env: []string{"GOARCH=ppc64le"}, qemu: "qemu-ppc64le-static"},
	"s390x":   {env: []string{"GOARCH=s390x"}, qemu: "qemu-s390x-static"},
}

// exact are the tests that compare bits: vectors, whole documents, hashes.
const exact = "^(TestCases|TestVectors.*|TestGolden.*)$"

// TestTargets runs the exact tests on the processors that PROOFLOAD_TARGETS names (`make targets`), each as a
// cross-compiled test binary under an emulator of user space. In CI arm64 is one that is always named.
func TestTargets(t *testing.T) {
	names := strings.Fields(os.Getenv("PROOFLOAD_TARGETS"))
	if len(names) == 0 && os.Getenv("CI") != "" {
		names = []string{"arm64"}
	}
	if len(names) == 0 {
		t.Skip("PROOFLOAD_TARGETS names no processor; make targets does")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			on, known := targets[name]
			if !known {
				t.Fatalf("no such target: %s", name)
			}
			runExact(t, on)
		})
	}
}

func runExact(t *testing.T, on target) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "engine.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), append(on.env, "CGO_ENABLED=0")...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	args := []string{binary, "-test.run", exact, "-test.v"}
	if on.qemu != "" {
		args = append([]string{on.qemu}, args...)
	}
	out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	passed := strings.Count(string(out), "--- PASS: TestCases/")
	if passed < 147 {
		t.Fatalf("%d cases ran, not 147\n%s", passed, out)
	}
	t.Logf("%d cases and the vectors are equal", passed)
}
