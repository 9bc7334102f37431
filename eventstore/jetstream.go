package eventstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of a stored commit, for people with the nats tool; nothing is decided by them.
const (
	HeaderCommandID = "Command-Id"
	HeaderEvents    = "Event-Names" // with commas
)

// Append stores the commit after the tail that the caller decided on. With another commit in between it is
// ErrRaced, and nothing is stored; nor is it with ErrUnreachable, ErrFull and ErrTooLarge. After ErrUnknownOutcome load
// again: the command id tells whether it is there.
func (s *Store) Append(ctx context.Context, agg Aggregate, after Tail, c Commit) (Record, error) {
	c.PrevHash, c.At = after.Hash, c.At.UTC().Round(0)
	msg, err := message(agg, c)
	if err != nil {
		return Record{}, err
	}
	ack, err := s.publish(ctx, msg, StreamEvents, after.Seq)
	if err != nil {
		err = fmt.Errorf("append to %s after %d: %w", msg.Subject, after.Seq, err)
	}
	if s.eventTrouble.note(ctx, err, s.Reconnects()); err != nil {
		return Record{}, err
	}
	s.marks.note(StreamEvents, ack.Sequence)
	return Record{Commit: c, Aggregate: agg, Seq: ack.Sequence, Hash: hashOf(msg.Data)}, nil
}

// publish stores a message behind the one at the sequence on its subject, and says what became of it.
func (s *Store) publish(ctx context.Context, msg *nats.Msg, stream string, after uint64) (*jetstream.PubAck, error) {
	if err := s.hasRoom(); err != nil {
		return nil, err
	}
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	// Always the exact subject: a guard by wildcard lets two writers win on R3.
	ack, err := s.js.PublishMsg(asked, msg, jetstream.WithExpectStream(stream), jetstream.WithExpectLastSequencePerSubject(after))
	if err != nil {
		return nil, appendError(err)
	}
	return ack, nil
}

// Load reads all commits of the aggregate, oldest first, and checks that each follows the one before it.
// An aggregate without commits gives none and no error.
func (s *Store) Load(ctx context.Context, agg Aggregate) ([]Record, error) {
	return s.LoadAfter(ctx, agg, Tail{})
}

// LoadAfter reads the commits of the aggregate that follow the tail, as Load does.
func (s *Store) LoadAfter(ctx context.Context, agg Aggregate, tail Tail) ([]Record, error) {
	if err := agg.check(); err != nil {
		return nil, err
	}
	var records []Record
	for {
		r, err := s.next(ctx, agg, tail)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return records, nil
		}
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", agg.Subject(), readError(ctx, err))
		}
		records, tail = append(records, r), r.Tail()
	}
}

// Last reads the last commit of the aggregate; ErrNoAggregate when there is none.
func (s *Store) Last(ctx context.Context, agg Aggregate) (Record, error) {
	if err := agg.check(); err != nil {
		return Record{}, err
	}
	return s.last(ctx, agg.Subject())
}

// LastAfter reads the last commit of the aggregate as Last does, unless it is the one at the tail: then it is false, and
// the commit, which the caller knows, is not taken apart again.
func (s *Store) LastAfter(ctx context.Context, agg Aggregate, tail Tail) (Record, bool, error) {
	if err := agg.check(); err != nil {
		return Record{}, false, err
	}
	msg, err := s.lastMessage(ctx, agg.Subject())
	if err != nil || msg.Sequence == tail.Seq && hashOf(msg.Data) == tail.Hash {
		return Record{}, false, err
	}
	r, err := decode(msg.Subject, msg.Sequence, msg.Data)
	return r, err == nil, err
}

// Find looks for an aggregate of which the workspace is not known; ErrNoAggregate when there is none.
func (s *Store) Find(ctx context.Context, typ, id string) (Aggregate, error) {
	r, err := s.FindLast(ctx, typ, id)
	return r.Aggregate, err
}

// FindLast reads the last commit of an aggregate of which the workspace is not known, as Last does.
func (s *Store) FindLast(ctx context.Context, typ, id string) (Record, error) {
	if err := (Aggregate{Workspace: "_", Type: typ, ID: id}).check(); err != nil {
		return Record{}, err
	}
	return s.last(ctx, "evt.*."+typ+"."+id)
}

// FindFirst reads the first commit of an aggregate of which the workspace is not known; ErrNoAggregate when there is none.
func (s *Store) FindFirst(ctx context.Context, typ, id string) (Record, error) {
	if err := (Aggregate{Workspace: "_", Type: typ, ID: id}).check(); err != nil {
		return Record{}, err
	}
	subject := "evt.*." + typ + "." + id
	msg, err := s.after(ctx, subject, 0)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		err = ErrNoAggregate
	}
	if err != nil {
		return Record{}, fmt.Errorf("first commit of %s: %w", subject, readError(ctx, err))
	}
	return decode(msg.Subject, msg.Sequence, msg.Data)
}

func (s *Store) last(ctx context.Context, subject string) (Record, error) {
	msg, err := s.lastMessage(ctx, subject)
	if err != nil {
		return Record{}, err
	}
	return decode(msg.Subject, msg.Sequence, msg.Data)
}

func (s *Store) lastMessage(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("last commit of %s: %w", subject, err)
	}
	defer cancel()
	msg, err := s.events.GetLastMsgForSubject(asked, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		err = ErrNoAggregate
	}
	if err != nil {
		return nil, fmt.Errorf("last commit of %s: %w", subject, readError(ctx, err))
	}
	return msg, nil
}

// next reads the commit of the aggregate after the tail.
func (s *Store) next(ctx context.Context, agg Aggregate, tail Tail) (Record, error) {
	msg, err := s.after(ctx, agg.Subject(), tail.Seq)
	if err != nil {
		return Record{}, err
	}
	r, err := decode(msg.Subject, msg.Sequence, msg.Data)
	if err == nil && r.PrevHash != tail.Hash {
		err = &ChainError{Subject: msg.Subject, Prev: tail.Seq, Seq: r.Seq}
	}
	return r, err
}

// after is the first message on a subject after a position.
func (s *Store) after(ctx context.Context, subject string, seq uint64) (*jetstream.RawStreamMsg, error) {
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return s.events.GetMsg(asked, seq+1, jetstream.WithGetMsgSubject(subject))
}

// message is the commit as it is stored: its JSON, and headers to look at.
func message(agg Aggregate, c Commit) (*nats.Msg, error) {
	if err := agg.check(); err != nil {
		return nil, err
	}
	if len(c.Events) == 0 {
		return nil, fmt.Errorf("append to %s: a commit without events", agg.Subject())
	}
	data, err := encode(c)
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", agg.Subject(), err)
	}
	names := make([]string, len(c.Events))
	for i, e := range c.Events {
		names[i] = e.Name
	}
	header := nats.Header{HeaderCommandID: {c.CommandID}, HeaderEvents: {strings.Join(names, ",")}}
	return &nats.Msg{Subject: agg.Subject(), Header: header, Data: data}, nil
}

// encode leaves the events' data as they are: no escapes for HTML.
func encode(c Commit) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(c); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// decode reads a stored message. Members that it does not know are of later versions and pass.
func decode(subject string, seq uint64, data []byte) (Record, error) {
	r := Record{Seq: seq, Hash: hashOf(data)}
	var err error
	if r.Aggregate, err = parseSubject(subject); err == nil {
		err = json.Unmarshal(data, &r.Commit)
	}
	if err == nil && len(r.Events) == 0 {
		err = errors.New("a commit without events")
	}
	if err != nil {
		return Record{}, fmt.Errorf("record %d on %s: %w: %w", seq, subject, err, ErrDamaged)
	}
	return r, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
