package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/proofload/proofload/domain"
)

// maxAliased bounds what aliases can grow to, in values; what stands in the file itself is bounded by its size.
const maxAliased = 1_000_000

// maxNestedAliases is deeper than any document that is read nests; an anchor that holds an alias of itself has no end.
const maxNestedAliases = domain.MaxJSONNesting

// yamlToJSON converts one YAML document to JSON and gives the line of each place. Duplicate keys, more than one
// document, and what JSON cannot say (NaN, dates, 0x10, keys that are not text) are refused with the line.
func yamlToJSON(data []byte) ([]byte, map[jsontext.Pointer]int, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil, errors.New("the file is empty")
		}
		return nil, nil, err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("more than one YAML document; a file holds one")
	}
	var out bytes.Buffer
	w := yamlWriter{enc: jsontext.NewEncoder(&out), lines: map[jsontext.Pointer]int{}}
	if err := w.write(root.Content[0]); err != nil {
		return nil, nil, err
	}
	return bytes.TrimSpace(out.Bytes()), w.lines, nil
}

type yamlWriter struct {
	enc     *jsontext.Encoder
	lines   map[jsontext.Pointer]int
	inAlias int // aliases that the writer is in
	aliased int // values that stand there through an alias
}

func (w *yamlWriter) write(node *yaml.Node) error {
	if err := w.countAliased(node.Line); err != nil {
		return err
	}
	switch node.Kind {
	case yaml.AliasNode:
		return w.alias(node)
	case yaml.MappingNode:
		return w.mapping(node)
	case yaml.SequenceNode:
		return w.sequence(node)
	case yaml.ScalarNode:
		return w.scalar(node)
	case yaml.DocumentNode:
	}
	return fmt.Errorf("line %d: not a value", node.Line)
}

// alias writes what the alias stands for.
func (w *yamlWriter) alias(node *yaml.Node) error {
	if w.inAlias++; w.inAlias > maxNestedAliases {
		return fmt.Errorf("line %d: the alias %s leads to itself; write out what is meant", node.Line, node.Value)
	}
	defer func() { w.inAlias-- }()
	return w.write(node.Alias)
}

// countAliased bounds the values that aliases repeat.
func (w *yamlWriter) countAliased(line int) error {
	if w.inAlias == 0 {
		return nil
	}
	if w.aliased++; w.aliased > maxAliased {
		return fmt.Errorf("line %d: aliases repeat more than %d values; write out what is meant", line, maxAliased)
	}
	return nil
}

// token writes one token and notes the line of the place it stands at.
func (w *yamlWriter) token(token jsontext.Token, line int) error {
	if err := w.enc.WriteToken(token); err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	if _, seen := w.lines[w.enc.StackPointer()]; !seen {
		w.lines[w.enc.StackPointer()] = line
	}
	return nil
}

func (w *yamlWriter) mapping(node *yaml.Node) error {
	if err := w.token(jsontext.BeginObject, node.Line); err != nil {
		return err
	}
	first := make(map[string]int, len(node.Content)/2) // the line of each key
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return fmt.Errorf("line %d: a key must be text", key.Line)
		}
		if line, twice := first[key.Value]; twice {
			return fmt.Errorf("line %d: the key %q stands on line %d already; keep one of the two", key.Line, key.Value, line)
		}
		first[key.Value] = key.Line
		if err := w.token(jsontext.String(key.Value), key.Line); err != nil {
			return err
		}
		if err := w.write(value); err != nil {
			return err
		}
	}
	return w.token(jsontext.EndObject, node.Line)
}

func (w *yamlWriter) sequence(node *yaml.Node) error {
	if err := w.token(jsontext.BeginArray, node.Line); err != nil {
		return err
	}
	for _, value := range node.Content {
		if err := w.write(value); err != nil {
			return err
		}
	}
	return w.token(jsontext.EndArray, node.Line)
}

// scalar writes text, a number, true, false or null. A number keeps its digits, and only what is one in JSON is a
// number: a plain text that some YAML reader takes for another is refused.
func (w *yamlWriter) scalar(node *yaml.Node) error {
	const written = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	tag := node.ShortTag()
	isNumber := tag == "!!int" || tag == "!!float"
	if plain := node.Style&written == 0; isNumber || plain && looksLikeNumber(node.Value) {
		return w.number(node)
	}
	switch tag {
	case "!!str":
		return w.token(jsontext.String(node.Value), node.Line)
	case "!!null":
		return w.token(jsontext.Null, node.Line)
	case "!!bool":
		var value bool
		if err := node.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		return w.token(jsontext.Bool(value), node.Line)
	}
	return fmt.Errorf("line %d: %s is neither text, a number, true, false nor null; quote it if it is text", node.Line, node.Value)
}

func (w *yamlWriter) number(node *yaml.Node) error {
	if !isJSONNumber(node.Value) {
		return notJSONNumber(node.Value, node.Line)
	}
	if err := w.enc.WriteValue(jsontext.Value(node.Value)); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	w.lines[w.enc.StackPointer()] = node.Line
	return nil
}
