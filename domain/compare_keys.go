package domain

import (
	"cmp"
	"slices"
	"strings"
)

// inputKey tells the inputs of a run apart. The texts of the page do not do it alone: the field of an operation called
// branch and a branch step called as the field have one text (branch.timeoutMs).
type inputKey struct {
	text string
	kind inputKind
}

type inputKind int

const (
	ofThing inputKind = iota // or of the arrivals or an outage
	ofBranchStep
	ofLimit
)

const branchPrefix = "branch."

func limitKey(name string) inputKey { return inputKey{text: "limits." + name, kind: ofLimit} }

// compare sorts by the text, and what has one text by the kind.
func (k inputKey) compare(other inputKey) int {
	return cmp.Or(strings.Compare(k.text, other.text), cmp.Compare(k.kind, other.kind))
}

// kindOf says what an assumption belongs to. With the prefix of the branch steps it may belong to a thing called branch, if
// that has such a field.
func kindOf(key string, fieldsOfBranch []string) inputKind {
	field, ok := strings.CutPrefix(key, branchPrefix)
	if !ok || slices.Contains(fieldsOfBranch, field) {
		return ofThing
	}
	return ofBranchStep
}

// fieldsOfBranch are the fields that the thing called branch has assumptions of. None: nothing is called so.
func (d resultDocument) fieldsOfBranch() []string {
	var fields []string
	for section, own := range map[string][]string{
		"elements":      {"concurrency", "queueCapacity"},
		"operations":    {"timeoutMs", "maxAttempts", "backoffMs"},
		"subscriptions": {"consumers", "queueCapacity", "maxAttempts", "backoffMs"},
	} {
		if d.has(section, strings.TrimSuffix(branchPrefix, ".")) {
			fields = append(fields, own...)
		}
	}
	return append(fields, d.timeFieldsOfBranch()...)
}

// timeFieldsOfBranch are those of its service time: the kind, which is a text where a probability is a number, and the
// members of this kind.
func (d resultDocument) timeFieldsOfBranch() []string {
	for _, a := range d.Assumptions {
		if kind, isText := a.Value.(string); isText && a.Key == branchPrefix+"time.kind" {
			return append([]string{"time.kind"}, timeFields[kind]...)
		}
	}
	return nil
}

var timeFields = map[string][]string{
	TimeFixed:       {"time.ms"},
	TimeExponential: {"time.meanMs"},
	TimeLognormal:   {"time.medianMs", "time.p95Ms"},
	TimeUniform:     {"time.minMs", "time.maxMs"},
}

// has says whether a list of the result has a thing with the id.
func (d resultDocument) has(section, id string) bool {
	things, _ := d.Sections[section].([]any)
	return slices.ContainsFunc(things, func(thing any) bool {
		members, ok := thing.(map[string]any)
		return ok && members["id"] == id
	})
}
