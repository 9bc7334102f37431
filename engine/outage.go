package engine

import (
	"cmp"
	"slices"
)

// span is an outage window [from, to) in virtual ns (E6).
type span struct{ from, to int64 }

// outage answers whether a thing is out. Instants are asked for in ascending order.
type outage struct {
	spans []span // disjoint, ascending
	next  int    // the first span that has not ended
}

// mergeSpans joins windows that overlap (E70) or touch; one that is empty in ns is none.
func mergeSpans(windows []span) []span {
	sorted := slices.DeleteFunc(slices.Clone(windows), func(s span) bool { return s.from >= s.to })
	slices.SortFunc(sorted, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var merged []span
	for _, s := range sorted {
		if last := len(merged) - 1; last >= 0 && s.from <= merged[last].to {
			merged[last].to = max(merged[last].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// at says whether the thing is out at an instant that is not before the last one asked for.
func (o *outage) at(now int64) bool { return len(o.spans) > 0 && o.within(now) }

func (o *outage) within(now int64) bool {
	for o.next < len(o.spans) && o.spans[o.next].to <= now {
		o.next++
	}
	return o.next < len(o.spans) && o.spans[o.next].from <= now
}
