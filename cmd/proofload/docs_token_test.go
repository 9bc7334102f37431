package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The line of the pages that reads the administrator's token finds it where the server puts it, with XDG_DATA_HOME and without.
func TestDocsReadTheToken(t *testing.T) {
	for _, path := range []string{"README.md", "docs/howto/http-api.md", "docs/howto/access.md"} {
		data, err := os.ReadFile(filepath.Join(docsRoot, path))
		if err != nil {
			t.Fatal(err)
		}
		var line string
		for l := range strings.Lines(string(data)) {
			if strings.HasPrefix(l, "AUTH=") {
				line = l
			}
		}
		for _, base := range []string{"", filepath.Join(t.TempDir(), "of XDG")} {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_DATA_HOME", base)
			if err := os.MkdirAll(defaultData(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := writeSecret(filepath.Join(defaultData(), tokenFile), "pl_x"); err != nil {
				t.Fatal(err)
			}
			out, err := exec.CommandContext(t.Context(), "sh", "-c", line+`printf %s "$AUTH"`).CombinedOutput()
			if err != nil || string(out) != "Authorization: Bearer pl_x" {
				t.Errorf("%s: with XDG_DATA_HOME %q: %s, %v", path, base, out, err)
			}
		}
	}
}
