package http

import (
	"strings"

	"github.com/swaggest/openapi-go/openapi31"
)

const schemasAt = "#/components/schemas/"

// closeBodies says of every object in a body of a request that it has no members but those that are named: others are
// refused. Schemas that answers share with bodies are closed for both.
func closeBodies(spec *openapi31.Spec) {
	seen := map[string]bool{}
	var closeSchema func(schema any)
	closeSchema = func(schema any) {
		switch s := schema.(type) {
		case map[string]any:
			if ref, ok := s["$ref"].(string); ok && !seen[ref] {
				seen[ref] = true
				closeSchema(spec.Components.Schemas[strings.TrimPrefix(ref, schemasAt)])
			}
			if _, hasMembers := s["properties"]; hasMembers {
				s["additionalProperties"] = false
			}
			for _, part := range s {
				closeSchema(part)
			}
		case []any:
			for _, part := range s {
				closeSchema(part)
			}
		}
	}
	for _, path := range spec.Paths.MapOfPathItemValues {
		for _, operation := range []*openapi31.Operation{path.Post, path.Put} {
			if operation != nil && operation.RequestBody != nil {
				for _, media := range operation.RequestBody.RequestBody.Content {
					closeSchema(media.Schema)
				}
			}
		}
	}
}
