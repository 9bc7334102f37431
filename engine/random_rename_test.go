package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// idMembers are the members of documents that hold an id.
var idMembers = []string{
	"id", "elementId", "operationId", "channelId", "fromChannelId", "toChannelId", "subscriptionId",
	"deadLetterChannelId", "stepId", "target", "resourceId",
}

// TestRenamingChangesOnlyNames renames all ids of a bundle that draws nothing, in a way that keeps their order.
func TestRenamingChangesOnlyNames(t *testing.T) {
	checkBundles(t, func(t *rapid.T) {
		in := randomInput(t, true)
		names := newNames(in)
		renamed := in
		renamed.Model = renameAs(t, in.Model, names)
		renamed.Scenario = renameAs(t, in.Scenario, names)
		renamed.Profile = renameAs(t, in.Profile, names)

		first, firstErr := Run(context.Background(), in)
		second, secondErr := Run(context.Background(), renamed)
		want, got := outcomeOf(t, first, firstErr), outcomeOf(t, second, secondErr)
		if first == nil {
			if len(want.Issues) != len(got.Issues) || want.Type != got.Type {
				t.Fatalf("refused as %v, renamed as %v", want, got)
			}
			return
		}
		expected := renameAs(t, *first, names)
		expected.Hash = second.Hash
		expected.Assumptions = renameAssumptions(first.Assumptions, names)
		if diff := difference(t, outcome{Result: &expected}, got); diff != "" {
			logBundle(t, in)
			t.Fatalf("renaming changed more than names:\n%s", diff)
		}
	})
}

// newNames gives every id of an input a new one, in the same order.
func newNames(in Input) map[string]string {
	ids := []string{"nothing"}
	collectIDs(toAny(in.Model), &ids)
	collectIDs(toAny(in.Scenario), &ids)
	slices.Sort(ids)
	names := map[string]string{}
	for i, id := range slices.Compact(ids) {
		names[id] = fmt.Sprintf("renamed-%04d", i)
	}
	return names
}

func toAny(document any) any {
	data, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		panic(err)
	}
	return value
}

func collectIDs(value any, ids *[]string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			collectIDs(item, ids)
		}
	case map[string]any:
		for member, item := range v {
			if id, ok := item.(string); ok && slices.Contains(idMembers, member) {
				*ids = append(*ids, id)
			}
			collectIDs(item, ids)
		}
	}
}

// renameAs is the document with new ids.
func renameAs[T any](t *rapid.T, document T, names map[string]string) T {
	data, err := json.Marshal(renameAny(toAny(document), names))
	if err != nil {
		t.Fatal(err)
	}
	var renamed T
	if err := json.Unmarshal(data, &renamed); err != nil {
		t.Fatal(err)
	}
	return renamed
}

func renameAny(value any, names map[string]string) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = renameAny(v[i], names)
		}
	case map[string]any:
		for member, item := range v {
			if id, ok := item.(string); ok && slices.Contains(idMembers, member) && names[id] != "" {
				v[member] = names[id]
				continue
			}
			v[member] = renameAny(item, names)
		}
	}
	return value
}

// renameAssumptions renames the ids in the keys, whose order is that of their text.
func renameAssumptions(assumptions []Assumption, names map[string]string) []Assumption {
	renamed := slices.Clone(assumptions)
	for i, a := range renamed {
		renamed[i].Key = renameKey(a.Key, names)
	}
	slices.SortFunc(renamed, func(a, b Assumption) int { return strings.Compare(a.Key, b.Key) })
	return renamed
}

// renameKey finds the longest id that stands in a key.
func renameKey(key string, names map[string]string) string {
	prefix, rest := "", key
	for _, p := range []string{"branch.", "outage."} {
		if strings.HasPrefix(key, p) {
			prefix, rest = p, strings.TrimPrefix(key, p)
		}
	}
	longest := ""
	for id := range names {
		if end, found := strings.CutPrefix(rest, id); found && (end == "" || end[0] == '.' || end[0] == '[') && len(id) > len(longest) {
			longest = id
		}
	}
	if longest == "" {
		return key
	}
	return prefix + names[longest] + strings.TrimPrefix(rest, longest)
}
