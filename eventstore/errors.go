package eventstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	// ErrTooLarge: the commit or the blob is larger than one message may be. Nothing was stored.
	ErrTooLarge = errors.New("too large for one message")
	// ErrFull: the stream is at its size limit or its disk does not take more. Nothing was stored.
	ErrFull = errors.New("the event store takes nothing more: make room on its disk or raise the limit of the stream")
	// ErrUnreachable: the server does not answer at the moment. What should have been stored was not.
	ErrUnreachable = errors.New("the event store cannot be reached")
	// ErrDamaged: what is stored is not what was appended. ChainError and GapError are of this kind.
	ErrDamaged = errors.New("the stored data is damaged: restore a backup")
	// ErrAhead: the position asked for is behind the end of the stream, so it is not a position of this stream.
	// LossError is of this kind.
	ErrAhead = errors.New("the position is ahead of the stream: the log was damaged or cut, or an older backup was restored")
	// ErrOtherStream: the stream was deleted and made anew while it was read.
	ErrOtherStream = errors.New("the stream is another one than before: rebuild what was read from it")
	// ErrNoStreams: the log was not made yet.
	ErrNoStreams = errors.New("the log is not there yet: the first server makes it")
	// ErrRestoring: a restore of the log has begun and has not ended. RestoringError is of this kind.
	ErrRestoring = errors.New("the log is being restored from a backup and is not complete")
	// ErrNotEmpty: there is a log already where one should be restored.
	ErrNotEmpty = errors.New("there is a log already")
	// ErrLocked: another process holds the data folder. LockedError is of this kind.
	ErrLocked = errors.New("the data folder is in use")
)

// ChainError says that a commit does not carry the hash of the commit before it.
type ChainError struct {
	Subject   string
	Prev, Seq uint64 // stream sequences of the two commits; Prev is 0 for the first
}

func (e *ChainError) Error() string {
	return fmt.Sprintf("%s: the commit at %d does not follow the one at %d: %v", e.Subject, e.Seq, e.Prev, ErrDamaged)
}

// Unwrap makes it an ErrDamaged.
func (e *ChainError) Unwrap() error { return ErrDamaged }

// GapError says that commits are missing in the stream.
type GapError struct {
	Stream     string // empty: StreamEvents
	After, Got uint64 // the last stream sequence that was read, and the one that came instead of After+1
}

func (e *GapError) Error() string {
	return fmt.Sprintf("stream %s: after %d came %d: %v", cmp.Or(e.Stream, StreamEvents), e.After, e.Got, ErrDamaged)
}

// Unwrap makes it an ErrDamaged.
func (e *GapError) Unwrap() error { return ErrDamaged }

// ReplicasError says that a stream has, or can have, fewer replicas than it should.
type ReplicasError struct {
	Stream     string // empty: a server without a cluster, which keeps one
	Have, Want int
}

func (e *ReplicasError) Error() string {
	if e.Stream == "" {
		return fmt.Sprintf("the NATS server is not part of a cluster: it keeps one replica, not %d", e.Want)
	}
	return fmt.Sprintf("it has %d replicas, not %d: run nats stream update %s --replicas %d --no-allow-direct", e.Have, e.Want, e.Stream, e.Want)
}

// Error codes of nats-server (its errors.json) that have no name in nats.go.
const (
	codeNoPeers               jetstream.ErrorCode = 10005
	codeNotClustered          jetstream.ErrorCode = 10074
	codeInsufficientResources jetstream.ErrorCode = 10023
	codeStorageExceeded       jetstream.ErrorCode = 10047
	codeStoreFailed           jetstream.ErrorCode = 10077 // among others: maximum bytes exceeded
)

// readError puts the error of a request that the caller did not give up under ErrUnreachable, when it says that nobody
// answers. Of a stream that was just made, or moved, a server of a cluster may not know yet: for a stream that was found
// before, not being found is to be away.
func readError(ctx context.Context, err error) error {
	var refused *jetstream.APIError
	if err == nil || ctx.Err() != nil {
		return err
	}
	down := errors.As(err, &refused) && (refused.Code >= 500 || refused.ErrorCode == jetstream.JSErrCodeStreamNotFound)
	for _, kind := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrConnectionDraining, nats.ErrConnectionReconnecting,
		nats.ErrDisconnected, nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, context.DeadlineExceeded, context.Canceled,
	} {
		down = down || errors.Is(err, kind)
	}
	if !down {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// appendError puts the error of a guarded publish under the sentinel that says what became of the message.
func appendError(err error) error {
	var refused *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case errors.As(err, &refused):
		return refusedError(refused)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, jetstream.ErrNoStreamResponse): // not sent; nobody was there to get it
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	default: // also a cancelled context: the message may be on its way
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
}

// refusedError tells the answers apart by their code: the texts of nats-server are not to be relied on.
func refusedError(err *jetstream.APIError) error {
	switch err.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return fmt.Errorf("%w: %w", ErrRaced, err)
	case jetstream.JSErrCodeStreamMessageExceedsMaximum:
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case codeInsufficientResources, codeStorageExceeded, codeStoreFailed:
		return fmt.Errorf("%w: %w", ErrFull, err)
	default:
		if err.Code >= 500 {
			return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
		}
		return err
	}
}
