// Package eventstore keeps commits and blobs on NATS JetStream: one stream, one subject per aggregate, one
// message per commit, every append guarded by the exact subject's last sequence (spec 3, Event store).
// It knows nothing of what the events mean.
package eventstore

import (
	"encoding/json"
	"errors"
	"time"
)

// Errors that callers tell apart.
var (
	// ErrRaced: another commit was appended to the aggregate first. Nothing was stored.
	ErrRaced = errors.New("another commit came first")
	// ErrUnknownOutcome: the append may or may not be stored (a timeout, a lost connection).
	ErrUnknownOutcome = errors.New("it is unknown whether the commit was stored")
	// ErrNoBlob: no blob has this hash.
	ErrNoBlob = errors.New("no such blob")
	// ErrNoAggregate: nothing was ever appended to the aggregate.
	ErrNoAggregate = errors.New("no such aggregate")
)

// Aggregate names one aggregate. Each part is one subject token: no dot, no wildcard, no space.
type Aggregate struct {
	Workspace string // an id, or "_" for the instance
	Type      string
	ID        string
}

// Subject is the one subject of the aggregate: evt.<workspace>.<type>.<id>.
func (a Aggregate) Subject() string { return "evt." + a.Workspace + "." + a.Type + "." + a.ID }

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

// Position is where the stream stands.
type Position struct {
	Last    uint64    // the last sequence; 0: empty
	Created time.Time // tells one stream from another of the same name
}
