package domain_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/proofload/proofload/domain"
)

// storedResults are the fixtures of testdata/results with the SHA-256 of their bytes: they are never written anew.
var storedResults = map[int]string{
	1: "5071eaadf97ccde444eb3314d20a47ccaf0c379eb7a5666a274de8f78054c5ea",
	2: "72db34d7c44bd1faad8ce7f5c1b5b2cd8c085726c48766f438a029eaf7b2ba09",
}

func storedResult(t *testing.T, version int) domain.StoredResult {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("testdata/results/version-%d.json", version))
	if err != nil {
		t.Fatal(err)
	}
	return domain.StoredResult{Document: data}
}

func TestStoredResultsAreUnchanged(t *testing.T) {
	for version, want := range storedResults {
		sum := sha256.Sum256(storedResult(t, version).Document)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("version-%d.json has SHA-256 %s, it was %s", version, got, want)
		}
	}
}

// The hash of a fixture is that of its own text (spec 2, Result document): an altered number would be found.
func TestStoredResultsHaveTheirHash(t *testing.T) {
	for version := range storedResults {
		canonical, err := domain.Canonical(storedResult(t, version).Document)
		if err != nil {
			t.Fatal(err)
		}
		var result struct {
			Hash string `json:"hash"`
		}
		if err := json.Unmarshal(canonical, &result); err != nil {
			t.Fatal(err)
		}
		unsigned := strings.Replace(string(canonical), `"hash":"`+result.Hash+`"`, `"hash":""`, 1)
		sum := sha256.Sum256([]byte(unsigned))
		if got := hex.EncodeToString(sum[:]); got != result.Hash {
			t.Errorf("version %d states the hash %s, its text has %s", version, result.Hash, got)
		}
	}
}

// A result of engine version 1 is what spec 2 (Engine versions) says: without limits, with one assumption for each outage.
func TestCompareStoredResults(t *testing.T) {
	first, second := storedResult(t, 1), storedResult(t, 2)
	newest := expectedResult(t, "labels-service-times-measured", nil)
	limits := []string{
		`limits.arrivals | "not recorded" | 200000`, `limits.drainSeconds | "not recorded" | 3600`, `limits.duration | "not recorded" | 3600`,
		`limits.events | "not recorded" | 5000000`, `limits.keptSamples | "not recorded" | 50000`, `limits.pending | "not recorded" | 250000`,
		`limits.queued | "not recorded" | 250000`, `limits.routes | "not recorded" | 200`, `limits.seriesPoints | "not recorded" | 240`,
		`limits.targets | "not recorded" | 100`,
	}
	outages := []string{
		`outage.a[0] | "3 to 3.2" declared | null`, `outage.a[0].fromSeconds | null | 3 declared`, `outage.a[0].toSeconds | null | 3.2 declared`,
	}
	want := append(append([]string{`engineVersion | 1 | 2`}, limits...), outages...)
	if diff := cmp.Diff(want, differences(t, compare(t, first, second))); diff != "" {
		t.Errorf("1 with 2 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`engineVersion | 2 | 3`}, differences(t, compare(t, second, newest))); diff != "" {
		t.Errorf("2 with 3 (-want +got):\n%s", diff)
	}
	for version := range storedResults {
		same := compare(t, storedResult(t, version), storedResult(t, version))
		if !same.SameResult || len(same.Inputs) > 0 || len(same.Metrics) == 0 {
			t.Errorf("version %d with itself: %v, %v, %d metrics", version, same.SameResult, same.Inputs, len(same.Metrics))
		}
	}
	for _, m := range compare(t, first, second).Metrics { // the fixture of 1 has the numbers of 2
		if m.Delta != nil && *m.Delta != 0 || (m.Left == nil) != (m.Right == nil) {
			t.Errorf("%+v", m)
		}
	}
}
