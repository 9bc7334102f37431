package domain

import (
	"cmp"
	"fmt"
)

// metricSections are the members of a result whose numbers are compared, in the order of the rows.
var metricSections = []string{"flow", "operations", "elements", "subscriptions", "channels", "drain", "endMs"}

// metricKey is the path of a number in a result, in parts, so that rows sort by section, then id, then place.
type metricKey struct {
	section int    // of metricSections
	id      string // of a thing of a list; empty: the section is one thing
	path    string // .latency.p99Ms
}

// String is the path as the command line writes it: elements[pay].latency.p99Ms.
func (k metricKey) String() string {
	if k.id == "" {
		return metricSections[k.section] + k.path
	}
	return metricSections[k.section] + "[" + k.id + "]" + k.path
}

func (k metricKey) compare(other metricKey) int {
	return cmp.Or(cmp.Compare(k.section, other.section), cmp.Compare(k.id, other.id), cmp.Compare(k.path, other.path))
}

// metrics are all numbers and nulls of the compared sections.
func (d resultDocument) metrics() map[metricKey]*float64 {
	found := metrics{}
	for i, name := range metricSections {
		section, ok := d.Sections[name]
		if !ok {
			continue
		}
		things, isList := section.([]any)
		if !isList {
			found.collect(metricKey{section: i}, section)
			continue
		}
		for _, thing := range things {
			if members, ok := thing.(map[string]any); ok {
				id, _ := members["id"].(string)
				found.collect(metricKey{section: i, id: id}, members)
			}
		}
	}
	return found
}

type metrics map[metricKey]*float64

// collect takes the numbers and nulls of a value and of all that is nested in it. Backlog windows are a list
// of instants, one cannot be set against another.
func (m metrics) collect(at metricKey, value any) {
	switch v := value.(type) {
	case nil:
		m[at] = nil
	case float64:
		m[at] = &v
	case []any:
		for i, entry := range v {
			m.collect(at.below(fmt.Sprintf("[%d]", i)), entry)
		}
	case map[string]any:
		for name, member := range v {
			if name != "backlogWindows" {
				m.collect(at.below("."+name), member)
			}
		}
	}
}

func (k metricKey) below(path string) metricKey {
	k.path += path
	return k
}
