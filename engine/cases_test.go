package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// TestCases compares every case with what an independent implementation found: the whole document to the byte, or
// the refusal without its texts, which are free.
func TestCases(t *testing.T) {
	names := caseNames(t)
	if len(names) != 147 {
		t.Fatalf("%d cases, want 147", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := expectedOf(t, name)
			result, err := runBundle(t, name, func(in *Input) { in.Check = true })
			var refusal *domain.RefusedError
			switch {
			case errors.As(err, &refusal):
				compareRefusal(t, want, refusal)
			case err != nil:
				t.Fatal(err)
			default:
				compareDocument(t, want, result)
			}
		})
	}
}

func caseNames(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return names
}

func expectedOf(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/expected", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bundleOf reads the bundle of a case as an input, and the refusal of its profile (E65, stage 1).
func bundleOf(t testing.TB, name string) (Input, error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/cases", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := domain.ParseBundle(data)
	if err != nil {
		t.Fatal(err)
	}
	doubts := map[string]Doubt{}
	for _, m := range b.Measurements {
		inDoubt, stale := m.DoubtFor(b.Profile)
		doubts[m.ID] = Doubt{InDoubt: inDoubt, Stale: stale}
	}
	in := Input{Model: b.Model, Scenario: b.Scenario, Profile: b.Profile, Doubts: doubts}
	return in, refused(b.ProfileIssues)
}

// runBundle runs a case with some changes to its input.
func runBundle(t testing.TB, name string, changes ...func(*Input)) (*Result, error) {
	t.Helper()
	in, err := bundleOf(t, name)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		change(&in)
	}
	return Run(context.Background(), in)
}

func compareRefusal(t *testing.T, want []byte, got *domain.RefusedError) {
	t.Helper()
	var expected domain.RefusedError
	if err := json.Unmarshal(want, &expected); err != nil {
		t.Fatal(err)
	}
	bare := func(r domain.RefusedError) domain.RefusedError {
		r.Title, r.Issues = "", slices.Clone(r.Issues)
		for i := range r.Issues {
			r.Issues[i].Message = ""
		}
		return r
	}
	if diff := cmp.Diff(bare(expected), bare(*got)); diff != "" {
		t.Errorf("refusal (-want +got):\n%s", diff)
	}
}

func compareDocument(t *testing.T, want []byte, result *Result) {
	t.Helper()
	got, err := result.Document()
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := domain.Canonical(want)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(canonical, got) {
		return
	}
	var expected, found any
	if err := errors.Join(json.Unmarshal(want, &expected), json.Unmarshal(got, &found)); err != nil {
		t.Fatal(err)
	}
	differences := diffPaths("", expected, found)
	t.Errorf("%d differences:\n%s", len(differences), strings.Join(differences[:min(12, len(differences))], "\n"))
}

// diffPaths lists the places where two JSON values differ, as pointers.
func diffPaths(at string, want, got any) []string {
	var found []string
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for _, key := range slices.Sorted(keysOf(w, g)) {
			found = append(found, diffPaths(at+"/"+key, w[key], g[key])...)
		}
		return found
	case []any:
		g, _ := got.([]any)
		if len(w) == len(g) {
			for i := range w {
				found = append(found, diffPaths(fmt.Sprintf("%s/%d", at, i), w[i], g[i])...)
			}
			return found
		}
	}
	if !cmp.Equal(want, got) {
		found = append(found, fmt.Sprintf("%s: want %.200s, got %.200s", at, fmt.Sprint(want), fmt.Sprint(got)))
	}
	return found
}

func keysOf(objects ...map[string]any) func(yield func(string) bool) {
	all := map[string]bool{}
	for _, o := range objects {
		for key := range o {
			all[key] = true
		}
	}
	return func(yield func(string) bool) {
		for key := range all {
			if !yield(key) {
				return
			}
		}
	}
}
