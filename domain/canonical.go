package domain

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the RFC 8785 form of a JSON document: the bytes that are stored and hashed. It refuses,
// with an *InvalidError, what the parsers refuse of any document: duplicate keys, text that is not UTF-8,
// numbers beyond 2^53, deep nesting, more than one value.
func Canonical(data []byte) ([]byte, error) {
	rep := &report{code: CodeInvalidDocument}
	if _, ok := decode(data, anyDocument, rep); !ok || len(rep.issues) > 0 {
		return nil, rep.err()
	}
	canonical := jsontext.Value(bytes.Clone(data))
	if err := canonical.Canonicalize(); err != nil {
		rep.add("", "has no canonical form: %s", err)
		return nil, rep.err()
	}
	return canonical, nil
}
