package http

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swaggest/jsonschema-go"
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"github.com/proofload/proofload/domain"
)

// Ways in which a request says who sends it.
const (
	bearerScheme  = "token"
	sessionScheme = "session"
)

// openAPIDocument describes the routes as OpenAPI 3.1.
func openAPIDocument(routes []Route, version string) ([]byte, error) {
	r := openapi31.NewReflector()
	r.Spec.Info.WithTitle("proofload").WithVersion(version).WithDescription("Stress runs of a model: events in, figures out.")
	r.Spec.SetHTTPBearerTokenSecurity(bearerScheme, "", "A token of a member, as POST /api/tokens issues it.")
	r.Spec.SetAPIKeySecurity(sessionScheme, "proofload-session", openapi.InCookie,
		"What POST /api/session sets. Behind the name stand a hyphen and the port, where the request's host has one.")
	r.DefaultOptions = append(r.DefaultOptions, jsonschema.InterceptProp(requireMember), jsonschema.InterceptDefName(definitionName))
	kept := reflect.TypeOf(domain.Scenario{}.Faults).Elem() // objects that pass unread
	r.AddTypeMapping(reflect.Zero(kept).Interface(), map[string]any{})
	for _, route := range routes {
		if err := describe(r, route); err != nil {
			return nil, fmt.Errorf("openapi: %s: %w", route.Name, err)
		}
	}
	closeBodies(r.Spec)
	return json.Marshal(r.Spec)
}

func describe(r *openapi31.Reflector, route Route) error {
	oc, err := r.NewOperationContext(route.Method, route.Path)
	if err != nil {
		return err
	}
	oc.SetID(route.Name)
	oc.SetSummary(route.Summary)
	oc.SetDescription(fmt.Sprintf("Role: %s. Problems: %s.", route.Role, strings.Join(problemsOf(route), ", ")))
	exposed, ok := oc.(openapi31.OperationExposer)
	if !ok {
		return fmt.Errorf("%T has no operation", oc)
	}
	for _, p := range append(pathParams(route.Path), route.Params...) {
		exposed.Operation().Parameters = append(exposed.Operation().Parameters, p.describe())
	}
	if route.Role != Anyone { // either of them
		oc.AddSecurity(bearerScheme)
		oc.AddSecurity(sessionScheme)
	}
	if route.Body != nil {
		oc.AddReqStructure(route.Body.Type, func(cu *openapi.ContentUnit) {
			cu.ContentType = "application/json"
			cu.Description = fmt.Sprintf("At most %d bytes.", route.Body.Limit)
		})
	}
	for _, a := range route.Answers {
		oc.AddRespStructure(a.Type, openapi.WithHTTPStatus(a.Status), func(cu *openapi.ContentUnit) {
			if a.Lines {
				cu.ContentType, cu.Description = a.contentType(), "Lines, each of which is a JSON object of this kind."
			}
		})
	}
	oc.AddRespStructure(Problem{}, func(cu *openapi.ContentUnit) {
		cu.IsDefault, cu.ContentType, cu.Description = true, "application/problem+json", "The request is refused (RFC 9457)."
	})
	if err := r.AddOperation(oc); err != nil {
		return err
	}
	addHeaders(exposed.Operation(), route)
	if route.Body == nil {
		return nil
	}
	return addExample(exposed.Operation(), route)
}

// addHeaders describes the headers of each answer.
func addHeaders(operation *openapi31.Operation, route Route) {
	for _, a := range route.Answers {
		always, some := route.headers(a.Status)
		describeHeaders(operation.Responses.MapOfResponseOrReferenceValues[strconv.Itoa(a.Status)].Response, always, some)
	}
	always, some := route.problemHeaders()
	describeHeaders(operation.Responses.Default.Response, always, some)
}

// addExample shows a body that the route takes.
func addExample(operation *openapi31.Operation, route Route) error {
	var example any
	if err := json.Unmarshal([]byte(examples[route.Name]), &example); err != nil {
		return fmt.Errorf("example: %w", err)
	}
	content := operation.RequestBody.RequestBody.Content
	media := content["application/json"]
	content["application/json"] = *media.WithExample(example)
	return nil
}

// problemsOf lists the type words of all problems that a route can answer.
func problemsOf(route Route) []string {
	all := slices.Concat(route.Refusals, route.Role.refusals(), everywhere)
	if route.isCommand() {
		all = append(all, unknownOutcome.Type)
	}
	if route.Body != nil {
		all = append(all, bodyTooLarge.Type, unsupportedMediaType.Type)
	}
	all = append(all, validationError.Type) // of a parameter that it does not take
	if slices.Contains(route.Params, afterParam) {
		all = append(all, projectionBehind.Type)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var braces = regexp.MustCompile(`{(\w+)}`)

func pathParams(path string) []Param {
	var found []Param
	for _, match := range braces.FindAllStringSubmatch(path, -1) {
		found = append(found, Param{Name: match[1], In: "path", Type: "string", Required: true})
	}
	return found
}

func (p Param) describe() openapi31.ParameterOrReference {
	o := openapi31.Parameter{Name: p.Name, In: openapi31.ParameterIn(p.In), Schema: map[string]any{"type": p.Type}}
	if p.About != "" {
		o.WithDescription(p.About)
	}
	if p.Required {
		o.WithRequired(true)
	}
	return openapi31.ParameterOrReference{Parameter: &o}
}

// requireMember makes a member required unless its tag says that it may be left out, and says whether it can be
// null: a pointer that is always written can, a list cannot.
func requireMember(p jsonschema.InterceptPropParams) error {
	leftOut := strings.Contains(p.Field.Tag.Get("json"), ",omit")
	switch {
	case !p.Processed:
		return nil
	case p.Field.Type.Kind() == reflect.Slice:
		p.PropertySchema.RemoveType(jsonschema.Null)
	case p.Field.Type.Kind() == reflect.Pointer && p.PropertySchema.Ref != nil && !leftOut:
		ref := jsonschema.Schema{Ref: p.PropertySchema.Ref}
		p.PropertySchema.Ref = nil
		p.PropertySchema.AnyOf = []jsonschema.SchemaOrBool{ref.ToSchemaOrBool(), jsonschema.Null.ToSchemaOrBool()}
	}
	if !leftOut && !slices.Contains(p.ParentSchema.Required, p.Name) {
		p.ParentSchema.Required = append(p.ParentSchema.Required, p.Name)
	}
	return nil
}

// definitionName names a schema after its type, and after the document that it holds.
func definitionName(t reflect.Type, _ string) string {
	name := t.Name()
	generic, args, isGeneric := strings.Cut(name, "[")
	if !isGeneric {
		return name
	}
	var of string
	for arg := range strings.SplitSeq(strings.TrimSuffix(args, "]"), ",") {
		if of = arg[strings.LastIndexAny(arg, "./")+1:]; arg != "" {
			break
		}
	}
	return generic + "Of" + of
}
