package domain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// expectedResult is the result of a case, after edit has changed it.
func expectedResult(t *testing.T, name string, edit func(doc map[string]any)) domain.StoredResult {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(caseDir, "expected", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if edit == nil {
		return domain.StoredResult{Document: data}
	}
	doc := generic(t, data).(map[string]any)
	edit(doc)
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	return domain.StoredResult{Document: data}
}

func compare(t *testing.T, left, right domain.StoredResult) domain.Comparison {
	t.Helper()
	c, err := domain.CompareResults(left, right)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of every case: a result and itself are the same, and the rows have each number and null of the compared
// sections under the path where it stands.
func TestCompareAResultWithItself(t *testing.T) {
	for _, c := range engineCases(t) {
		if c.expected.Type != "" {
			continue
		}
		result := expectedResult(t, c.name, nil)
		got := compare(t, result, result)
		if !got.SameResult || len(got.Inputs) != 0 {
			t.Errorf("%s: same %v, inputs %v", c.name, got.SameResult, got.Inputs)
		}
		doc := generic(t, result.Document).(map[string]any)
		for _, row := range got.Metrics {
			want := valueAt(t, doc, row.Key)
			if diff := cmp.Diff(want, number(row.Left)); diff != "" {
				t.Errorf("%s %s: %s", c.name, row.Key, diff)
			}
			if wantDelta := want != nil; (row.Delta != nil) != wantDelta || wantDelta && *row.Delta != 0 {
				t.Errorf("%s %s: delta %v", c.name, row.Key, row.Delta)
			}
		}
		want := 0
		for _, section := range []string{"flow", "operations", "elements", "subscriptions", "channels", "drain", "endMs"} {
			want += numbersIn(doc[section])
		}
		if len(got.Metrics) != want {
			t.Errorf("%s: %d rows, want %d", c.name, len(got.Metrics), want)
		}
	}
}

func number(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

var pathPart = regexp.MustCompile(`^(?:\.?([A-Za-z0-9]+)|\[([^\]]+)\])`)

// valueAt reads a document at a path by its definition: names behind dots, ids and places in brackets.
func valueAt(t *testing.T, at any, path string) any {
	t.Helper()
	for rest := path; rest != ""; {
		part := pathPart.FindStringSubmatch(rest)
		if part == nil {
			t.Fatalf("path %s ends in %s", path, rest)
		}
		rest = rest[len(part[0]):]
		if part[1] != "" {
			at = at.(map[string]any)[part[1]]
			continue
		}
		list := at.([]any)
		place := slices.IndexFunc(list, func(e any) bool { m, ok := e.(map[string]any); return ok && m["id"] == part[2] })
		if place < 0 {
			var err error
			if place, err = strconv.Atoi(part[2]); err != nil {
				t.Fatalf("path %s: no %s", path, part[2])
			}
		}
		at = list[place]
	}
	return at
}

func numbersIn(v any) int {
	count := 0
	switch v := v.(type) {
	case nil, float64:
		return 1
	case []any:
		for _, e := range v {
			count += numbersIn(e)
		}
	case map[string]any:
		for name, e := range v {
			if name != "backlogWindows" {
				count += numbersIn(e)
			}
		}
	}
	return count
}

func TestCompareMetrics(t *testing.T) {
	const left = `{"engineVersion":3,"seed":"1","hash":"a",
		"flow":{"started":10,"latency":{"count":4,"p99Ms":2.5,"reservoir":false}},
		"operations":[{"id":"b","attempts":3}],
		"elements":[{"id":"pay","kind":"element","queueCapacity":null,"saturated":true,"depth":{"quarters":[1,2]},
			"backlogWindows":[{"startMs":1,"endMs":null}]}],
		"events":5,"drain":{"drained":true,"timeMs":null,"left":{"flows":2}},"endMs":9,"unusedInputs":1}`
	const right = `{"engineVersion":3,"seed":"1","hash":"b",
		"flow":{"started":7,"latency":{"count":4,"p99Ms":null,"reservoir":false}},
		"operations":[{"id":"a.x","attempts":1}],
		"elements":[{"id":"pay","kind":"element","queueCapacity":4,"saturated":true,"depth":{"quarters":[1,4]},
			"backlogWindows":[]}],
		"events":6,"drain":{"drained":true,"timeMs":3,"left":{"flows":0}},"endMs":9.5,"unusedInputs":0}`
	want := []string{ // key left right delta
		"flow.latency.count 4 4 0",
		"flow.latency.p99Ms 2.5 null null",
		"flow.started 10 7 -3",
		"operations[a.x].attempts null 1 null",
		"operations[b].attempts 3 null null",
		"elements[pay].depth.quarters[0] 1 1 0",
		"elements[pay].depth.quarters[1] 2 4 2",
		"elements[pay].queueCapacity null 4 null",
		"drain.left.flows 2 0 -2",
		"drain.timeMs null 3 null",
		"endMs 9 9.5 0.5",
	}
	c := compare(t, domain.StoredResult{Document: []byte(left)}, domain.StoredResult{Document: []byte(right)})
	var got []string
	for _, row := range c.Metrics {
		got = append(got, strings.Join([]string{row.Key, text(t, row.Left), text(t, row.Right), text(t, row.Delta)}, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sameResult is decided by the hashes alone.
func TestCompareTakesTheHashes(t *testing.T) {
	result := expectedResult(t, "arrivals-constant", nil)
	other := expectedResult(t, "arrivals-constant", func(doc map[string]any) { doc["hash"] = "0" })
	if c := compare(t, result, other); c.SameResult || len(c.Inputs) != 0 {
		t.Errorf("another hash: %v %v", c.SameResult, c.Inputs)
	}
	other = expectedResult(t, "arrivals-constant", func(doc map[string]any) { doc["seed"] = "2" })
	if c := compare(t, result, other); !c.SameResult || len(c.Inputs) != 1 {
		t.Errorf("another seed: %v %v", c.SameResult, c.Inputs)
	}
}

func TestCompareRefusesWhatIsNoResult(t *testing.T) {
	result := expectedResult(t, "arrivals-constant", nil)
	for _, document := range []string{
		"", "{", "[]", "null", "{}", `{"engineVersion":3}`, `{"hash":"a"}`,
		`{"engineVersion":3,"hash":"a","hash":"b"}`, `{"engineVersion":"3","hash":"a"}`, `{"engineVersion":3,"hash":"a","assumptions":{}}`,
	} {
		bad := domain.StoredResult{Document: []byte(document)}
		if _, err := domain.CompareResults(bad, result); err == nil || !strings.Contains(err.Error(), "left") {
			t.Errorf("left %s: %v", document, err)
		}
		if _, err := domain.CompareResults(result, bad); err == nil || !strings.Contains(err.Error(), "right") {
			t.Errorf("right %s: %v", document, err)
		}
	}
}

func FuzzCompareResults(f *testing.F) {
	f.Add([]byte(`{"engineVersion":3,"hash":"a","flow":{"a":[1,null,{"b":2}]},"elements":[1,null,{"id":2}]}`))
	f.Add([]byte(`{"engineVersion":1,"hash":"","flow":[[]],"assumptions":[{"key":"a"}],"overrides":[{"target":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		result := domain.StoredResult{Document: data}
		c, err := domain.CompareResults(result, result)
		if err == nil && (!c.SameResult || len(c.Inputs) != 0) {
			t.Errorf("a result differs from itself: %v", c.Inputs)
		}
	})
}
