package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"github.com/proofload/proofload/eventstore"
)

// maxLine bounds a line in bytes: a message of 8 MiB, each byte of it escaped.
const maxLine = 64 << 20

// record is a message as a line of JSON.
type record struct {
	Seq     uint64              `json:"seq,string"`
	Time    time.Time           `json:"time"` // when it was stored; for people, a restore stores it anew
	Subject string              `json:"subject"`
	Header  map[string][]string `json:"header,omitempty"`
	Text    *string             `json:"text,omitempty"`   // the data, where they are UTF-8
	Base64  []byte              `json:"base64,omitempty"` // the data, where they are not
}

func recordOf(m eventstore.Message) record {
	r := record{Seq: m.Seq, Time: m.Time, Subject: m.Subject, Header: m.Header}
	if utf8.Valid(m.Data) {
		text := string(m.Data)
		r.Text = &text
	} else {
		r.Base64 = m.Data
	}
	return r
}

func (r record) message() eventstore.Message {
	m := eventstore.Message{Seq: r.Seq, Time: r.Time, Subject: r.Subject, Header: r.Header, Data: r.Base64}
	if r.Text != nil {
		m.Data = []byte(*r.Text)
	}
	return m
}

// writeLine writes a value as one line of JSON, its texts as they are.
func writeLine(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// readStrict reads a value that has no members but those of its type, and nothing behind it.
func readStrict(data []byte, value any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(value); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more behind the value")
	}
	return nil
}
