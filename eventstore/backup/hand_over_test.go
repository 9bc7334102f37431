package backup

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/proofload/proofload/eventstore"
)

// A folder that a server has taken up before it has its name is not moved under its feet.
func TestAFolderInUseIsNotHandedOver(t *testing.T) {
	parent := t.TempDir()
	building := in(parent, "restored.restoring")
	must(t, os.Mkdir(building, 0o700))
	unlock, err := eventstore.Lock(building)
	must(t, err)
	if err := handOver(building, in(parent, "restored")); !errors.Is(err, ErrInUse) {
		t.Errorf("%v", err)
	}
	if names := entries(t, parent); !slices.Equal(names, []string{"restored.restoring"}) {
		t.Errorf("there is %v", names)
	}
	must(t, unlock())
	must(t, handOver(building, in(parent, "restored")))
	if names := entries(t, parent); !slices.Equal(names, []string{"restored"}) {
		t.Errorf("there is %v", names)
	}
}
