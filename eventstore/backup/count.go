package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"time"

	"github.com/proofload/proofload/eventstore"
)

// Totals say what a stream holds. Digest is the SHA-256 of a text with two lines for each message: sequence, subject
// and SHA-256 of the data with a space between them, then the headers as JSON.
type Totals struct {
	Stream   string    `json:"stream"`
	Created  time.Time `json:"created"`
	First    uint64    `json:"first,string"` // 0: it is empty
	Last     uint64    `json:"last,string"`  // 0: it is empty
	Messages uint64    `json:"messages"`
	Bytes    uint64    `json:"bytes"` // of the data
	Digest   string    `json:"digest"`
}

// counter is a sink that counts what comes, and makes sure that no message is missing.
type counter struct {
	totals []Totals // of the streams that have ended
	of     eventstore.StreamState
	now    Totals
	digest hash.Hash
}

func newCounter() *counter { return &counter{} }

func (c *counter) begin(of eventstore.StreamState) error {
	if len(c.totals) >= len(streamNames) || of.Name != streamNames[len(c.totals)] {
		return &Fault{Stream: of.Name, What: "it does not stand in its place"}
	}
	c.of, c.now, c.digest = of, Totals{Stream: of.Name, Created: of.Created.UTC()}, sha256.New()
	return nil
}

func (c *counter) message(m eventstore.Message) error {
	_, err := c.count(m)
	return err
}

// count adds a message, and gives the SHA-256 of its data.
func (c *counter) count(m eventstore.Message) ([sha256.Size]byte, error) {
	sum := sha256.Sum256(m.Data)
	if c.digest == nil || m.Seq != c.now.Last+1 {
		return sum, &Fault{Stream: c.of.Name, Seq: m.Seq, Subject: m.Subject, What: fmt.Sprintf("it comes after message %d", c.now.Last)}
	}
	c.now.First, c.now.Last = 1, m.Seq
	c.now.Messages++
	c.now.Bytes += uint64(len(m.Data))
	header := []byte("{}")
	if len(m.Header) > 0 {
		var err error
		if header, err = json.Marshal(m.Header); err != nil { // in the order of the names
			return sum, err
		}
	}
	_, err := fmt.Fprintf(c.digest, "%d %s %x\n%s\n", m.Seq, m.Subject, sum, header)
	return sum, err
}

func (c *counter) end() error {
	if c.digest == nil || c.now.Last != c.of.Last {
		return &Fault{Stream: c.of.Name, What: fmt.Sprintf("it ends at %d and not at %d", c.now.Last, c.of.Last)}
	}
	c.now.Digest = hex.EncodeToString(c.digest.Sum(nil))
	c.totals, c.digest = append(c.totals, c.now), nil
	return nil
}
