package domain

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzParseModel(f *testing.F)       { fuzz(f, ParseModel, "model") }
func FuzzParseScenario(f *testing.F)    { fuzz(f, ParseScenario, "scenario") }
func FuzzParseProfile(f *testing.F)     { fuzz(f, ParseProfile, "profile") }
func FuzzParseMeasurement(f *testing.F) { fuzz(f, ParseMeasurement, "measurement") }
func FuzzParseObjectives(f *testing.F)  { fuzz(f, ParseObjectives, "objectives") }
func FuzzParseBundle(f *testing.F)      { fuzz(f, ParseBundle, "bundle") }

// fuzz proves of any text: the parser does not panic; an error has issues; what it takes has a canonical form
// of the same meaning, whose own canonical form is itself.
func fuzz[T any](f *testing.F, parse func([]byte) (T, error), name string) {
	for _, p := range parsers {
		if p.name == name {
			f.Add([]byte(p.valid))
		}
	}
	for _, text := range []string{"", "{", "[1e999]", `{"a":1,"a":2}`, `{"faults":[{"a":9007199254740993}]}`, "{\"name\":\"\xff\"}"} {
		f.Add([]byte(text))
	}
	if name == "bundle" {
		for _, file := range caseFiles(f)[:10] {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := parse(data)
		if err != nil {
			if invalid, ok := errors.AsType[*InvalidError](err); !ok || len(invalid.Issues) == 0 {
				t.Fatalf("no issues: %v", err)
			}
			return
		}
		canonical, err := Canonical(data)
		if err != nil {
			t.Fatalf("parsed, but has no canonical form: %v", err)
		}
		again, err := parse(canonical)
		if err != nil {
			t.Fatalf("canonical form: %v\n%s", err, canonical)
		}
		if diff := cmp.Diff(parsed, again, sameSteps); diff != "" {
			t.Fatalf("canonical form (-parsed +again):\n%s", diff)
		}
		twice, err := Canonical(canonical)
		if err != nil || !bytes.Equal(canonical, twice) {
			t.Fatalf("canonical twice: %v\n%s\n%s", err, canonical, twice)
		}
	})
}
