package main

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/proofload/proofload/domain"
)

func schemaCommand(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a bundle, for editors",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text, err := bundleSchema()
			if err != nil {
				return err
			}
			_, err = io.out.Write(append(text, '\n'))
			return err
		},
	}
}

// schema is a JSON Schema, or a part of one.
type schema = map[string]any

// bundleSchema makes the JSON Schema (draft 2020-12) of a bundle from the types of its documents. It says what
// an editor can use: members, types, words, ranges. What refers to another place is left to check.
func bundleSchema() ([]byte, error) {
	m := schemaMaker{defs: schema{}}
	root := m.object(reflect.TypeFor[domain.Bundle]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "proofload bundle"
	root["$defs"] = m.defs
	return json.Marshal(root, json.Deterministic(true), jsontext.WithIndent("  "))
}

// schemaMaker gathers one definition for each struct type.
type schemaMaker struct{ defs schema }

// of gives the schema of a value of the type.
func (m schemaMaker) of(t reflect.Type) schema {
	switch {
	case t == reflect.TypeFor[jsontext.Value]():
		return schema{"type": "object"} // kept as it is
	case t == reflect.TypeFor[domain.BundleMeasurement]():
		return schema{"oneOf": []schema{m.of(reflect.TypeFor[doubtsOfMeasurement]()), m.of(reflect.TypeFor[domain.Measurement]())}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.Slice:
		return schema{"type": "array", "items": m.of(t.Elem())}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": m.of(t.Elem())}
	case reflect.Struct:
		return m.reference(t)
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int:
		return schema{"type": "integer"}
	default: // float64: a test makes the schema of every type
		return schema{"type": "number"}
	}
}

// doubtsOfMeasurement is the short form of a measurement in a bundle.
type doubtsOfMeasurement struct {
	ID      string `json:"id"`
	InDoubt bool   `json:"inDoubt"`
	Stale   bool   `json:"stale"`
}

// reference defines a struct once; the empty definition stands there first, for types that hold themselves.
func (m schemaMaker) reference(t reflect.Type) schema {
	if _, ok := m.defs[t.Name()]; !ok {
		m.defs[t.Name()] = schema{}
		m.defs[t.Name()] = m.object(t)
	}
	return schema{"$ref": "#/$defs/" + t.Name()}
}

// object gives the schema of a struct: its members, and no others.
func (m schemaMaker) object(t reflect.Type) schema {
	properties, required := schema{}, []string{}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		properties[name] = m.member(t, field, name, options)
		if options == "" {
			required = append(required, name)
		}
	}
	o := schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	if kinds := membersOfKind[t.Name()]; kinds != nil {
		o["allOf"] = kindRules(kinds)
	}
	return o
}

// member gives the schema of one member with its rules. A pointer that is always written may be null, and so
// may a queueCapacity.
func (m schemaMaker) member(of reflect.Type, field reflect.StructField, name, options string) schema {
	s := m.of(field.Type)
	for word, rule := range memberRules[of.Name()+"."+name] {
		s[word] = rule
	}
	for word, rule := range everyMember[name] {
		s[word] = rule
	}
	if field.Type.Kind() == reflect.Pointer && options == "" || name == "queueCapacity" {
		return schema{"anyOf": []schema{s, {"type": "null"}}}
	}
	return s
}

// kindRules says which further members each kind needs.
func kindRules(kinds []kindMembers) []schema {
	rules := make([]schema, len(kinds))
	for i, k := range kinds {
		rules[i] = schema{
			"if":   schema{"properties": schema{"kind": schema{"const": k.kind}}},
			"then": schema{"required": k.members},
		}
	}
	return rules
}
