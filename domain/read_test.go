package domain

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What no parser takes, whatever the document (issue 1, Bad input).
func TestBadText(t *testing.T) {
	texts := []struct{ name, text, want, says string }{
		{"empty body", "", "", "is empty"},
		{"white space", " \n\t ", "", "is empty"},
		{"not UTF-8", "{\"a\": \"\xff\"}", "", "not valid UTF-8 at line 1, column 8"},
		{"half a surrogate pair", `{"a": "\ud800"}`, "/a", "is not JSON"},
		{"byte order mark", "\ufeff{}", "", "is not JSON"},
		{"NaN", `{"a": NaN}`, "/a", "is not JSON"},
		{"infinity", `{"a": -Infinity}`, "/a", "is not JSON"},
		{"comment", "{} // end", "", "goes on after its end"},
		{"second value", "{} {}", "", "goes on after its end"},
		{"trailing comma", `{"a": [1,]}`, "/a", "is not JSON"},
		{"not closed", `{"a": [1, {"b": "`, "/a/1/b", "is not complete"},
		{"bracket of another kind", `{"a": [1}`, "/a", "is not JSON"},
		{"single quotes", `{'a': 1}`, "", "is not JSON"},
		{"duplicate key", "{\"a\": {\"b/c\": 1,\n\"b/c\": 2}}", "/a/b~1c", "stands twice in one object, again at line 2"},
		{"duplicate key by escape", `{"a": 1, "\u0061": 2}`, "/a", "stands twice"},
		{"1 MB of nesting", strings.Repeat("[", 1<<20), "", ""},
		{"129 levels", strings.Repeat("[", 129) + strings.Repeat("]", 129), strings.Repeat("/0", 128), "deeper than 128 levels"},
	}
	for _, p := range parsers {
		for _, c := range texts {
			t.Run(p.name+"/"+c.name, func(t *testing.T) {
				_, err := p.parse([]byte(c.text))
				got := targets(t, err)
				if len(got) != 1 || c.says != "" && got[0] != c.want {
					t.Fatalf("want one issue at %q, got %q", c.want, got)
				}
				if !strings.Contains(err.Error(), c.says) {
					t.Errorf("want %q in %q", c.says, err)
				}
			})
		}
	}
}

// A number that a double does not hold exactly is refused wherever it stands.
func TestNumbers(t *testing.T) {
	const at = "/faults/0/any"
	for _, number := range []string{"9007199254740993", "-9007199254740993", "9007199254740992.5", "9007199254740994", "1e16", "1e300", "1e999", "-1e999", "90071992547409930e-1", "9.0071992547409925e15"} {
		_, err := ParseScenario(changed(t, validScenario, at, number))
		if diff := cmp.Diff([]string{at}, targets(t, err)); diff != "" {
			t.Errorf("%s: targets (-want +got):\n%s", number, diff)
		}
	}
	for _, number := range []string{"9007199254740992", "-9007199254740992", "9007199254740992.00", "9.007199254740992e15", "90071992547409920E-1", "9007199254740991", "1e15", "-0", "1e-400", "0.1234567890123456789"} {
		if _, err := ParseScenario(changed(t, validScenario, at, number)); err != nil {
			t.Errorf("%s: %v", number, err)
		}
	}
}

// A number out of range does not hide what else is wrong.
func TestNumberAmongOtherIssues(t *testing.T) {
	data := strings.Replace(validModel, `"timeoutMs": 2000`, `"timeoutMs": 1e999`, 1)
	data = strings.Replace(data, `"kind": "queue"`, `"kind": "pipe"`, 1)
	_, err := ParseModel([]byte(data))
	if diff := cmp.Diff([]string{"/channels/1/kind", "/operations/0/timeoutMs"}, targets(t, err)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestNestingAtTheLimit(t *testing.T) {
	deepest := strings.Repeat("[", MaxJSONNesting) + strings.Repeat("]", MaxJSONNesting)
	if _, err := Canonical([]byte(deepest)); err != nil {
		t.Error(err)
	}
}

// The limits of size: the last byte that is taken and the first that is not. White space counts.
func TestSize(t *testing.T) {
	limits := map[string]int{
		"model": 1 << 20, "scenario": 1 << 20, "profile": 256 << 10, "objectives": 256 << 10,
		"measurement": 16 << 20, "bundle": 16 << 20, "canonical": 16 << 20,
	}
	for _, p := range parsers {
		limit := limits[p.name]
		padded := func(n int) []byte { return append([]byte(p.valid), strings.Repeat(" ", n-len(p.valid))...) }
		if _, err := p.parse(padded(limit)); err != nil {
			t.Errorf("%s at %d bytes: %v", p.name, limit, err)
		}
		if _, err := p.parse(padded(limit + 1)); err == nil || !strings.Contains(err.Error(), "is too large") {
			t.Errorf("%s at %d bytes: %v", p.name, limit+1, err)
		}
	}
}

// A document is stored in canonical form, where 1e15 has 16 digits: it is over the limit when that form is.
func TestSizeOfTheCanonicalForm(t *testing.T) {
	long := fmt.Sprintf(`{"name": "", "steps": [], "faults": [{"a": %s}]}`, entries(100_000, "1e15"))
	if len(long) > MaxScenarioBytes {
		t.Fatal("the text itself is too long")
	}
	if _, err := ParseScenario([]byte(long)); err == nil || !strings.Contains(err.Error(), "is too large") {
		t.Errorf("got %v", err)
	}
}

// All issues come at once, in order of target; what is wrong above a place is not repeated below it.
func TestAllIssuesAtOnce(t *testing.T) {
	_, err := ParseModel([]byte(`{
		"elements": [{"id": "-a", "kind": "house", "size": 1}, 7],
		"operations": [{"id": 5, "elementId": "nobody", "name": "x", "timeoutMs": "1", "retry": []}],
		"channels": {},
		"bindings": []
	}`))
	want := []string{
		"/channels", "/elements/0/id", "/elements/0/kind", "/elements/0/name", "/elements/0/size", "/elements/1",
		"/operations/0/elementId", "/operations/0/id", "/operations/0/retry", "/operations/0/timeoutMs", "/subscriptions",
	}
	if diff := cmp.Diff(want, targets(t, err)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

// The sentences name the way out.
func TestMessages(t *testing.T) {
	cases := []struct{ at, value, want string }{
		{"/operations/0/timeoutMs", "3600001", "must be 0 to 3 600 000 ms, not 3 600 001"},
		{"/operations/0/timeoutMs", `"1"`, "must be a number, not text"},
		{"/operations/0/timeout", "1", `unknown member "timeout"; this object has: id, elementId, name, timeoutMs, retry`},
		{"/operations/0/retry/maxAttempts", "1.5", "must be a whole number, without a fraction"},
		{"/channels/0/kind", `"pipe"`, `must be one of topic, queue, not "pipe"`},
		{"/channels/0/name", "", `is missing; add "name", text`},
		{"/bindings/0/toChannelId", `"none"`, `names no channel of this model; add the channel "none" or name another`},
		{"/bindings/0/id", `"web"`, `"web" stands at /elements/0/id already; keep one of the two`},
	}
	for _, c := range cases {
		_, err := ParseModel(changed(t, validModel, c.at, c.value))
		want := &InvalidError{Issues: []Issue{{Code: CodeInvalidModel, Target: c.at, Message: c.want}}}
		if diff := cmp.Diff(error(want), err); diff != "" {
			t.Errorf("%s = %s (-want +got):\n%s", c.at, c.value, diff)
		}
	}
}

// An answer stays short whatever the document holds.
func TestManyIssues(t *testing.T) {
	members := make([]string, 2000)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d": 0`, i)
	}
	_, err := ParseScenario([]byte(`{"name": "", "steps": [], ` + strings.Join(members, ",") + `}`))
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Issues) != maxIssues+1 {
		t.Fatalf("got %.200v", err)
	}
	if second := invalid.Issues[1]; second.Target == "" {
		t.Errorf("the number of issues stands there twice: %+v", second)
	}
	if first := invalid.Issues[0]; first.Target != "" || !strings.Contains(first.Message, "2000") {
		t.Errorf("the first issue does not say how many there are: %+v", first)
	}
}

// A name with a slash or a tilde is escaped in a pointer (RFC 6901).
func TestPointerEscapes(t *testing.T) {
	_, err := ParseObjectives([]byte(`[{"name": "a", "expect": "flow.failed == 0", "c/d~e": 1}]`))
	if diff := cmp.Diff([]string{"/0/c~1d~0e"}, targets(t, err)); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

// -0 is read as 0, as its canonical form is: no result may show a sign that the stored document has lost.
func TestNegativeZero(t *testing.T) {
	m, err := ParseModel(changed(t, validModel, "/operations/0/timeoutMs", "-0"))
	if err != nil {
		t.Fatal(err)
	}
	if math.Signbit(m.Operations[0].TimeoutMs) {
		t.Error("the sign of -0 is kept")
	}
}
