package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names of the two streams.
const (
	StreamEvents = "EVT"  // commits, on evt.<workspace>.<type>.<id>
	StreamBlobs  = "BLOB" // documents and results, on blob.<SHA-256 in hex>
)

// Limits of the streams, in bytes. A stream that an operator made with other limits is taken as it is.
const (
	maxEventBytes = 4 << 30
	maxBlobBytes  = 16 << 30
)

const createTries = 5

// Options say how Open makes the streams that are missing.
type Options struct {
	Replicas int  // 1 (also for 0) to 5; a cluster should have 3
	Existing bool // make none: without them it is ErrNoStreams
	// MarkFile is a file in which the store writes down how far the log has reached, so that Open finds out when it
	// has become shorter; empty: none.
	MarkFile string
	Room     func() error // says why nothing should be written; nil: the server knows
	// AnswerWait is how long one answer of the server is waited for, whatever time the caller has; 0: 3 s.
	AnswerWait time.Duration
}

// Store keeps commits and blobs. It is safe for many goroutines.
type Store struct {
	js            jetstream.JetStream
	events, blobs jetstream.Stream
	marks         marks
	embedded      bool // the server is in this process
	room          func() error

	eventTrouble, blobTrouble trouble
	link                      link
	inboxes                   chan *inbox   // that nobody uses
	gone                      atomic.Bool   // the connection was waited for in vain
	answers                   time.Duration // how long one is waited for; 0: answerWait
}

// Open makes the streams, or checks those that are there: a stream that has lost its end is a LossError. The connection
// stays the caller's.
func Open(ctx context.Context, conn *nats.Conn, opts Options) (*Store, error) {
	if err := checkServer(conn); err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("event store: %w", err)
	}
	if err := checkJetStream(ctx, js); err != nil {
		return nil, err
	}
	s := &Store{js: js, marks: marks{path: opts.MarkFile}, embedded: conn.Opts.InProcessServer != nil, inboxes: make(chan *inbox, maxInboxes)}
	s.room, s.answers = opts.Room, opts.AnswerWait
	replicas := max(opts.Replicas, 1)
	if s.events, err = openStream(ctx, js, streamConfig(StreamEvents, "evt.>", maxEventBytes, replicas), opts.Existing); err != nil {
		return nil, err
	}
	if s.blobs, err = openStream(ctx, js, streamConfig(StreamBlobs, "blob.>", maxBlobBytes, replicas), opts.Existing); err != nil {
		return nil, err
	}
	if err := s.checkEnds(ctx); err != nil {
		return nil, err
	}
	s.link.watch(conn)
	return s, nil
}

// Close writes the mark file. What is stored is stored without it.
func (s *Store) Close() error { return s.marks.close() }

// checkEnds compares the ends of the streams with what the mark file and the consumers know.
func (s *Store) checkEnds(ctx context.Context) error {
	for _, stream := range []jetstream.Stream{s.events, s.blobs} {
		if err := s.checkEnd(ctx, stream); err != nil {
			return err
		}
	}
	return s.checkConsumers(ctx)
}

// checkEnd compares the end of a stream with the mark file. A new leader of a cluster may not have caught up yet; then
// it is asked again for a while.
func (s *Store) checkEnd(ctx context.Context, stream jetstream.Stream) error {
	waiting, cancel := context.WithTimeout(ctx, laggingWait)
	defer cancel()
	for {
		info, err := stream.Info(ctx)
		if err != nil {
			return fmt.Errorf("position of a stream: %w", readError(ctx, err))
		}
		err = s.marks.check(info.Config.Name, Position{Last: info.State.LastSeq, Created: info.Created})
		if !errors.Is(err, ErrAhead) || info.Config.Replicas == 1 || waiting.Err() != nil {
			return err
		}
		pause(waiting, retryWait)
	}
}

// JetStream is the client that the store works with.
func (s *Store) JetStream() jetstream.JetStream { return s.js }

// Reconnects counts how often the connection was lost and came back: to a server that may have lost what it had not
// yet synced.
func (s *Store) Reconnects() uint64 { return s.js.Conn().Stats().Reconnects }

// Position says where the event stream stands.
func (s *Store) Position(ctx context.Context) (Position, error) {
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return Position{}, fmt.Errorf("position of stream %s: %w", StreamEvents, err)
	}
	defer cancel()
	info, err := s.events.Info(asked)
	if err != nil {
		return Position{}, fmt.Errorf("position of stream %s: %w", StreamEvents, readError(ctx, err))
	}
	return Position{Last: info.State.LastSeq, Created: info.Created}, nil
}

func (s *Store) replicas() int { return s.events.CachedInfo().Config.Replicas }

// streamConfig is the one description of both streams. A direct get may be answered by any replica, also by one
// that lags behind what we were just told is stored; with more than one replica the leader answers instead.
func streamConfig(name, subjects string, maxBytes int64, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        name,
		Subjects:    []string{subjects},
		Retention:   jetstream.LimitsPolicy,
		Storage:     jetstream.FileStorage,
		Discard:     jetstream.DiscardNew,
		MaxBytes:    maxBytes,
		Replicas:    replicas,
		DenyDelete:  true,
		DenyPurge:   true,
		AllowDirect: replicas == 1,
	}
}

func openStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig, existing bool) (jetstream.Stream, error) {
	stream, err := js.Stream(ctx, want.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound) && existing:
		err = ErrNoStreams
	case errors.Is(err, jetstream.ErrStreamNotFound):
		stream, err = createStream(ctx, js, want)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, openError(ctx, err, want))
	}
	if err := checkRestored(stream.CachedInfo()); err != nil {
		return nil, err
	}
	if err := checkStream(stream.CachedInfo().Config, want); err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, err)
	}
	return stream, nil
}

// openError says what to do where a server cannot keep the replicas, and whether it may become better by itself.
func openError(ctx context.Context, err error, want jetstream.StreamConfig) error {
	var refused *jetstream.APIError
	if !errors.As(err, &refused) {
		return readError(ctx, err)
	}
	switch refused.ErrorCode {
	case codeNotClustered:
		return &ReplicasError{Have: 1, Want: want.Replicas}
	case jetstream.JSErrCodeStreamNameInUse: // one of whom nobody knows more: it is made at this moment, or its leader has not come
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	case codeNoPeers:
		return fmt.Errorf("%w for %d replicas of %d bytes: it takes as many servers that have joined the cluster, each with that much left in "+
			"its max_file_store: %w", ErrUnreachable, want.Replicas, want.MaxBytes, err)
	default:
		return readError(ctx, err)
	}
}

// createStream also succeeds when other processes make the stream at the same moment. The room that they ask for
// counts until the server sees that it is for one stream, so having no room is believed only after a while.
func createStream(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := js.CreateStream(ctx, want)
	for range createTries {
		if !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) && !noRoom(err) {
			return stream, err
		}
		pause(ctx, retryWait)
		if stream, found := js.Stream(ctx, want.Name); found == nil {
			return stream, nil
		}
		stream, err = js.CreateStream(ctx, want)
	}
	if noRoom(err) {
		err = fmt.Errorf("the server has no room for %d bytes: raise its max_file_store, or make the stream yourself with a smaller max_bytes: %w", want.MaxBytes, err)
	}
	return stream, err
}

func noRoom(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && (refused.ErrorCode == codeStorageExceeded || refused.ErrorCode == codeInsufficientResources)
}

// checkStream refuses a stream that could lose or reorder what was acknowledged.
func checkStream(got, want jetstream.StreamConfig) error {
	switch {
	case !slices.Equal(got.Subjects, want.Subjects):
		return fmt.Errorf("its subjects are %v, not %v", got.Subjects, want.Subjects)
	case got.Retention != want.Retention || got.Storage != want.Storage || got.Discard != want.Discard:
		return fmt.Errorf("it must have retention limits, storage file and discard new")
	case got.MaxAge > 0 || got.MaxMsgs > 0 || got.MaxMsgsPerSubject > 0:
		return fmt.Errorf("it must have no limit but max_bytes, or the past would vanish")
	case !got.DenyDelete || !got.DenyPurge:
		return fmt.Errorf("it must have deny_delete and deny_purge")
	case got.Replicas < want.Replicas:
		return &ReplicasError{Stream: got.Name, Have: got.Replicas, Want: want.Replicas}
	case got.Replicas > 1 && got.AllowDirect:
		return fmt.Errorf("with replicas it must not have allow_direct: a replica that lags would answer")
	}
	return nil
}

// checkServer refuses a server on which guards do not hold, or large documents do not fit.
func checkServer(conn *nats.Conn) error {
	if version := conn.ConnectedServerVersion(); !atLeast(version, 2, 12) {
		return fmt.Errorf("the NATS server is %s: proofload needs 2.12 or later", version)
	}
	if limit := conn.MaxPayload(); limit < maxPayload {
		return fmt.Errorf("the NATS server takes messages of at most %d bytes: set max_payload: %d in its configuration", limit, maxPayload)
	}
	return nil
}

// checkJetStream tells a server, or an account of one, that has no JetStream and gets none by itself, from one whose
// JetStream does not answer yet: that is an ErrUnreachable.
func checkJetStream(ctx context.Context, js jetstream.JetStream) error {
	_, err := js.AccountInfo(ctx)
	on, _ := js.Conn().ConnectedServerJetStream()
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return errors.New("the account of that NATS has no JetStream: write jetstream: enabled into it in the configuration of the servers " +
			"(with JWTs, nsc edit account --js-disk-storage), or use a user of another account")
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled) && !on && js.Conn().IsConnected():
		return errors.New("that NATS has no JetStream: give its servers a block jetstream in their configuration, or start it with --jetstream")
	case err != nil:
		return fmt.Errorf("JetStream: %w", readError(ctx, err))
	}
	return nil
}
