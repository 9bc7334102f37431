package domain

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// Expectation is a condition on one number of a result: PATH OP NUMBER[unit] (spec 3, Command line). PATH is
// the path of the number with ids in brackets, elements[pay].utilisation; flow.p99 is short for
// flow.latency.p99Ms, and so below every thing that has a latency. A truth value counts as 1 or 0.
type Expectation struct {
	Path  string
	Op    string // < <= > >= == !=
	Bound float64
	Unit  string // as written: us, ms, s, min, %, /s or empty

	steps []pathStep
	bound float64 // Bound in the unit of the path
}

// pathStep is one step of a path: a member, or an entry of a list by its id, key or place.
type pathStep struct {
	name  string
	entry bool
}

// operators, the longer first so that <= is not read as <.
var operators = []string{"<=", ">=", "==", "!=", "<", ">"}

// unitFactors turn a number with a unit into milliseconds, or into a plain number.
var unitFactors = map[string]float64{"us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "%": 0.01, "/s": 1, "": 1}

// ParseExpectation reads an expectation. Whether its path names a number is known only with a result.
func ParseExpectation(text string) (Expectation, error) {
	path, op, number, err := splitExpectation(text)
	if err != nil {
		return Expectation{}, err
	}
	e := Expectation{Path: path, Op: op}
	if e.steps, err = parsePath(path); err != nil {
		return Expectation{}, err
	}
	digits := strings.TrimRight(number, "/%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	e.Unit = strings.TrimSpace(number[len(digits):])
	if e.Bound, err = strconv.ParseFloat(digits, 64); err != nil {
		return Expectation{}, fmt.Errorf("%q is not a number; an expectation is PATH OP NUMBER[unit], as in flow.p99 < 500ms", number)
	}
	return e, e.applyUnit()
}

func splitExpectation(text string) (path, op, number string, err error) {
	for i := range len(text) {
		for _, op := range operators {
			if strings.HasPrefix(text[i:], op) {
				return strings.TrimSpace(text[:i]), op, strings.TrimSpace(text[i+len(op):]), nil
			}
		}
	}
	return "", "", "", fmt.Errorf("%q has none of %s; an expectation is PATH OP NUMBER[unit], as in flow.p99 < 500ms", text, strings.Join(operators, " "))
}

// applyUnit turns the bound into the unit of the path, which the last member's name ends with.
func (e *Expectation) applyUnit() error {
	factor, known := unitFactors[e.Unit]
	if !known {
		return fmt.Errorf("unknown unit %q; the units are us, ms, s, min, %% and /s", e.Unit)
	}
	last := e.steps[len(e.steps)-1].name
	isRate := strings.HasSuffix(last, "PerSecond") || last == "perSecond"
	isTime := e.Unit == "us" || e.Unit == "ms" || e.Unit == "s" || e.Unit == "min"
	if isTime && !e.IsMs() {
		return fmt.Errorf("%s is not a time, it takes no unit %s; times end with Ms or are one of %s", e.Path, e.Unit, strings.Join(percentiles, ", "))
	}
	if e.Unit == "/s" && !isRate {
		return fmt.Errorf("%s is not a rate, it takes no unit /s", e.Path)
	}
	if e.Unit == "%" && (e.IsMs() || isRate) {
		return fmt.Errorf("%s is not a share, it takes no unit %%", e.Path)
	}
	e.bound = e.Bound * factor
	return nil
}

// parsePath splits name.name[entry].name into steps.
func parsePath(path string) ([]pathStep, error) {
	var steps []pathStep
	rest := path
	for rest != "" {
		if entry, after, ok := bracketed(rest); ok {
			steps, rest = append(steps, pathStep{entry, true}), after
			continue
		}
		if len(steps) > 0 {
			if rest[0] != '.' {
				return nil, fmt.Errorf("%q: a dot or a bracket is missing before %q", path, rest)
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("%q: a name is missing before %q", path, rest)
		}
		steps, rest = append(steps, pathStep{name: rest[:end]}), rest[end:]
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("the path is missing; an expectation is PATH OP NUMBER[unit], as in flow.p99 < 500ms")
	}
	return steps, nil
}

// bracketed takes [entry] off the front. An id has no bracket, an assumption's key may have pairs of them.
func bracketed(text string) (entry, after string, ok bool) {
	if text[0] != '[' {
		return "", "", false
	}
	open := 0
	for i, c := range text {
		switch c {
		case '[':
			open++
		case ']':
			if open--; open == 0 {
				return text[1:i], text[i+1:], i > 1
			}
		}
	}
	return "", "", false
}

// Judgement is what became of an expectation.
type Judgement struct {
	Value *float64 // in the unit of the path; nil: the run has no such value
	Holds bool     // a value that the run does not have breaks the expectation
}

// Judge looks the number up in a result document. An error says that the path names no number, and what
// there is instead.
func (e Expectation) Judge(document []byte) (Judgement, error) {
	var root any
	if err := json.Unmarshal(document, &root); err != nil {
		return Judgement{}, fmt.Errorf("not a result: %w", err)
	}
	value := root
	for i, step := range e.steps {
		next, err := step.follow(value)
		if err != nil {
			return Judgement{}, fmt.Errorf("%s: after %s: %w", e.Path, pathText(e.steps[:i]), err)
		}
		value = next
	}
	switch v := value.(type) {
	case nil:
		return Judgement{}, nil
	case bool:
		return e.judge(map[bool]float64{true: 1}[v]), nil
	case float64:
		return e.judge(v), nil
	case string:
		return Judgement{}, fmt.Errorf("%s is text, %q, not a number", e.Path, shortened(v))
	}
	return Judgement{}, fmt.Errorf("%s is not a number: %w", e.Path, whatThereIs(value))
}

// InUnit is a value of the path in the unit of the bound.
func (e Expectation) InUnit(v float64) float64 { return v / unitFactors[e.Unit] }

// IsMs says whether the values of the path are milliseconds.
func (e Expectation) IsMs() bool {
	last := len(e.steps) - 1
	name := e.steps[last].name
	return strings.HasSuffix(name, "Ms") || isPercentile(name) && (last == 0 || e.steps[last-1].name != "depth")
}

func (e Expectation) judge(v float64) Judgement {
	holds := map[string]bool{
		"<": v < e.bound, "<=": v <= e.bound, ">": v > e.bound, ">=": v >= e.bound, "==": v == e.bound, "!=": v != e.bound,
	}
	return Judgement{Value: &v, Holds: holds[e.Op]}
}

// follow goes one step into a value.
func (s pathStep) follow(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		if next, ok := v[s.name]; ok && !s.entry {
			return next, nil
		}
		if next, ok := shortForm(v, s.name); ok && !s.entry {
			return next, nil
		}
	case []any:
		if next, ok := findEntry(v, s.name); ok && s.entry {
			return next, nil
		}
	}
	return nil, fmt.Errorf("no %q: %w", s.name, whatThereIs(value))
}

// shortForm finds p99 of a thing in its latency.
func shortForm(thing map[string]any, name string) (any, bool) {
	latency, ok := thing["latency"].(map[string]any)
	if !ok || !isPercentile(name) {
		return nil, false
	}
	next, ok := latency[name+"Ms"]
	return next, ok
}

// percentiles are the names of a summary that may leave out Ms.
var percentiles = []string{"min", "mean", "p50", "p90", "p95", "p99", "p999", "max"}

func isPercentile(name string) bool {
	return slices.Contains(percentiles, name)
}

// findEntry finds an entry by its id or key, or by its place.
func findEntry(list []any, name string) (any, bool) {
	for _, entry := range list {
		if thing, ok := entry.(map[string]any); ok && (thing["id"] == name || thing["key"] == name) {
			return entry, true
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(list) {
		return list[i], true
	}
	return nil, false
}

// whatThereIs names the ways on from a value.
func whatThereIs(value any) error {
	switch v := value.(type) {
	case map[string]any:
		return fmt.Errorf("there is %s", strings.Join(slices.Sorted(maps.Keys(v)), ", "))
	case []any:
		var names []string
		for i, entry := range v {
			name := strconv.Itoa(i)
			if thing, ok := entry.(map[string]any); ok {
				if id, ok := thing["id"].(string); ok {
					name = id
				}
			}
			names = append(names, "["+name+"]")
		}
		return fmt.Errorf("it is a list with %s", strings.Join(names, ", "))
	}
	return fmt.Errorf("it is %v", value)
}

func pathText(steps []pathStep) string {
	if len(steps) == 0 {
		return "the start"
	}
	var b strings.Builder
	for i, s := range steps {
		switch {
		case s.entry:
			b.WriteString("[" + s.name + "]")
		case i == 0:
			b.WriteString(s.name)
		default:
			b.WriteString("." + s.name)
		}
	}
	return b.String()
}
