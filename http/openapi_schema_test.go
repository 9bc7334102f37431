package http

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are those of the OpenAPI document, by where they stand in it. They are compiled once.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	data, err := openAPIDocument(Routes(), "1.0.0")
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Schema{}
	for _, route := range Routes() {
		for _, at := range schemaPlaces(route) {
			if all[at], err = compiler.Compile("openapi.json#" + at); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
		}
	}
	return all, nil
})

func schemaPlaces(route Route) []string {
	places := []string{schemaPlace(route, "responses/default", "application/problem+json")}
	if route.Body != nil {
		places = append(places, schemaPlace(route, "requestBody", "application/json"))
	}
	for _, a := range route.Answers {
		if a.Type != nil {
			places = append(places, schemaPlace(route, fmt.Sprint("responses/", a.Status), a.contentType()))
		}
	}
	return places
}

// schemaPlace is the JSON Pointer of a schema of a route.
func schemaPlace(route Route, part, contentType string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B")
	return "/paths/" + escape.Replace(route.Path) + "/" + strings.ToLower(route.Method) + "/" + part + "/content/" + escape.Replace(contentType) + "/schema"
}

// checkSchema validates an answer against the schema that the OpenAPI document gives for it.
func checkSchema(t *testing.T, route Route, r reply) {
	t.Helper()
	part, contentType := fmt.Sprint("responses/", r.status), r.header.Get("Content-Type")
	if r.status >= 400 {
		part = "responses/default"
	}
	for _, text := range r.documents() {
		fits(t, schemaPlace(route, part, contentType), text)
	}
}

func fits(t *testing.T, place string, text []byte) {
	t.Helper()
	all, err := schemas()
	must(t, err)
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	schema := all[place]
	if schema == nil {
		t.Errorf("no schema at %s", place)
		return
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("%.500s does not fit the OpenAPI document: %v", text, err)
	}
}

// TestExamples sends the example of every route that takes a body. It is taken, it fits its schema, and so does the
// answer.
func TestExamples(t *testing.T) {
	bodies := 0
	for _, route := range Routes() {
		example, ok := examples[route.Name]
		if ok != (route.Body != nil) {
			t.Errorf("%s: a body %v, an example %v", route.Name, route.Body != nil, ok)
		}
		if !ok {
			continue
		}
		bodies++
		t.Run(route.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.shop()
			example = strings.NewReplacer(exampleScenario, w.scenarioID, exampleToken, w.token).Replace(example)
			ann := w.make(request{method: "POST", path: "/api/workspaces/" + w.first.WorkspaceID + "/members", body: `{"name":"bob","role":"viewer"}`})
			path := strings.NewReplacer("{projectId}", w.projectID, "{scenarioId}", w.scenarioID, "{profileId}", w.profileID,
				"{workspaceId}", w.first.WorkspaceID, "{memberId}", ann).Replace(route.Path)
			fits(t, schemaPlace(route, "requestBody", "application/json"), []byte(example))
			sent := request{method: route.Method, path: path, body: example}
			if slices.Contains(route.Params, ifMatchParam) {
				sent.header = []string{"If-Match: " + newestOf(route)}
			}
			r := w.send(sent)
			if r.status != route.Answers[0].Status {
				t.Errorf("%d %s", r.status, r.body)
			}
			checkSchema(t, route, r)
		})
	}
	if bodies != len(examples) {
		t.Errorf("%d examples, %d routes with a body", len(examples), bodies)
	}
}

// A member that the server refuses as unknown does not fit the schema of the body either, wherever it stands.
func TestSchemasOfBodiesAreClosed(t *testing.T) {
	all, err := schemas()
	must(t, err)
	for _, route := range Routes() {
		if route.Body == nil {
			continue
		}
		place := schemaPlace(route, "requestBody", "application/json")
		body, err := jsonschema.UnmarshalJSON(strings.NewReader(examples[route.Name]))
		must(t, err)
		added := 0
		eachObject(body, func(object map[string]any) {
			object["zz"] = "x"
			added++
			if all[place].Validate(body) == nil {
				t.Errorf("%s: an unknown member fits in %v", route.Name, object)
			}
			delete(object, "zz")
		})
		if added == 0 || all[place].Validate(body) != nil {
			t.Errorf("%s: %d objects, %v", route.Name, added, all[place].Validate(body))
		}
	}
}

func eachObject(at any, do func(map[string]any)) {
	switch at := at.(type) {
	case map[string]any:
		do(at)
		for _, inner := range at {
			eachObject(inner, do)
		}
	case []any:
		for _, inner := range at {
			eachObject(inner, do)
		}
	}
}

// What is stored fits the schema that it is answered with: members of another kind are of their type.
func TestWhatIsStoredFitsItsSchema(t *testing.T) {
	w := newWorld(t)
	w.shop()
	routes := map[string]Route{}
	for _, route := range Routes() {
		routes[route.Name] = route
	}
	stray := func(members string) string {
		return strings.Replace(aProfile(w.scenarioID, "Stray"), `"kind":"poisson"`, `"kind":"poisson",`+members, 1)
	}
	for members, want := range map[string]int{
		`"toRatePerSecond":"x"`: 400, `"bursts":[{"zz":1}]`: 400, `"bursts":{}`: 400,
		`"toRatePerSecond":-7,"bursts":[{"fromSeconds":9,"toSeconds":1,"ratePerSecond":-1}]`: 201, // ignored (E70)
	} {
		r := w.send(request{method: "POST", path: w.at("/stress/profiles"), body: stray(members)})
		if r.status != want {
			t.Errorf("%s: %d %s", members, r.status, r.body)
		}
		if r.status == 201 {
			checkSchema(t, routes["postProfile"], r)
			checkSchema(t, routes["getProfile"], w.send(request{method: "GET", path: r.header.Get("Location") + "?after=" + r.header.Get(headerPosition)}))
		}
	}
}

// newestOf is the ETag of what a route changes in the shop: the documents are at version 1, all else was never saved.
func newestOf(route Route) string {
	switch route.Name {
	case "putModel", "putScenario", "putProfile":
		return `"1"`
	}
	return `"0"`
}

// The schemas say something: what lacks a member, or has it with another type, does not fit.
func TestSchemasRefuse(t *testing.T) {
	all, err := schemas()
	must(t, err)
	for _, route := range Routes() {
		for _, place := range schemaPlaces(route) {
			if route.Name == "getOpenAPI" && strings.Contains(place, "/200/") {
				continue // any object
			}
			if all[place].Validate("text") == nil {
				t.Errorf("a text fits %s", place)
			}
			wrong := map[string]any{"id": false, "items": 1, "type": 1, "document": 1}
			if strings.Contains(place, "/responses/") && all[place].Validate(wrong) == nil {
				t.Errorf("%v fits %s", wrong, place)
			}
		}
	}
}
