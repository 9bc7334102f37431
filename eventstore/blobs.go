package eventstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxBlob is the largest blob in bytes: one message less room for its headers.
const MaxBlob = maxPayload - 4096

// PutBlob stores the data under its SHA-256 (lower-case hex), once however often it is put.
func (s *Store) PutBlob(ctx context.Context, data []byte) (string, error) {
	if len(data) > MaxBlob {
		return "", fmt.Errorf("blob of %d bytes, at most %d: %w", len(data), MaxBlob, ErrTooLarge)
	}
	hash := hashOf(data)
	ack, err := s.publish(ctx, &nats.Msg{Subject: blobSubject(hash), Data: data}, StreamBlobs, 0)
	if err == nil {
		s.marks.note(StreamBlobs, ack.Sequence)
	}
	s.blobTrouble.note(ctx, err, s.Reconnects())
	if errors.Is(err, ErrRaced) {
		err = s.confirmBlob(ctx, hash)
	}
	if err != nil {
		return "", fmt.Errorf("put blob %s: %w", hash, err)
	}
	return hash, nil
}

// Blob reads the blob with this hash, and makes sure that it is that one. A new leader of a cluster may not have caught
// up yet; then it is asked again for a while.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	waiting, cancel := context.WithTimeout(ctx, laggingWait)
	defer cancel()
	for {
		data, err := s.blob(ctx, hash)
		if !errors.Is(err, ErrNoBlob) || s.blobs.CachedInfo().Config.Replicas == 1 || waiting.Err() != nil {
			return data, err
		}
		pause(waiting, retryWait)
	}
}

func (s *Store) blob(ctx context.Context, hash string) ([]byte, error) {
	if sum, err := hex.DecodeString(hash); err != nil || len(sum) != 32 {
		return nil, fmt.Errorf("blob %q: not a SHA-256: %w", hash, ErrNoBlob)
	}
	asked, cancel, err := s.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", hash, err)
	}
	defer cancel()
	msg, err := s.blobs.GetLastMsgForSubject(asked, blobSubject(hash))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		err = ErrNoBlob
	}
	if err != nil {
		return nil, fmt.Errorf("blob %s: %w", hash, readError(ctx, err))
	}
	if hashOf(msg.Data) != hash {
		return nil, fmt.Errorf("blob %s: its content has another hash: %w", hash, ErrDamaged)
	}
	return msg.Data, nil
}

// confirmBlob makes sure that the blob that was there first is stored and whole. In a cluster a rival's may still be
// on its way; then it waits for it.
func (s *Store) confirmBlob(ctx context.Context, hash string) error {
	waiting, cancel := context.WithTimeout(ctx, laggingWait)
	defer cancel()
	for {
		_, err := s.blob(ctx, hash)
		switch {
		case !errors.Is(err, ErrNoBlob):
			return err
		case waiting.Err() != nil:
			return fmt.Errorf("another writer's put is not stored: %w", ErrUnknownOutcome)
		}
		pause(waiting, retryWait)
	}
}

func blobSubject(hash string) string { return "blob." + hash }
