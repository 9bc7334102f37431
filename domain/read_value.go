package domain

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is a node at its place in the document, ready to be read as what it should be. What is not what it
// should be is reported, and read as a value that no check accepts: "", -1 or NaN.
type value struct {
	node
	at  string // JSON Pointer
	rep *report
}

// object is a value that should be an object with known members only.
type object struct {
	value
	unread bool // it is no object, and an issue says so
}

// object reports a value that is no object, and each member that is not among the known ones.
func (v value) object(known ...string) object {
	if v.kind != isObject {
		v.wrong("an object")
		return object{value: v, unread: true}
	}
	for _, name := range v.names {
		if !slices.Contains(known, name) {
			v.rep.add(v.place(name), "unknown member %q; this object has: %s", shortened(name), strings.Join(known, ", "))
		}
	}
	return object{value: v}
}

// place is the pointer of a member.
func (v value) place(name string) string {
	return string(jsontext.Pointer(v.at).AppendToken(name))
}

// find returns a member that may be absent.
func (o object) find(name string) (member value, ok bool) {
	i := slices.Index(o.names, name)
	if o.unread || i < 0 {
		return value{}, false
	}
	return value{node: o.items[i], at: o.place(name), rep: o.rep}, true
}

// need returns a member and reports that it is missing.
func (o object) need(name, kind string) (member value, ok bool) {
	member, ok = o.find(name)
	if !ok && !o.unread {
		o.rep.add(o.place(name), "is missing; add %q, %s", name, kind)
	}
	return member, ok
}

// wrong reports a value of another type.
func (v value) wrong(kind string) {
	v.rep.add(v.at, "must be %s, not %s", kind, kindNames[v.kind])
}

var kindNames = map[jsontext.Kind]string{
	isNull: "null", isFalse: "false", isTrue: "true", isText: "text", isNumber: "a number", isObject: "an object", isList: "a list",
}

func (o object) text(name string) string {
	member, ok := o.need(name, "text")
	if !ok {
		return ""
	}
	return member.asText()
}

func (o object) optionalText(name string) string {
	member, ok := o.find(name)
	if !ok {
		return ""
	}
	return member.asText()
}

// optionalWord is a text that is left out where there is none.
func (o object) optionalWord(name string) string {
	member, ok := o.find(name)
	if !ok {
		return ""
	}
	if member.kind == isText && member.node.text == "" {
		o.rep.add(member.at, "must not be empty; leave %q out instead", name)
	}
	return member.asText()
}

func (v value) asText() string {
	if v.kind != isText {
		v.wrong("text in quotes")
		return ""
	}
	return v.node.text
}

func (o object) number(name string) float64 {
	member, ok := o.need(name, "a number")
	if !ok {
		return math.NaN()
	}
	return member.asNumber()
}

func (o object) optionalNumber(name string) *float64 {
	member, ok := o.find(name)
	if !ok {
		return nil
	}
	return new(member.asNumber())
}

// nullableNumber is null where there is no value; the member itself must be there.
func (o object) nullableNumber(name string) *float64 {
	member, ok := o.need(name, "a number or null")
	if !ok || member.kind == isNull {
		return nil
	}
	return new(member.asNumber())
}

func (v value) asNumber() float64 {
	if v.kind != isNumber {
		v.wrong("a number")
		return math.NaN()
	}
	return v.num
}

func (o object) whole(name string) int {
	member, ok := o.need(name, "a whole number")
	if !ok {
		return -1
	}
	return member.asWhole()
}

func (o object) optionalWhole(name string) *int {
	member, ok := o.find(name)
	if !ok {
		return nil
	}
	return new(member.asWhole())
}

// capacity is the bound of a queue: absent or null, it has none.
func (o object) capacity() *int {
	const name = "queueCapacity"
	if member, ok := o.find(name); ok && member.kind == isNull {
		return nil
	}
	return o.optionalWhole(name)
}

// asWhole takes a fraction of zero (E75).
func (v value) asWhole() int {
	switch {
	case v.kind != isNumber:
		v.wrong("a whole number")
		return -1
	case v.num != math.Trunc(v.num): // true of NaN
		v.rep.add(v.at, "must be a whole number, without a fraction")
		return -1
	}
	return int(v.num)
}

func (o object) flag(name string) bool {
	member, ok := o.need(name, "true or false")
	if ok && member.kind != isTrue && member.kind != isFalse {
		member.wrong("true or false")
	}
	return member.kind == isTrue
}

// list reads a list that must be there. It reads one entry more than the most that are valid, so that a
// check sees that there are too many.
func list[T any](o object, name string, most int, read func(value) T) []T {
	member, ok := o.need(name, "a list; [] is an empty one")
	if !ok {
		return nil
	}
	return listOf(member, most, read)
}

func optionalList[T any](o object, name string, most int, read func(value) T) []T {
	member, ok := o.find(name)
	if !ok {
		return nil
	}
	return listOf(member, most, read)
}

// unlimited is the length of a list that only the size of its document limits.
const unlimited = math.MaxInt - 1

func listOf[T any](v value, most int, read func(value) T) []T {
	if v.kind != isList {
		v.wrong("a list")
		return nil
	}
	entries := make([]T, min(len(v.items), most+1))
	for i := range entries {
		entries[i] = read(value{node: v.items[i], at: entry(v.at, i), rep: v.rep})
	}
	return entries
}

// readKept keeps an object as it is, unread, in canonical form.
func readKept(v value) jsontext.Value {
	if v.kind != isObject {
		v.wrong("an object")
		return nil
	}
	kept := jsontext.Value(bytes.Clone(v.raw))
	if err := kept.Canonicalize(); err != nil {
		v.rep.add(v.at, "cannot be stored: %s", err)
	}
	return kept
}

// member reads a member that must be there and is an object.
func member[T any](o object, name string, read func(value) T) T {
	v, ok := o.need(name, "an object")
	if !ok {
		var none T
		return none
	}
	return read(v)
}

func optionalMember[T any](o object, name string, read func(value) T) *T {
	v, ok := o.find(name)
	if !ok {
		return nil
	}
	return new(read(v))
}
