package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

var update = flag.Bool("update", false, "rewrite the outputs and the ranges of docs/examples")

// The ranges of the pages are made from seeds 1 to measuredSeeds and checked with other seeds: a range that
// holds for its own sample only is found.
const (
	measuredSeeds   = 200
	moreRange       = 0.25 // by which the range of the measured seeds is widened at each end
	firstTestedSeed = 1001
	testedSeeds     = 6
	widestRange     = 15 // times the spread of the tested seeds; about 4 is usual
)

// TestExamplesHavePages says that each bundle of examples/ has a page, an entry in the index, and no page is
// without its bundle.
func TestExamplesHavePages(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	bundles, pages := names(t, "examples/*"), names(t, "docs/examples/*.md")
	pages = slices.DeleteFunc(pages, func(name string) bool { return name == "README" })
	if !slices.Equal(bundles, pages) || len(bundles) < 8 {
		t.Errorf("examples/ has %v, docs/examples/ has %v", bundles, pages)
	}
	index, err := os.ReadFile("docs/examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range bundles {
		if !bytes.Contains(index, []byte("]("+name+".md)")) {
			t.Errorf("docs/examples/README.md does not list %s", name)
		}
	}
}

// names gives the names of files without their ending, in order.
func names(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return paths
}

// TestExamples runs every command of every page of docs/examples: an excerpt must be what its command prints, and
// every tested seed must lie in the ranges. -update rewrites both.
func TestExamples(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for _, name := range names(t, "docs/examples/*.md") {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("docs", "examples", name+".md")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			tables := 0
			old := page(strings.Split(string(data), "\n"))
			visited := old.visit(pageVisitor{
				excerpt: func(command string, output []string) []string { return checkExcerpt(t, command, output) },
				ranges: func(command string, rows []rangeRow) []rangeRow {
					tables++
					return checkRanges(t, command, rows)
				},
			})
			if tables == 0 && name != "README" {
				t.Error("the page states no range")
			}
			if *update {
				if err := os.WriteFile(path, []byte(strings.Join(visited, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func checkExcerpt(t *testing.T, command string, want []string) []string {
	t.Helper()
	p, err := parsePipeline(command)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), p.args, streams{strings.NewReader(shell(t, p.before, "")), &out, &errs})
	if code > exitBroken {
		t.Fatalf("%s: exit code %d: %s", command, code, &errs)
	}
	got := strings.Split(strings.TrimRight(shell(t, p.after, out.String()), "\n"), "\n")
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if !*update && !slices.Equal(got, want) {
		t.Errorf("%s prints\n%s\nthe page says\n%s", command, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return got
}

func checkRanges(t *testing.T, command string, rows []rangeRow) []rangeRow {
	t.Helper()
	first, count := uint64(firstTestedSeed), testedSeeds
	if *update {
		first, count = 1, measuredSeeds
	}
	figures := make([]domain.Expectation, len(rows))
	for i, row := range rows {
		var err error
		if figures[i], err = domain.ParseExpectation(strings.Trim(row["figure"], "`") + " >= 0"); err != nil {
			t.Fatal(err)
		}
	}
	for i, values := range measure(t, command, figures, first, count) {
		if *update {
			rows[i].set(values)
		}
		rows[i].check(t, command, values)
	}
	return rows
}

// measure runs seeds and gives the values of each figure, one a seed. It runs few at a time: a result is large.
func measure(t *testing.T, command string, figures []domain.Expectation, first uint64, count int) [][]float64 {
	t.Helper()
	bundle := bundleOf(t, command)
	values := make([][]float64, len(figures))
	for done := 0; done < count; {
		o := runOptions{engine: engine.Newest, seeds: min(10, count-done)}
		bundle.Profile.Seed = strconv.FormatUint(first+uint64(done), 10)
		results, err := o.runAll(t.Context(), bundle, streams{})
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		for _, r := range results {
			document, err := r.Document()
			if err != nil {
				t.Fatal(err)
			}
			for i, figure := range figures {
				judged, err := figure.Judge(document)
				if err != nil || judged.Value == nil {
					t.Fatalf("%s: seed %s has no %s: %v", command, r.Seed, figure.Path, err)
				}
				values[i] = append(values[i], *judged.Value)
			}
		}
		done += o.seeds
	}
	return values
}

// bundleOf reads the bundle that a command runs, with its flag --rate applied.
func bundleOf(t *testing.T, command string) domain.Bundle {
	t.Helper()
	p, err := parsePipeline(command)
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	bundle, _, err := readBundle(p.args[1], false, streams{in: strings.NewReader(shell(t, p.before, "")), err: &errs})
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, &errs)
	}
	for i := 2; i < len(p.args); i += 2 {
		if p.args[i] != "--rate" {
			t.Fatalf("%s: a range knows the flag --rate only", command)
		}
		if bundle.Profile.Arrivals.RatePerSecond, err = strconv.ParseFloat(p.args[i+1], 64); err != nil {
			t.Fatal(err)
		}
	}
	if len(bundle.ProfileIssues) > 0 {
		t.Fatalf("%s: %v", command, bundle.ProfileIssues)
	}
	return bundle
}
