package http

import (
	"strconv"

	"github.com/gin-gonic/gin"
)

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
	return answer(c, 200, Readiness{Status: "ready", Position: strconv.FormatUint(status.Position, 10)})
}

func (s *Server) getOpenAPI(c *gin.Context) error {
	data, err := s.openAPI()
	if err != nil {
		return err
	}
	c.Data(200, "application/json", data)
	return nil
}
