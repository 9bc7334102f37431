package commands

import (
	"context"

	"github.com/proofload/proofload/domain"
)

// claim gives an Idempotency-Key to a command, before its first other commit, on a subject that depends on the key
// alone. From then on the key with another body is ErrIdempotencyMismatch, and nothing is appended. It is for commands
// whose commits cannot keep the key, because what is asked for decides on which aggregates they are (ADR 24). Without a
// key there is nothing to keep. All that can be refused is refused before.
func (c *Commands) claim(ctx context.Context, m Meta, command string) error {
	if !m.keyed() {
		return nil
	}
	id := newID(m.CommandID, domain.AggregateKey)
	_, err := handle(ctx, c, m, key(id), func(is claimed) ([]domain.Event, error) {
		if is { // by a command with another id: there is none
			return nil, domain.ErrIdempotencyMismatch
		}
		return []domain.Event{domain.KeyClaimed{Command: command}}, nil
	})
	return err
}

// keyed says whether the command came with an Idempotency-Key.
func (m Meta) keyed() bool { return m.BodyHash != "" }
