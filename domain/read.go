package domain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one JSON value. Its kind says which of the members it has.
type node struct {
	kind  jsontext.Kind
	text  string   // a string
	num   float64  // a number; NaN: one that is out of range, and an issue says so
	names []string // an object: the names of its members, in order of the document
	items []node   // an object or a list
	raw   []byte   // an object or a list: its text in the document
}

// Kinds of a node.
const (
	isNull   = jsontext.Kind('n')
	isFalse  = jsontext.Kind('f')
	isTrue   = jsontext.Kind('t')
	isText   = jsontext.Kind('"')
	isNumber = jsontext.Kind('0')
	isObject = jsontext.Kind('{')
	isList   = jsontext.Kind('[')
)

// parse reads a document strictly and checks its values. The error holds the issues of both.
func parse[T any](data []byte, doc document, read func(value) T, check func(T) []Issue) (T, error) {
	rep := &report{code: doc.code}
	var parsed, none T
	if root, ok := decode(data, doc, rep); ok {
		parsed = readChecked(value{node: root, rep: rep}, read, check)
	}
	if len(rep.issues) == 0 {
		return parsed, nil
	}
	issues := rep.sorted()
	if doc.maxBytes > MaxProfileBytes { // the size of a smaller document is bound enough
		issues = capped(issues)
	}
	return none, &InvalidError{Issues: issues}
}

// readChecked reads a value and adds what is wrong with its contents.
func readChecked[T any](v value, read func(value) T, check func(T) []Issue) T {
	parsed := read(v)
	v.rep.addChecked(v.at, check(parsed))
	return parsed
}

// decode turns JSON text into a tree. When it is not ok, the text could not be read to its end.
func decode(data []byte, doc document, rep *report) (root node, ok bool) {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		rep.add("", "is empty; %s is a JSON document", doc.name)
		return node{}, false
	case rep.tooLarge("", data, doc):
		return node{}, false
	case !utf8.Valid(data):
		rep.add("", "is not valid UTF-8 at %s; save the document as UTF-8", position(data, invalidUTF8(data)))
		return node{}, false
	}
	d := decoder{data: data, json: jsontext.NewDecoder(bytes.NewBuffer(data)), rep: rep}
	root, err := d.value()
	if err == nil {
		err = d.end()
	}
	if err != nil {
		d.report(err)
		return node{}, false
	}
	return root, true
}

// tooLarge reports a text that is over the limit of its document.
func (r *report) tooLarge(at string, text []byte, doc document) bool {
	over := isOver(text, doc.maxBytes)
	if over {
		r.add(at, "is too large: %s has at most %s bytes", doc.name, spaced(float64(doc.maxBytes)))
	}
	return over
}

// isOver tells whether the text, or its canonical form, is over the limit. The canonical form is what is
// stored and read again; 1e15 is longer there, by less than four times.
func isOver(text []byte, limit int) bool {
	if len(text) > limit || 4*len(text) <= limit {
		return len(text) > limit
	}
	canonical := jsontext.Value(bytes.Clone(text))
	return canonical.Canonicalize() == nil && len(canonical) > limit
}

// decoder makes the tree of one document.
type decoder struct {
	data []byte
	json *jsontext.Decoder
	rep  *report
}

// errTooDeep stops the reading of a document that nests deeper than MaxJSONNesting.
var errTooDeep = errors.New("too deep")

// errTrailing refuses anything but white space after the document.
var errTrailing = errors.New("trailing data")

// value reads the next value whole.
func (d *decoder) value() (node, error) {
	token, err := d.json.ReadToken()
	if err != nil {
		return node{}, err
	}
	switch n := (node{kind: token.Kind()}); n.kind {
	case isText:
		n.text = token.String()
		return n, nil
	case isNumber:
		n.num = d.number(token)
		return n, nil
	case isObject, isList:
		return d.composite(n)
	default:
		return n, nil
	}
}

// composite reads the rest of an object or a list, whose first token was read.
func (d *decoder) composite(n node) (node, error) {
	if d.json.StackDepth() > MaxJSONNesting {
		return node{}, errTooDeep
	}
	start := d.json.InputOffset() - 1
	for d.json.PeekKind() != '}' && d.json.PeekKind() != ']' {
		if n.kind == isObject {
			name, err := d.json.ReadToken()
			if err != nil {
				return node{}, err
			}
			n.names = append(n.names, name.String())
		}
		item, err := d.value()
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
	}
	if _, err := d.json.ReadToken(); err != nil {
		return node{}, err
	}
	n.raw = d.data[start:d.json.InputOffset()]
	return n, nil
}

// number returns the number, or NaN and an issue when it is over 2^53: a double would not hold it exactly.
func (d *decoder) number(token jsontext.Token) float64 {
	num, err := token.Float()
	if err != nil || math.Abs(num) > maxWhole || math.Abs(num) == maxWhole && !isMaxWhole(token.String()) {
		d.rep.add(string(d.json.StackPointer()), "is a number beyond %s (2^53); write a smaller one, or text in quotes where an id or a seed is meant", spaced(maxWhole))
		return math.NaN()
	}
	return num + 0 // -0 becomes 0, as in the canonical form
}

// isMaxWhole tells whether a number that rounds to 2^53 is 2^53 itself: its digits say so, whatever the point
// and the exponent.
func isMaxWhole(literal string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
	digits := strings.NewReplacer("-", "", ".", "").Replace(mantissa)
	return strings.Trim(digits, "0") == strconv.Itoa(maxWhole)
}

// end refuses more text after the value.
func (d *decoder) end() error {
	if _, err := d.json.ReadToken(); err == nil {
		return errTrailing
	} else if !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

// report words what stopped the reading.
func (d *decoder) report(err error) {
	at, where := string(d.json.StackPointer()), position(d.data, int(d.json.InputOffset()))
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if ok {
		at, where = string(syntactic.JSONPointer), position(d.data, int(syntactic.ByteOffset))
		err = syntactic.Err
	}
	switch {
	case errors.Is(err, errTooDeep):
		d.rep.add(at, "nests deeper than %d levels; make it flatter", MaxJSONNesting)
	case errors.Is(err, errTrailing):
		d.rep.add("", "goes on after its end, at %s; send one JSON document", where)
	case errors.Is(err, jsontext.ErrDuplicateName):
		d.rep.add(at, "stands twice in one object, again at %s; keep one", where)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		d.rep.add(at, "is not complete: the text ends at %s; a quote or bracket is not closed", where)
	default:
		d.rep.add(at, "is not JSON: %s, at %s", err, where)
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// position words an offset of the text as line and column, in bytes from 1.
func position(data []byte, offset int) string {
	before := data[:min(max(offset, 0), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d, column %d", line, column)
}
