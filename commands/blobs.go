package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// blobTries is how often a blob is put before the store counts as unavailable. Putting it twice does no harm.
const blobTries = 2

// putBlob stores a document or a result, before the event that names its hash.
func (c *Commands) putBlob(ctx context.Context, data []byte) (string, error) {
	for try := range blobTries {
		if err := pause(ctx, try); err != nil {
			return "", err
		}
		hash, err := c.store.PutBlob(ctx, data)
		if !errors.Is(err, eventstore.ErrUnknownOutcome) {
			return hash, err
		}
	}
	return "", fmt.Errorf("blob: %w", domain.ErrUnavailable)
}
