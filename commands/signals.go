package commands

import (
	"encoding/json"
	"strings"

	"github.com/proofload/proofload/domain"
)

// Subjects of the signals of runs. They carry no state: a cancelled run has its outcome on the stream before
// anybody is told, and progress is shown and forgotten.
const (
	cancelSubject   = "cancel."   // and the run
	progressSubject = "progress." // and the workspace, the project and the run
)

// tellCancelled stops the engine of a run that has its outcome, wherever it works. A worker that misses it only works
// in vain: its outcome comes too late.
func (c *Commands) tellCancelled(runID string) error { return c.store.Signal(cancelSubject+runID, nil) }

// ListenCancels calls hear with the id of each run that is cancelled from now on.
func (c *Commands) ListenCancels(hear func(runID string)) (stop func(), err error) {
	return c.store.Listen(cancelSubject+"*", func(subject string, _ []byte) { hear(strings.TrimPrefix(subject, cancelSubject)) })
}

// TellProgress tells how far a run is.
func (c *Commands) TellProgress(pins domain.RunRequested, p domain.RunProgress) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.store.Signal(progressSubject+pins.WorkspaceID+"."+pins.ProjectID+"."+pins.RunID, data)
}

// ListenProgress calls hear with the progress of the runs of a project, in whatever process they work.
func (c *Commands) ListenProgress(workspaceID, projectID string, hear func(domain.RunProgress)) (stop func(), err error) {
	return c.store.Listen(progressSubject+workspaceID+"."+projectID+".*", func(_ string, data []byte) {
		var p domain.RunProgress
		if json.Unmarshal(data, &p) == nil { // what is none is not of ours
			hear(p)
		}
	})
}
