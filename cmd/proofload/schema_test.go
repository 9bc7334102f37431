package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/proofload/proofload/domain"
)

// compiledSchema is the schema of a bundle, read by another implementation of JSON Schema.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := bundleSchema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("bundle.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("bundle.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func validate(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(instance)
}

// refusedByTheSchema are the cases with a profile that an editor can mark: a number outside a plain range.
// All other refusals compare two places, or a value with the model.
var refusedByTheSchema = map[string]bool{"refuse-profile-concurrency.json": true}

// What is read is valid by the schema, and what the schema refuses is refused when it is read.
func TestSchemaOfCases(t *testing.T) {
	compiled := compiledSchema(t)
	files, err := filepath.Glob("../../engine/testdata/cases/*.json")
	if err != nil || len(files) != 147 {
		t.Fatalf("want 147 cases, got %d, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		refused := refusedByTheSchema[filepath.Base(file)]
		if err := validate(t, compiled, text); (err != nil) != refused {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

// The bundles that the program brings along are valid.
func TestSchemaOfOwnBundles(t *testing.T) {
	compiled := compiledSchema(t)
	for _, name := range []string{"init.yaml", "demo.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, _, err := yamlToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, compiled, asJSON); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What an editor marks: each change makes a valid bundle invalid, and the parser agrees.
func TestSchemaRefuses(t *testing.T) {
	compiled := compiledSchema(t)
	valid, err := os.ReadFile("../../engine/testdata/cases/labels-measured.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(valid), "\n", "")
	for strings.Contains(text, "  ") {
		text = strings.ReplaceAll(text, "  ", " ")
	}
	changes := [][2]string{
		{`"profile": {`, `"notes": "", "profile": {`},
		{`"kind": "service"`, `"kind": "house"`},
		{`"id": "svc"`, `"id": "s v c"`},
		{`"name": "op",`, ``},
		{`"timeoutMs": 0`, `"timeoutMs": 3600001`},
		{`"maxAttempts": 1`, `"maxAttempts": 11`},
		{`"kind": "call"`, `"kind": "write"`},
		{`"operationId": "op",`, ``},
		{`"seed": "18446744073709551615"`, `"seed": 1`},
		{`"kind": "poisson"`, `"kind": "ramp"`},
		{`"concurrency": 1`, `"concurrency": 1.5`},
		{`"queueCapacity": null`, `"queueCapacity": -1`},
		{`"kind": "exponential"`, `"kind": "fixed"`},
		{`"label": "measured"`, `"label": "guessed"`},
		{`"outages": [ ]`, `"outages": null`},
		{`"outages": []`, `"outages": null`},
		{`"profile": {`, `"measurements": [{"id": "m"}], "profile": {`},
	}
	tried := 0
	for _, c := range changes {
		changed := strings.Replace(text, c[0], c[1], 1)
		if changed == text {
			continue
		}
		tried++
		if err := validate(t, compiled, []byte(changed)); err == nil {
			t.Errorf("%s: the schema takes it", c[1])
		}
		if b, err := domain.ParseBundle([]byte(changed)); err == nil && len(b.ProfileIssues) == 0 {
			t.Errorf("%s: the parser takes it", c[1])
		}
	}
	if tried != len(changes)-1 { // the empty list is written in one of two ways
		t.Errorf("only %d of %d changes could be made", tried, len(changes))
	}
}

// The members of a bundle with every kind of measurement are in the schema.
func TestSchemaOfMeasurements(t *testing.T) {
	compiled := compiledSchema(t)
	latency := `"minMs": 1, "meanMs": 5, "medianMs": 4, "p90Ms": 8, "p95Ms": 9, "p99Ms": null, "maxMs": 20`
	whole := `{"id": "m-1", "name": "Tuesday",
		"source": {"kind": "ndjson", "sha256": "` + strings.Repeat("0", 64) + `", "bytes": 1, "fileName": "f"},
		"binding": {"branchId": "main", "modelVersion": 3},
		"run": {"loadModel": "open", "droppedIterations": 0, "interrupted": false},
		"rows": [{"key": {"name": "db"}, "metric": "m", "count": 1, "failed": 0, "failureRate": 0, ` + latency + `, "all": {` + latency + `}}],
		"warnings": []}`
	text, err := os.ReadFile("../../engine/testdata/cases/refuse-unknown-scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	with := strings.Replace(string(text), `"scenario": null,`, `"scenario": null, "measurements": [`+whole+`, {"id": "m-2", "inDoubt": true, "stale": false}],
		"objectives": [{"name": "fast", "expect": "flow.p99 < 1s"}],`, 1)
	if _, err := domain.ParseBundle([]byte(with)); err != nil {
		t.Fatal(err)
	}
	if err := validate(t, compiled, []byte(with)); err != nil {
		t.Error(err)
	}
}
