package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// Fault says where a log, or a copy of one, is not whole.
type Fault struct {
	Stream  string
	Seq     uint64 // the message; 0: none in particular
	Subject string // that of the message; of an event it names the aggregate
	What    string
}

func (f *Fault) Error() string {
	text := "stream " + f.Stream
	if f.Seq > 0 {
		text += fmt.Sprintf(", message %d", f.Seq)
	}
	if f.Subject != "" {
		text += " on " + f.Subject
	}
	return text + ": " + f.What
}

// Unwrap makes it an eventstore.ErrDamaged.
func (f *Fault) Unwrap() error { return eventstore.ErrDamaged }

// checker is a sink that checks a log and counts it. It keeps about 100 bytes for each aggregate, and for each blob
// that an event names.
type checker struct {
	*counter
	tails map[[sha256.Size]byte]tail   // by the SHA-256 of the subject
	named map[[sha256.Size]byte]uint64 // the blobs that are still to come, and the first commit that names each
}

// tail is the last commit of an aggregate.
type tail struct {
	seq  uint64
	hash [sha256.Size]byte
}

func newChecker() *checker {
	return &checker{counter: newCounter(), tails: map[[sha256.Size]byte]tail{}, named: map[[sha256.Size]byte]uint64{}}
}

func (c *checker) message(m eventstore.Message) error {
	sum, err := c.count(m)
	switch {
	case err != nil:
		return err
	case c.of.Name == eventstore.StreamBlobs:
		return c.blob(m, sum)
	}
	return c.commit(m, sum)
}

// commit checks that a commit follows the one before it of its aggregate, and notes the blobs that it names.
func (c *checker) commit(m eventstore.Message, sum [sha256.Size]byte) error {
	fault := func(format string, args ...any) error {
		return &Fault{Stream: c.of.Name, Seq: m.Seq, Subject: m.Subject, What: fmt.Sprintf(format, args...)}
	}
	r, err := m.Record()
	if err != nil {
		return fault("it is no commit: %v", err)
	}
	key := sha256.Sum256([]byte(m.Subject))
	before, follows := c.tails[key]
	switch {
	case follows && r.PrevHash != hex.EncodeToString(before.hash[:]):
		return fault("it does not carry the hash of the aggregate's commit before it, message %d", before.seq)
	case !follows && r.PrevHash != "":
		return fault("it follows a commit of the aggregate that is not there")
	}
	c.tails[key] = tail{m.Seq, sum}
	for _, e := range r.Events {
		names, err := domain.BlobsOf(e.Data)
		if err != nil {
			return fault("the payload of %s cannot be read: %v", e.Name, err)
		}
		for _, name := range names {
			blob, err := parseHash(name)
			if err != nil {
				return fault("%s names the blob %q: %v", e.Name, name, err)
			}
			if _, known := c.named[blob]; !known {
				c.named[blob] = m.Seq
			}
		}
	}
	return nil
}

// blob checks that a blob has the hash that names it.
func (c *checker) blob(m eventstore.Message, sum [sha256.Size]byte) error {
	if name, found := strings.CutPrefix(m.Subject, "blob."); !found || name != hex.EncodeToString(sum[:]) {
		return &Fault{Stream: c.of.Name, Seq: m.Seq, Subject: m.Subject, What: fmt.Sprintf("its content has the SHA-256 %x", sum)}
	}
	delete(c.named, sum)
	return nil
}

func (c *checker) end() error {
	if err := c.counter.end(); err != nil {
		return err
	}
	if c.of.Name == eventstore.StreamBlobs {
		return c.missing()
	}
	return nil
}

// missing names the first commit whose blob did not come.
func (c *checker) missing() error {
	var first *Fault
	for blob, seq := range c.named {
		if first == nil || seq < first.Seq {
			first = &Fault{Stream: eventstore.StreamEvents, Seq: seq, What: fmt.Sprintf("it names the blob %x, which is not there (missing in all: %d)", blob, len(c.named))}
		}
	}
	if first == nil {
		return nil
	}
	return first
}

func parseHash(text string) (sum [sha256.Size]byte, err error) {
	data, err := hex.DecodeString(text)
	if err == nil && len(data) != len(sum) {
		err = fmt.Errorf("%d bytes", len(data))
	}
	copy(sum[:], data)
	return sum, err
}
