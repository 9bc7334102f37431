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
		{"json's other numbers", "a: -0\nb: 1E+3\nc: -0.5e-2\nd: 1e999\n", `{"a":-0,"b":1E+3,"c":-0.5e-2,"d":1e999}`, ""},
		{"no numbers", "a: 1.2.3\nb: 1-2\nc: 0x\nd: e1\ne: 1:99\nf: _1\n", `{"a":"1.2.3","b":"1-2","c":"0x","d":"e1","e":"1:99","f":"_1"}`, ""},
		{"quoted numbers", "a: '010'\nb: \"0x10\"\nc: !!str 1_0\nd: |-\n  +1\n", `{"a":"010","b":"0x10","c":"1_0","d":"+1"}`, ""},
		{"a number by its tag", "a: !!int \"8\"\n", `{"a":8}`, ""},
		{"text that looks like a number", "seed: \"1\"\n", `{"seed":"1"}`, ""},
		{"aliases are followed", "a: &x [1]\nb: *x\n", `{"a":[1],"b":[1]}`, ""},
		{"a byte order mark is dropped", "\xef\xbb\xbfa: 1\n", `{"a":1}`, ""},
		{"duplicate key", "a: 1\nb: 2\na: 3\n", "", `line 3: the key "a" stands on line 1 already; keep one of the two`},
		{"duplicate key below", "x:\n  - b: 1\n    \"b\": 2\n", "", `line 3: the key "b" stands on line 2 already`},
		{"not a number", "a: .nan\n", "", "line 1"},
		{"a date", "a: 2026-11-29\n", "", "line 1"},
		{"an alias in its own anchor", "a: &x [*x]\n", "", "line 1: the alias x leads to itself"},
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

// Only what is a number in JSON is a number; anything else that looks like one is refused, with the way out.
func TestYAMLNumbers(t *testing.T) {
	tests := []struct{ in, ways string }{
		{"010", "write 10, or write 8, or "},
		{"-010", "write -10, or write -8, or "},
		{"08", "write 8, "},
		{"00", "number; write 0, or "},
		{"01.50", "write 1.50, "},
		{"0o10", "write 8, "},
		{"0x10", "write 16, "},
		{"-0xFF", "write -255, "},
		{"0b101", "write 5, "},
		{"1_0", "write 10, "},
		{"1_000.2_5", "write 1000.25, "},
		{"+1", "write 1, "},
		{"+0.5e+3", "write 0.5e+3, "},
		{".5", "write 0.5, "},
		{"-.5", "write -0.5, "},
		{"1.", "write 1, "},
		{"1.e3", "write 1e3, "},
		{"1:30", "write 90, "},
		{"-1:30:30.5", "write -5430.5, "},
		{".inf", ""},
		{"-.Inf", ""},
		{".nan", ""},
		{"!!int 0x10", "write 16, "},
		{"!!float \"+1\"", "write 1, "},
	}
	for _, test := range tests {
		_, err := readDocument("-", strings.NewReader("b: x\na: "+test.in+"\n"))
		if err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), test.ways) || !strings.Contains(err.Error(), "quote it if it is text") {
			t.Errorf("%s: got %v, want line 2 and %q", test.in, err, test.ways)
		}
	}
}

// A long list of plain values is no matter of aliases: the file's size bounds it, and the reader of the bundle judges it.
func TestYAMLManyValues(t *testing.T) {
	doc, err := readDocument("-", strings.NewReader("a: [1"+strings.Repeat(",1", 1_000_100)+"]\n"))
	if err != nil || len(doc.json) < 2_000_000 {
		t.Errorf("got %v", err)
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
	if _, err := readDocument("-", strings.NewReader(b.String())); err == nil || !strings.Contains(err.Error(), "aliases repeat") {
		t.Fatalf("got %v", err)
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
