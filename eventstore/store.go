// Package eventstore keeps commits and blobs on NATS JetStream: one stream, one subject per aggregate, one
// message per commit, every append guarded by the exact subject's last sequence (spec 3, Event store).
// It knows nothing of what the events mean.
package eventstore

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Aggregate names one aggregate. Each part is one subject token: no dot, no wildcard, no space.
type Aggregate struct {
	Workspace string // an id, or "_" for the instance
	Type      string
	ID        string
}

// Subject is the one subject of the aggregate: evt.<workspace>.<type>.<id>.
func (a Aggregate) Subject() string { return "evt." + a.Workspace + "." + a.Type + "." + a.ID }

// check refuses what would address another subject than the one of the aggregate.
func (a Aggregate) check() error {
	for _, token := range []string{a.Workspace, a.Type, a.ID} {
		if !safeToken(token) {
			return fmt.Errorf("aggregate %q: %q is not a safe subject token", a.Subject(), token)
		}
	}
	return nil
}

// safeToken tells whether s is one plain token of a subject: letters, digits, "_" and "-".
func safeToken(s string) bool {
	unsafe := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !letter && (r < '0' || r > '9') && r != '_' && r != '-'
	}
	return s != "" && !strings.ContainsFunc(s, unsafe)
}

// parseSubject is the inverse of Aggregate.Subject.
func parseSubject(subject string) (Aggregate, error) {
	tokens := strings.Split(subject, ".")
	if len(tokens) != 4 || tokens[0] != "evt" {
		return Aggregate{}, fmt.Errorf("subject %q is not evt.<workspace>.<type>.<id>", subject)
	}
	agg := Aggregate{Workspace: tokens[1], Type: tokens[2], ID: tokens[3]}
	return agg, agg.check()
}

// Event is an event as it is stored.
type Event struct {
	Name   string          `json:"name"`
	Schema int             `json:"schema"`
	Data   json.RawMessage `json:"data"`
}

// Commit is what one command appended to one aggregate: 1 to n events in one message.
type Commit struct {
	CommandID     string    `json:"commandId"`          // makes the command idempotent for ever
	BodyHash      string    `json:"bodyHash,omitempty"` // SHA-256 of the command's body; the same key with another body is refused
	Member        string    `json:"member"`             // who
	At            time.Time `json:"at"`                 // when, UTC
	CorrelationID string    `json:"correlationId"`
	CausationID   string    `json:"causationId"`
	PrevHash      string    `json:"prevHash,omitempty"` // hash of the aggregate's previous commit; the store sets it
	Events        []Event   `json:"events"`
}

// Record is a commit that is stored.
type Record struct {
	Commit
	Aggregate Aggregate
	Seq       uint64 // position in the stream; orders all commits
	Hash      string // SHA-256 of the stored message, lower-case hex
}

// Tail is the last commit of an aggregate, what an append is guarded by. The zero value: there is none.
type Tail struct {
	Seq  uint64
	Hash string
}

// Tail is what the next commit of the record's aggregate is guarded by.
func (r Record) Tail() Tail { return Tail{Seq: r.Seq, Hash: r.Hash} }

// TailOf is the tail of an aggregate with these records, as Load gave them.
func TailOf(records []Record) Tail {
	if len(records) == 0 {
		return Tail{}
	}
	return records[len(records)-1].Tail()
}

// Position is where the stream stands.
type Position struct {
	Last    uint64    // the last sequence; 0: empty
	Created time.Time // tells one stream from another of the same name
}
