package http

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// LogEntry is a commit of the log: what one command did. D says what a payload is; it passes as it is stored.
type LogEntry[D any] struct {
	Position      string        `json:"position"` // decimal digits
	At            time.Time     `json:"at"`
	Member        Author        `json:"member"`
	WorkspaceID   string        `json:"workspaceId"` // _ of the instance
	Aggregate     string        `json:"aggregate"`   // its type
	AggregateID   string        `json:"aggregateId"`
	CommandID     string        `json:"commandId"`
	CorrelationID string        `json:"correlationId"`
	CausationID   string        `json:"causationId"`
	Events        []LogEvent[D] `json:"events"`
}

// LogEvent is one event of a commit, at the schema that it was written with.
type LogEvent[D any] struct {
	Name   string `json:"name"`
	Schema int    `json:"schema"`
	Data   D      `json:"data"`
}

// EventPayload is the payload of an event, as docs/reference/events.md lists them.
type EventPayload map[string]any

// instanceWorkspace stands for the workspace in the subjects of the instance.
const instanceWorkspace = "_"

// getLog answers the commits of the workspaces in which the member has a role, as far as its role goes (readerOf); those of
// the instance, which name members and the hashes of their tokens, to the administrator.
func (s *Server) getLog(c *gin.Context) error {
	p, err := page(c)
	if err != nil {
		return err
	}
	found, err := s.Commands.Log(c.Request.Context(), uint64(p.After), p.Limit, s.visible(c))
	if err != nil {
		return err
	}
	l := List[LogEntry[json.RawMessage]]{Items: make([]LogEntry[json.RawMessage], len(found.Records))}
	for i, r := range found.Records {
		entry := LogEntry[json.RawMessage]{
			Position: strconv.FormatUint(r.Seq, 10), At: r.At, Member: s.author(c, r.Member),
			WorkspaceID: r.Aggregate.Workspace, Aggregate: r.Aggregate.Type, AggregateID: r.Aggregate.ID,
			CommandID: r.CommandID, CorrelationID: r.CorrelationID, CausationID: r.CausationID,
		}
		for _, e := range r.Events {
			entry.Events = append(entry.Events, LogEvent[json.RawMessage]{Name: e.Name, Schema: e.Schema, Data: json.RawMessage(e.Data)})
		}
		l.Items[i] = entry
	}
	if found.Next > 0 {
		l.NextCursor = strconv.FormatUint(found.Next, 10)
	}
	return answer(c, 200, l)
}

// visible says which events the caller may read. The role in each workspace is looked up once a request.
func (s *Server) visible(c *gin.Context) func(commands.LoggedEvent) (bool, error) {
	role := s.logRoles(c)
	return func(e commands.LoggedEvent) (bool, error) {
		own, err := role(e.Workspace)
		return domain.RoleAllows(own, string(readerOf(e))), err
	}
}

// logRoles gives as whom the caller reads the log of a workspace; empty: not at all. The administrator, who can take the
// whole log away as a backup, reads as an owner where it has a role, and the log of the instance.
func (s *Server) logRoles(c *gin.Context) func(workspace string) (string, error) {
	who := caller(c)
	known := map[string]string{instanceWorkspace: ""}
	if who.Administrator {
		known[instanceWorkspace] = domain.RoleOwner
	}
	return func(workspace string) (string, error) {
		if role, ok := known[workspace]; ok {
			return role, nil
		}
		role, err := s.Commands.Role(c.Request.Context(), workspace, who.ID)
		if err != nil && !errors.Is(err, domain.ErrNotFound) {
			return "", err
		}
		if who.Administrator && role != "" {
			role = domain.RoleOwner
		}
		known[workspace] = role
		return role, nil
	}
}

// readerOf is the role that the routes ask for to show what an event says: the log shows nobody more than they do.
func readerOf(e commands.LoggedEvent) Role {
	switch e.Aggregate {
	case domain.AggregateProject, domain.AggregateBranch, domain.AggregateScenario, domain.AggregateProfile, domain.AggregateRun, domain.AggregateAdmission:
		return Viewer
	case domain.AggregateWorkspace:
		if e.Name == (domain.WorkspaceCreated{}).EventName() {
			return Viewer
		}
	}
	return Owner // members, settings, and what is not known here
}
