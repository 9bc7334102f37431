package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// maxYAMLNodes bounds what aliases can grow to.
const maxYAMLNodes = 1_000_000

// yamlToJSON converts one YAML document to JSON and gives the line of each place. Duplicate keys, more than one
// document, and what JSON cannot say (NaN, dates, keys that are not text) are refused with the line.
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
	enc   *jsontext.Encoder
	lines map[jsontext.Pointer]int
	nodes int
}

func (w *yamlWriter) write(node *yaml.Node) error {
	if w.nodes++; w.nodes > maxYAMLNodes {
		return fmt.Errorf("line %d: more than %d values; aliases make the document too large", node.Line, maxYAMLNodes)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return w.write(node.Alias)
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
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return fmt.Errorf("line %d: a key must be text", key.Line)
		}
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

func (w *yamlWriter) scalar(node *yaml.Node) error {
	switch node.ShortTag() {
	case "!!str":
		return w.token(jsontext.String(node.Value), node.Line)
	case "!!null":
		return w.token(jsontext.Null, node.Line)
	case "!!bool", "!!int", "!!float":
		var value any
		if err := node.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		return w.plain(value, node)
	}
	return fmt.Errorf("line %d: %s is neither text, a number, true, false nor null; quote it if it is text", node.Line, node.Value)
}

// plain writes a truth value or a number; a number that is valid JSON keeps its digits.
func (w *yamlWriter) plain(value any, node *yaml.Node) error {
	if b, ok := value.(bool); ok {
		return w.token(jsontext.Bool(b), node.Line)
	}
	text := []byte(node.Value)
	if jsontext.Value(text).Kind() != '0' || !jsontext.Value(text).IsValid() {
		var err error
		if text, err = json.Marshal(value); err != nil {
			return fmt.Errorf("line %d: %s is not a number that JSON has", node.Line, node.Value)
		}
	}
	if _, err := strconv.ParseFloat(string(text), 64); err != nil {
		return fmt.Errorf("line %d: %s is out of the range of a number", node.Line, node.Value)
	}
	if err := w.enc.WriteValue(text); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	w.lines[w.enc.StackPointer()] = node.Line
	return nil
}
