package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// page is a page of docs/examples, line by line. Two things in it are checked and rewritten by -update: blocks of
// type console, whose first line is "$ COMMAND" and whose others are all that COMMAND prints, and the table after a
// line "Range of `COMMAND`:", whose rows are figures with the least and the greatest value over seeds.
type page []string

// pageVisitor gets what a page states and returns what it should state.
type pageVisitor struct {
	excerpt func(command string, output []string) []string
	ranges  func(command string, rows []rangeRow) []rangeRow
}

// rangeRow is a row of a table of ranges: its cells by the name of their column.
type rangeRow map[string]string

func (p page) visit(v pageVisitor) page {
	var visited page
	for i := 0; i < len(p); i++ {
		visited = append(visited, p[i])
		if command, ok := strings.CutPrefix(p[i], "$ "); ok && i > 0 && p[i-1] == "```console" {
			end := i + 1 + max(0, slices.Index(p[i+1:], "```"))
			visited = append(visited, v.excerpt(command, p[i+1:end])...)
			i = end - 1
		}
		if command, ok := rangeCommand(p[i]); ok && i+3 < len(p) {
			columns := cells(p[i+2])
			visited = append(visited, p[i+1:i+4]...)
			i += 3
			var rows []rangeRow
			for ; i+1 < len(p) && strings.HasPrefix(p[i+1], "|"); i++ {
				rows = append(rows, readRow(columns, cells(p[i+1])))
			}
			for _, row := range v.ranges(command, rows) {
				visited = append(visited, row.line(columns))
			}
		}
	}
	return visited
}

func rangeCommand(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "Range of `")
	command, isRange := strings.CutSuffix(rest, "`:")
	return command, ok && isRange
}

func cells(line string) []string {
	parts := strings.Split(strings.Trim(line, "| "), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func readRow(columns, values []string) rangeRow {
	row := rangeRow{}
	for i, column := range columns {
		if i < len(values) {
			row[column] = values[i]
		}
	}
	return row
}

func (r rangeRow) line(columns []string) string {
	values := make([]string, len(columns))
	for i, column := range columns {
		values[i] = r[column]
	}
	return "| " + strings.Join(values, " | ") + " |"
}

// pipeline is a command of a page: a shell command that prints a bundle (or none), proofload, and a shell command
// that picks lines of its output (or none).
type pipeline struct {
	before string
	args   []string
	after  string
}

func parsePipeline(command string) (pipeline, error) {
	stages := strings.Split(command, " | ")
	at := slices.IndexFunc(stages, func(s string) bool { return strings.HasPrefix(s, "proofload ") })
	if at < 0 {
		return pipeline{}, fmt.Errorf("%q does not run proofload", command)
	}
	return pipeline{
		before: strings.Join(stages[:at], " | "),
		args:   splitWords(stages[at])[1:],
		after:  strings.Join(stages[at+1:], " | "),
	}, nil
}

// splitWords splits at spaces that are not between single quotes.
func splitWords(command string) []string {
	var words []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// shell gives the output of a shell command; without a command its input.
func shell(t *testing.T, command, input string) string {
	t.Helper()
	if command == "" {
		return input
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Stdin = strings.NewReader(input)
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return string(output)
}

func TestPage(t *testing.T) {
	text := page{
		"```console", "$ proofload run a.yaml | head -n 1", "old", "```", "",
		"Range of `proofload run a.yaml`:", "", "| figure | formula | least | greatest |", "| --- | --- | --- | --- |",
		"| `flow.failed` | 3 | 1 | 2 |", "end",
	}
	var seen []string
	got := text.visit(pageVisitor{
		excerpt: func(command string, output []string) []string {
			seen = append(seen, command, strings.Join(output, "/"))
			return []string{"new"}
		},
		ranges: func(command string, rows []rangeRow) []rangeRow {
			seen = append(seen, command, fmt.Sprint(len(rows)), rows[0]["figure"], rows[0]["greatest"])
			rows[0]["greatest"] = "9"
			return rows
		},
	})
	want := slices.Clone(text)
	want[2], want[9] = "new", "| `flow.failed` | 3 | 1 | 9 |"
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	wantSeen := []string{"proofload run a.yaml | head -n 1", "old", "proofload run a.yaml", "1", "`flow.failed`", "2"}
	if !slices.Equal(seen, wantSeen) {
		t.Errorf("visited %q, want %q", seen, wantSeen)
	}
}

func TestParsePipeline(t *testing.T) {
	got, err := parsePipeline("sed 's/a/b/' x.yaml | proofload run - --expect 'flow.p99 < 1s' | head -n 2 | tail -n 1")
	if err != nil {
		t.Fatal(err)
	}
	if got.before != "sed 's/a/b/' x.yaml" || got.after != "head -n 2 | tail -n 1" {
		t.Errorf("got %q before and %q after", got.before, got.after)
	}
	if want := []string{"run", "-", "--expect", "flow.p99 < 1s"}; !slices.Equal(got.args, want) {
		t.Errorf("got the arguments %q, want %q", got.args, want)
	}
	if _, err := parsePipeline("cat x.yaml"); err == nil {
		t.Error("a command without proofload is accepted")
	}
}
