package domain

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// BlobsOf gives the hashes of the documents and results that the payload of an event names: the texts of all its members,
// at any depth, whose name is blob or ends in Blob. Payloads of events that this program does not know have them there too.
func BlobsOf(payload []byte) ([]string, error) {
	var found []string
	dec := jsontext.NewDecoder(bytes.NewReader(payload))
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		kind, length := dec.StackIndex(dec.StackDepth())
		if kind != '{' || length%2 == 1 || token.Kind() != '"' || token.String() == "" { // not the text of a member
			continue
		}
		if name := dec.StackPointer().LastToken(); name == "blob" || strings.HasSuffix(name, "Blob") {
			found = append(found, token.String())
		}
	}
}
