package http

import (
	"strings"
	"testing"

	"github.com/proofload/proofload/projections"
)

// Who waits for read models that are being made sees how far they are.
func TestIncompleteReadModelsSayHowFarTheyAre(t *testing.T) {
	for want, status := range map[string]projections.Status{
		"not known yet":                     {},
		"they show 40 of 200 positions, so": {Position: 40, Goal: 200},
	} {
		if got := madeUpTo(status); !strings.Contains(got, want) {
			t.Errorf("%+v: %q does not say %q", status, got, want)
		}
	}
}
