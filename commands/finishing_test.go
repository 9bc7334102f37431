package commands

import (
	"context"
	"testing"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/eventstore"
)

// A command with more than one commit, whose client goes away after the first: it is done whole.
func TestACommandIsDoneWholeWhenItsClientGoesAway(t *testing.T) {
	for name, tt := range map[string]struct {
		send func(context.Context, world) error
		done func(*testing.T, world) bool
	}{
		"CreateProject": {
			func(ctx context.Context, w world) error {
				_, err := w.CreateProject(ctx, CreateProject{Meta: w.meta("second"), WorkspaceID: w.WorkspaceID, Name: "Second"})
				return err
			},
			func(t *testing.T, w world) bool {
				id := newID(w.meta("second").CommandID, domain.AggregateProject)
				return state(t, w, project(w.WorkspaceID, id)).Name == "Second"
			},
		},
		"JoinMember": {
			func(ctx context.Context, w world) error {
				_, err := w.JoinMember(ctx, w.join("join", "zed", "viewer"))
				return err
			},
			func(t *testing.T, w world) bool { return w.role(t, "zed") == "viewer" },
		},
		"SaveProfile": {
			func(ctx context.Context, w world) error {
				_, err := w.SaveProfile(ctx, w.profile("second", "Second"))
				return err
			},
			func(t *testing.T, w world) bool {
				id := newID(w.meta("second").CommandID, domain.AggregateProfile)
				return state(t, w, project(w.WorkspaceID, w.projectID)).Profiles[id]
			},
		},
		"DeleteProfile": {
			func(ctx context.Context, w world) error {
				_, err := w.DeleteProfile(ctx, DeleteProfile{Meta: w.meta("delete"), ProjectID: w.projectID, ProfileID: w.profileID})
				return err
			},
			func(t *testing.T, w world) bool {
				return state(t, w, profile(w.WorkspaceID, w.profileID)).Deleted &&
					state(t, w, run(w.WorkspaceID, w.runID())).Status == domain.StatusCancelled && w.noPlaceIsHeld(t)
			},
		},
		"CancelRun": {
			func(ctx context.Context, w world) error {
				_, err := w.CancelRun(ctx, CancelRun{Meta: w.meta("cancel"), ProjectID: w.projectID, RunID: w.runID()})
				return err
			},
			func(t *testing.T, w world) bool { return w.noPlaceIsHeld(t) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.request(t, "in flight")
			ctx, leave := context.WithCancel(t.Context())
			w.publish = afterEach(w.publish, func(eventstore.Aggregate) error { leave(); return nil })
			if err := tt.send(ctx, w); err != nil || !tt.done(t, w) {
				t.Errorf("%v; done: %v", err, tt.done(t, w))
			}
		})
	}
}

// runID is the id of the run that was requested by the key "in flight".
func (w world) runID() string {
	return newID(w.meta("in flight").CommandID, domain.AggregateRun)
}

func (w world) noPlaceIsHeld(t *testing.T) bool {
	return len(state(t, w, admission(w.WorkspaceID)).Open) == 0 && len(w.running.counted()) == 0
}
