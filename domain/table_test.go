package domain

import (
	"fmt"
	"maps"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A table does what a map does, and every version of it stays as it was.
func TestTableIsAMapThatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table Table[int]
		want := map[string]int{}
		var versions []Table[int]
		var wanted []map[string]int
		for i := range rapid.IntRange(0, 60).Draw(t, "changes") {
			key := fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "key"))
			if rapid.Bool().Draw(t, "without") {
				table = table.Without(key)
				delete(want, key)
			} else {
				table = table.With(key, i)
				want[key] = i
			}
			versions, wanted = append(versions, table), append(wanted, maps.Clone(want))
		}
		for i, version := range versions {
			if diff := cmp.Diff(wanted[i], maps.Collect(version.All())); diff != "" || version.Len() != len(wanted[i]) {
				t.Fatalf("version %d has %d entries (-want +got):\n%s", i, version.Len(), diff)
			}
			for key, value := range wanted[i] {
				if got, ok := version.Get(key); !ok || got != value {
					t.Fatalf("version %d: %s is %d, %v", i, key, got, ok)
				}
			}
		}
		if _, ok := table.Get("none"); ok {
			t.Fatal("it has what nobody put in")
		}
	})
}

// One token more costs the same with ten thousand as with few, about: to copy them all would be 2 MB each time.
func TestATokenMoreIsCheap(t *testing.T) {
	var i Instance
	issue := func(n int) {
		i = EvolveInstance(i, TokenIssued{TokenID: fmt.Sprint("t", n), MemberID: fmt.Sprint("m", n%100), Hash: fmt.Sprint("h", n)})
	}
	for n := range 10_000 {
		issue(n)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const more = 100
	for n := range more {
		issue(10_000 + n)
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / more; bytes > 64<<10 {
		t.Errorf("each of %d tokens takes %d bytes to fold", more, bytes)
	}
}
