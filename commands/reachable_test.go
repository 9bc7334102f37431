package commands

import (
	"errors"
	"testing"
	"time"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// Whatever is asked of a store that has stopped, the answer is that it is unavailable.
func TestAStoppedStoreIsUnavailable(t *testing.T) {
	e, err := eventstore.StartEmbedded(eventstore.EmbeddedOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	store, err := eventstore.Open(t.Context(), e.Conn(), eventstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := New(store, time.Now)
	first, err := c.Bootstrap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	project, err := c.CreateProject(t.Context(), CreateProject{Meta: Meta{Member: first.MemberID}, WorkspaceID: first.WorkspaceID, Name: "Shop"})
	if err != nil || c.Writable(t.Context()) != nil {
		t.Fatal(err, c.Writable(t.Context()))
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cold := t.Context(), New(store, time.Now)
	for name, call := range map[string]func() error{
		"append": func() error {
			_, err := c.CreateProject(ctx, CreateProject{Meta: Meta{Member: first.MemberID}, WorkspaceID: first.WorkspaceID, Name: "B"})
			return err
		},
		"load": func() error { _, err := cold.Workspace(ctx, first.WorkspaceID); return err },
		"find": func() error { _, err := cold.WorkspaceOf(ctx, project.ID); return err },
		"log":  func() error { _, err := c.LogEnd(ctx); return err },
		"blob": func() error {
			_, err := c.Blob(ctx, "00000000000000000000000000000000000000000000000000000000000000ff")
			return err
		},
		"writable": func() error { return c.Writable(ctx) },
	} {
		if err := call(); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
