package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/proofload/proofload/domain"
)

// A worker asks the log again when it did not answer, also when it may have stored what it was told, and not after another answer.
func TestTheLogIsAskedAgain(t *testing.T) {
	for err, again := range map[error]bool{domain.ErrUnavailable: true, domain.ErrUnknownOutcome: true, domain.ErrStoreFull: true, domain.ErrRunEnded: false, errors.New("ours"): false} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			got, failed := answered(t.Context(), &Worker{Config: Config{Logger: slog.New(slog.DiscardHandler)}}, func() (string, error) {
				if asked++; asked < 4 {
					return "", fmt.Errorf("the log: %w", err)
				}
				return "stored", nil
			})
			if again && (got != "stored" || failed != nil || asked != 4) || !again && (!errors.Is(failed, err) || asked != 1) {
				t.Errorf("%v: asked %d times: %q, %v", err, asked, got, failed)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := answered(ctx, &Worker{Config: Config{Logger: slog.New(slog.DiscardHandler)}}, func() (string, error) { return "", domain.ErrUnknownOutcome }); !errors.Is(err, domain.ErrUnknownOutcome) {
		t.Errorf("after a stop: %v", err)
	}
}
