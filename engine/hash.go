package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is the result in RFC 8785 form, with the hash of that form with an empty hash (the page, Hash).
func (r *Result) Document() ([]byte, error) {
	form, err := r.unsigned()
	if err != nil {
		return nil, err
	}
	// In no text of a result stands a quote that is not escaped, so this finds the member.
	return bytes.Replace(form, []byte(`"hash":""`), []byte(`"hash":"`+hashOf(form)+`"`), 1), nil
}

// sign sets the hash of the result.
func (r *Result) sign() error {
	form, err := r.unsigned()
	if err != nil {
		return err
	}
	r.Hash = hashOf(form)
	return nil
}

// unsigned is the RFC 8785 form with an empty hash. It would round whole numbers beyond 2^53; those of a result
// are far below, because the events limit bounds the counts.
func (r *Result) unsigned() (jsontext.Value, error) {
	unsigned := *r
	unsigned.Hash = ""
	data, err := json.Marshal(&unsigned)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	form := jsontext.Value(data)
	if err := form.Canonicalize(); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return form, nil
}

// hashOf is SHA-256 in lower-case hex (E63).
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
