package http

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// openAPI reads the document as plain JSON.
func openAPI(t *testing.T) map[string]any {
	t.Helper()
	data, err := openAPIDocument(Routes(), "1.0.0")
	must(t, err)
	if path := os.Getenv("PROOFLOAD_OPENAPI"); path != "" { // for a validator that is no Go program
		must(t, os.WriteFile(path, data, 0o600))
	}
	var document map[string]any
	must(t, json.Unmarshal(data, &document))
	return document
}

func TestOpenAPIHasEveryRoute(t *testing.T) {
	document := openAPI(t)
	paths := document["paths"].(map[string]any)
	described := 0
	for _, operations := range paths {
		described += len(operations.(map[string]any))
	}
	if described != len(Routes()) {
		t.Errorf("%d operations, %d routes", described, len(Routes()))
	}
	for _, route := range Routes() {
		operations, _ := paths[route.Path].(map[string]any)
		operation, ok := operations[strings.ToLower(route.Method)].(map[string]any)
		if !ok {
			t.Errorf("%s %s is not described", route.Method, route.Path)
			continue
		}
		checkOperation(t, route, operation)
	}
}

func checkOperation(t *testing.T, route Route, operation map[string]any) {
	t.Helper()
	if operation["operationId"] != route.Name || operation["summary"] != route.Summary {
		t.Errorf("%s: id %v, summary %v", route.Name, operation["operationId"], operation["summary"])
	}
	responses := operation["responses"].(map[string]any)
	for _, a := range route.Answers {
		if responses[fmt.Sprint(a.Status)] == nil || hasSchema(responses[fmt.Sprint(a.Status)], a.contentType()) != (a.Type != nil) {
			t.Errorf("%s: no schema for %d", route.Name, a.Status)
		}
	}
	for _, a := range route.Answers {
		always, some := route.headers(a.Status)
		if got := headerNames(responses[fmt.Sprint(a.Status)]); !slices.Equal(got, slices.Sorted(slices.Values(slices.Concat(always, some)))) {
			t.Errorf("%s: headers %v of %d", route.Name, got, a.Status)
		}
	}
	if got := headerNames(responses["default"]); !slices.Contains(got, "Retry-After") || !slices.Contains(got, "X-Request-Id") {
		t.Errorf("%s: headers %v of problems", route.Name, got)
	}
	if !hasSchema(responses["default"], "application/problem+json") {
		t.Errorf("%s: no schema for a problem", route.Name)
	}
	if hasSchema(operation["requestBody"], "application/json") != (route.Body != nil) {
		t.Errorf("%s: body %v", route.Name, operation["requestBody"])
	}
	if security, _ := json.Marshal(operation["security"]); (string(security) == `[{"token":[]},{"session":[]}]`) == (route.Role == Anyone) {
		t.Errorf("%s: security %s for %s", route.Name, security, route.Role)
	}
	for _, word := range route.Refusals {
		if !strings.Contains(operation["description"].(string), word) {
			t.Errorf("%s does not name its problem %s", route.Name, word)
		}
	}
	checkParameters(t, route, operation)
}

// headerNames are the headers of an answer; each is described.
func headerNames(at any) []string {
	part, _ := at.(map[string]any)
	headers, _ := part["headers"].(map[string]any)
	for name, h := range headers {
		if about, _ := h.(map[string]any)["description"].(string); about == "" {
			return []string{name + " is not described"}
		}
	}
	return slices.Sorted(maps.Keys(headers))
}

func hasSchema(at any, contentType string) bool {
	part, _ := at.(map[string]any)
	content, _ := part["content"].(map[string]any)
	media, _ := content[contentType].(map[string]any)
	schema, _ := media["schema"].(map[string]any)
	return len(schema) > 0
}

func checkParameters(t *testing.T, route Route, operation map[string]any) {
	t.Helper()
	var got, want []string
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		p := p.(map[string]any)
		got = append(got, p["in"].(string)+" "+p["name"].(string))
	}
	for _, p := range append(pathParams(route.Path), route.Params...) {
		want = append(want, p.In+" "+p.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: parameters %v, want %v", route.Name, got, want)
	}
}

// The rules of OpenAPI 3.1 that a generator can break: versions, references, names.
func TestOpenAPIIsConsistent(t *testing.T) {
	document := openAPI(t)
	if document["openapi"] != "3.1.0" {
		t.Errorf("version %v", document["openapi"])
	}
	info := document["info"].(map[string]any)
	if info["title"] != "proofload" || info["version"] != "1.0.0" {
		t.Errorf("info %v", info)
	}
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	used := map[string]bool{}
	references(document, used)
	for name := range schemas {
		if !used[name] {
			t.Errorf("the schema %s is used nowhere", name)
		}
	}
	for name := range used {
		if schemas[name] == nil {
			t.Errorf("the schema %s is missing; there are %v", name, slices.Sorted(maps.Keys(schemas)))
		}
	}
	ids := map[string]bool{}
	for _, route := range Routes() {
		if ids[route.Name] {
			t.Errorf("two routes are named %s", route.Name)
		}
		ids[route.Name] = true
	}
}

// references gathers the names of all schemas that something refers to.
func references(at any, used map[string]bool) {
	switch at := at.(type) {
	case map[string]any:
		if ref, ok := at["$ref"].(string); ok {
			used[strings.TrimPrefix(ref, "#/components/schemas/")] = true
		}
		for _, inner := range at {
			references(inner, used)
		}
	case []any:
		for _, inner := range at {
			references(inner, used)
		}
	}
}

// Members that are always there are required, those that may be left out are not.
func TestOpenAPIRequiresWhatIsAlwaysThere(t *testing.T) {
	schemas := openAPI(t)["components"].(map[string]any)["schemas"].(map[string]any)
	required := func(schema string) []string {
		s, ok := schemas[schema].(map[string]any)
		if !ok {
			t.Fatalf("no schema %s among %v", schema, slices.Sorted(maps.Keys(schemas)))
		}
		var names []string
		for _, name := range s["required"].([]any) {
			names = append(names, name.(string))
		}
		slices.Sort(names)
		return names
	}
	if got := required("Problem"); !slices.Equal(got, []string{"status", "title", "type"}) {
		t.Errorf("Problem requires %v", got)
	}
	if got := required("Resource"); !slices.Equal(got, []string{"concurrency", "elementId"}) {
		t.Errorf("Resource requires %v", got)
	}
}

func TestOpenAPISaysWhatCanBeNull(t *testing.T) {
	schemas := openAPI(t)["components"].(map[string]any)["schemas"].(map[string]any)
	properties := schemas["RunOfProfile"].(map[string]any)["properties"].(map[string]any)
	for member, want := range map[string]string{
		"key":             `{"anyOf":[{"$ref":"#/components/schemas/KeyFigures"},{"type":"null"}]}`,
		"outdatedBecause": `{"items":{"type":"string"},"type":"array"}`,
		"scenarioVersion": `{"type":["null","integer"]}`,
		"seed":            `{"type":"string"}`,
	} {
		got, err := json.Marshal(properties[member])
		must(t, err)
		if string(got) != want {
			t.Errorf("%s: %s, want %s", member, got, want)
		}
	}
}

// A request is let in by a bearer token or by the cookie of a browser.
func TestOpenAPISaysWhoSendsARequest(t *testing.T) {
	schemes, err := json.Marshal(openAPI(t)["components"].(map[string]any)["securitySchemes"])
	must(t, err)
	for _, want := range []string{`"scheme":"bearer"`, `"type":"http"`, `"in":"cookie"`, `"name":"proofload-session"`} {
		if !strings.Contains(string(schemes), want) {
			t.Errorf("%s is missing in %s", want, schemes)
		}
	}
}
