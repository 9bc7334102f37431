package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

var (
	buildLine = regexp.MustCompile(`(?m)^RUN (.*go build.*)$`)
	finalPart = regexp.MustCompile(`(?s).*\nFROM (.*)$`)
)

// builtIn is where the binary is built. It goes away with the tests (see TestMain).
var builtIn string

// built is the binary that the build line of the Dockerfile makes as it stands, in another folder: once, linking takes seconds.
var built = sync.OnceValues(func() (binary string, err error) {
	data, err := os.ReadFile(filepath.Join(docsRoot, "Dockerfile"))
	if err != nil {
		return "", err
	}
	line := buildLine.FindSubmatch(data)
	if line == nil {
		return "", errors.New("the Dockerfile has no build line")
	}
	build := exec.CommandContext(context.Background(), "/bin/sh", "-c", strings.ReplaceAll(string(line[1]), "/out/", builtIn+"/"))
	build.Dir = docsRoot
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", line[1], err, text)
	}
	return filepath.Join(builtIn, "proofload"), nil
})

// buildBinary gives the program as it is shipped.
func buildBinary(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// TestDockerfile runs the build line of the Dockerfile, and asks what comes out. The image itself is not built here.
func TestDockerfile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(docsRoot, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	final := finalPart.FindSubmatch(data)
	if final == nil {
		t.Fatal("the Dockerfile has no final image")
	}
	for _, want := range []string{"scratch\n", "\nUSER 65532:65532\n", "/out/proofload /proofload\n", `ENTRYPOINT ["/proofload"]`, "\nENV PROOFLOAD_DATA=/data\n"} {
		if !strings.Contains(string(final[1]), want) {
			t.Errorf("the final image has no %q", want)
		}
	}
	binary := buildBinary(t)
	if text, err := exec.CommandContext(t.Context(), binary, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(text), "proofload ") {
		t.Errorf("version: %v, %s", err, text)
	}
	if isDynamic(t, binary) {
		t.Error("the binary needs libraries, and the image has none")
	}
}
