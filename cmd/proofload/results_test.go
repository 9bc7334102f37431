package main

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/proofload/proofload/engine"
)

// Results of older engine versions are read and shown as they stand; nothing is judged anew.
func TestStoredResultsAreShown(t *testing.T) {
	for file, rule := range map[string]string{"version-1": "version-1", "version-2": "highest-utilisation"} {
		data, err := os.ReadFile("../../domain/testdata/results/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var result engine.Result
		if err := json.Unmarshal(data, &result, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if result.Bottleneck.Rule != rule || result.Bottleneck.ResourceID == nil {
			t.Fatalf("%s: %+v", file, result.Bottleneck)
		}
		var shown strings.Builder
		writeResult(&shown, file, &result)
		for _, want := range []string{"engine " + file[len("version-"):] + ", seed 1, result hash " + result.Hash, "Bottleneck: a gives way first", "Confidence: medium: "} {
			if !strings.Contains(shown.String(), want) {
				t.Errorf("%s: no %q in\n%s", file, want, &shown)
			}
		}
	}
}
