package http

import (
	"context"
	"errors"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/projections"
)

// ReadModel is a group of tables that are read together, and how far they are.
type ReadModel struct {
	Name     string `json:"name"`
	Position string `json:"position"` // of the last commit that they show, decimal digits
	End      string `json:"end"`      // the position of the newest commit of the log
	Trouble  string `json:"trouble"`  // what stops them; empty: nothing
}

func (s *Server) readModel(ctx context.Context) (ReadModel, error) {
	end, err := s.Commands.LogEnd(ctx)
	if err != nil {
		return ReadModel{}, err
	}
	status := s.Projections.Status()
	m := ReadModel{Name: projections.Views, Position: strconv.FormatUint(status.Position, 10), End: strconv.FormatUint(end, 10)}
	if status.Trouble != nil {
		m.Trouble = status.Trouble.Error()
	}
	return m, nil
}

func (s *Server) getProjections(c *gin.Context) error {
	m, err := s.readModel(c.Request.Context())
	if err != nil {
		return err
	}
	return answer(c, 200, List[ReadModel]{Items: []ReadModel{m}})
}

// postRebuild makes read models again and answers when they are in place. Readers see the old ones until then.
func (s *Server) postRebuild(c *gin.Context) error {
	err := s.Projector.Rebuild(c.Request.Context(), c.Param("projection"))
	var halt *projections.HaltError
	if errors.As(err, &halt) {
		return refuse(notReady, "%s", halt)
	}
	if err != nil {
		return err
	}
	m, err := s.readModel(c.Request.Context())
	if err != nil {
		return err
	}
	c.Header(headerPosition, m.Position)
	return answer(c, 200, m)
}
