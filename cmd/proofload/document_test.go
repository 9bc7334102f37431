package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestReadDocument(t *testing.T) {
	tests := []struct{ name, in, want, wantErr string }{
		{"json stays as it is", `{"a": [1, 2]}`, `{"a": [1, 2]}`, ""},
		{"yaml becomes json", "a:\n  - 1\n  - x: true\n    y: null\n", `{"a":[1,{"x":true,"y":null}]}`, ""},
		{"digits are kept", "a: 0.10\nb: 1e3\n", `{"a":0.10,"b":1e3}`, ""},
		{"yaml's other integers", "a: 0x10\nb: 1_000\n", `{"a":16,"b":1000}`, ""},
		{"text that looks like a number", "seed: \"1\"\n", `{"seed":"1"}`, ""},
		{"aliases are followed", "a: &x [1]\nb: *x\n", `{"a":[1],"b":[1]}`, ""},
		{"a byte order mark is dropped", "\xef\xbb\xbfa: 1\n", `{"a":1}`, ""},
		{"duplicate key", "a: 1\nb: 2\na: 3\n", "", "line 3"},
		{"not a number", "a: .nan\n", "", "line 1"},
		{"a date", "a: 2026-11-29\n", "", "line 1"},
		{"merge keys", "a: &x {b: 1}\nc:\n  <<: *x\n", "", "line 3"},
		{"two documents", "a: 1\n---\nb: 1\n", "", "more than one"},
		{"nothing", "", "", "empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, err := readDocument("-", strings.NewReader(test.in))
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got %v, want an error with %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(doc.json) != test.want {
				t.Errorf("got %s, want %s", doc.json, test.want)
			}
		})
	}
}

func TestLines(t *testing.T) {
	yaml := "model:\n  elements:\n    - id: a\n      kind: what\nprofile: {}\n"
	json := "{\n \"model\": {\n  \"elements\": [\n {\n \"id\": \"a\",\n\"kind\": \"what\"}]},\n\"profile\": {}}"
	tests := []struct {
		in, pointer string
		want        int
	}{
		{yaml, "/model/elements/0/kind", 4},
		{yaml, "/model/elements/0", 3},
		{yaml, "/profile/seed", 5},
		{json, "/model/elements/0/kind", 6},
		{json, "/model/elements/0", 4},
		{json, "/profile/seed", 7},
		{json, "", 1},
	}
	for _, test := range tests {
		doc, err := readDocument("-", strings.NewReader(test.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := doc.line(test.pointer); got != test.want {
			t.Errorf("line of %q in %.10q: got %d, want %d", test.pointer, test.in, got, test.want)
		}
	}
}

// An alias of aliases grows ninefold a line; the reader stops long before it fills the memory.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := 1; i < 12; i++ {
		prev := "*a" + string(rune('0'+(i-1)%10))
		if i > 10 {
			prev = "*b0"
		}
		name := "a" + string(rune('0'+i%10))
		if i >= 10 {
			name = "b" + string(rune('0'+i-10))
		}
		b.WriteString(name + ": &" + name + " [" + strings.Repeat(prev+",", 8) + prev + "]\n")
	}
	if _, err := readDocument("-", strings.NewReader(b.String())); err == nil {
		t.Fatal("no error")
	}
}

func FuzzYAMLToJSON(f *testing.F) {
	f.Add([]byte("a: 1\nb: [x, {c: null}]\n"))
	f.Add([]byte("a: &x [1]\nb: *x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, _, err := yamlToJSON(data)
		if err != nil {
			return
		}
		if !jsontext.Value(out).IsValid() {
			t.Errorf("%q became %q, which is no JSON", data, out)
		}
	})
}

func TestReadDocumentFile(t *testing.T) {
	if _, err := readDocument(filepath.Join(t.TempDir(), "none.yaml"), nil); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
