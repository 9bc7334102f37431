package engine

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/proofload/proofload/domain"
)

var update = flag.Bool("update", false, "add golden hashes that are missing; those that stand are never rewritten")

const goldenFile = "testdata/golden.json"

// TestGolden compares the hash of every case with the one that its engine version gave when it was released.
// A rule that changes any of them belongs into a new version. -update adds the hashes of a new version or a
// new case and leaves all others as they are.
func TestGolden(t *testing.T) {
	golden := readGolden(t)
	missing := 0
	for _, version := range versions {
		number := strconv.Itoa(version.number)
		if golden[number] == nil {
			golden[number] = map[string]string{}
		}
		for _, name := range caseNames(t) {
			hash, ok := hashUnder(t, name, version.number)
			want, known := golden[number][name]
			switch {
			case !ok:
			case !known:
				missing++
				golden[number][name] = hash
			case hash != want:
				t.Errorf("%s under version %s: hash %s, it was %s", name, number, hash, want)
			}
		}
	}
	switch {
	case missing > 0 && *update:
		writeGolden(t, golden)
	case missing > 0:
		t.Errorf("%d hashes are missing from %s; go test ./engine -run TestGolden -update adds them", missing, goldenFile)
	}
}

// hashUnder runs a case under a version; false: the run is refused.
func hashUnder(t *testing.T, name string, number int) (string, bool) {
	t.Helper()
	result, err := runBundle(t, name, func(in *Input) { in.Version = number })
	var refused *domain.RefusedError
	if errors.As(err, &refused) {
		return "", false
	}
	if err != nil {
		t.Fatalf("%s under version %d: %v", name, number, err)
	}
	return result.Hash, true
}

func readGolden(t *testing.T) map[string]map[string]string {
	t.Helper()
	golden := map[string]map[string]string{}
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	return golden
}

func writeGolden(t *testing.T, golden map[string]map[string]string) {
	t.Helper()
	data, err := json.MarshalIndent(golden, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
