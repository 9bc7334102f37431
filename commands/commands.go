// Package commands changes what is stored: one file per command, each with the struct that is sent, the pure
// decision on it and the method that runs it. What was decided is appended once, however often the command is
// sent and wherever the process dies (spec 3, Event store).
//
// A command reads the stream, never a projection. It is answered with the position of its commit, at which the
// read models can be read.
package commands

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// Commands runs the commands on one store.
type Commands struct {
	store   reachable
	now     func() time.Time
	publish publish // the store's Append
	access  access
	running running
	memory  memory
}

type publish func(context.Context, eventstore.Aggregate, eventstore.Tail, eventstore.Commit) (eventstore.Record, error)

// New returns the commands on a store. now is the clock that commits and admissions are dated by.
func New(store *eventstore.Store, now func() time.Time) *Commands {
	asked := reachable{store, &heard{}}
	return &Commands{store: asked, now: now, publish: asked.Append}
}

// Meta is what every command carries, beside what it asks for.
type Meta struct {
	CommandID     string // the same id is the same command: it is done once; see CommandID and NewCommandID
	BodyHash      string // SHA-256 of the request's body; the same id with another body is refused; empty: no Idempotency-Key
	Member        string // the id of the member who asks
	CorrelationID string // of all that one request causes; empty: the command's id
	CausationID   string // of the command or commit that caused this one; empty: the command's id
}

// identified gives a command without an id one of its own.
func (m Meta) identified() Meta {
	if m.CommandID == "" {
		m.CommandID = NewCommandID()
	}
	return m
}

// caused is what a command carries that this one causes: an id of its own, and what it was for.
func (m Meta) caused() Meta {
	return Meta{
		CommandID: NewCommandID(), Member: m.Member,
		CorrelationID: cmp.Or(m.CorrelationID, m.CommandID), CausationID: m.CommandID,
	}
}

// finishTime is how long a command has for its commits once it made the first: each may take the store's timeout twice.
const finishTime = 15 * time.Second

// finishing is the context of a command with more than one commit, from the first on. It does not end with the client,
// who may go away between two of them.
func finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), finishTime)
}

// Answer is what a command did.
type Answer struct {
	ID       string // of what was created or saved
	Version  int    // of what was saved, after it
	Position uint64 // of the commit in the stream

	Status domain.RunStatus // of the run that was requested, as it stands
}

// CommandID derives the id of a command from who sends it, to where and with which Idempotency-Key.
func CommandID(member, route, key string) string {
	sum := sha256.Sum256([]byte(member + "\x00" + route + "\x00" + key))
	return hex.EncodeToString(sum[:])
}

// NewCommandID returns an id for a command that has no Idempotency-Key.
func NewCommandID() string {
	var id [32]byte
	_, _ = rand.Read(id[:]) // it never fails: crypto/rand ends the process instead
	return hex.EncodeToString(id[:])
}

// idLength is the length of an id in base32 characters: 130 bits of a SHA-256.
const idLength = 26

var idEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// newID derives the id of what a command creates: sent again, it creates the same thing.
func newID(commandID, typ string) string {
	sum := sha256.Sum256([]byte(commandID + "|" + typ))
	return strings.ToLower(idEncoding.EncodeToString(sum[:])[:idLength])
}

// validID says whether an id from outside can name an aggregate. Others never reach a subject, where a dot or
// a wildcard would name more than one.
func validID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
