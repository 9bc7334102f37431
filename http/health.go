package http

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// readyWait is how long the event log may take to answer before the server counts as not ready.
const readyWait = 2 * time.Second

// Health says that the process answers.
type Health struct {
	Status string `json:"status"`
}

// Readiness says how far the read models are.
type Readiness struct {
	Status   string `json:"status"`
	Position string `json:"position"` // decimal digits
}

func (s *Server) getHealth(c *gin.Context) error { return answer(c, 200, Health{Status: "ok"}) }

func (s *Server) getReadiness(c *gin.Context) error {
	status := s.Projections.Status()
	if status.Trouble != nil {
		return refuse(notReady, "%s", status.Trouble)
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyWait)
	defer cancel()
	if err := s.Commands.Writable(ctx); err != nil {
		s.Logger.Warn("the event log is not ready", "err", err)
		if errors.Is(err, domain.ErrStoreFull) {
			return refuse(notReady, "the event log has no room: make some on its disk, or raise the limit of the stream. The log of the server says which")
		}
		return refuse(notReady, "the event log does not answer, or the last write to it failed: is its disk full or read-only? The log of the server has the cause; when that is gone and this stays, start the server again")
	}
	if !status.Complete {
		return &refusal{kind: notReady, retryAfter: time.Second, detail: madeUpTo(status)}
	}
	return answer(c, 200, Readiness{Status: "ready", Position: strconv.FormatUint(status.Position, 10)})
}

// madeUpTo says of read models that are incomplete how far they are.
func madeUpTo(status projections.Status) string {
	if status.Goal == 0 {
		return "it is not known yet how far the read models show the log; this takes a moment after a start"
	}
	return fmt.Sprintf("the read models are being made from the log: they show %d of %d positions, so lists are incomplete. Nothing has to be done", status.Position, status.Goal)
}

func (s *Server) getOpenAPI(c *gin.Context) error {
	data, err := s.openAPI()
	if err != nil {
		return err
	}
	c.Data(200, "application/json", data)
	return nil
}
