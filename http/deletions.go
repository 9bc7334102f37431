package http

import (
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
)

// deletion answers a command that deleted something: 204 and the position at which it is gone from the views.
func (s *Server) deletion(c *gin.Context, run func(commands.Meta) (commands.Answer, error)) error {
	meta, err := s.meta(c, nil)
	if err != nil {
		return err
	}
	done, err := run(meta)
	if err != nil {
		return err
	}
	return answerGone(c, done)
}

// answerGone answers a command that took something away.
func answerGone(c *gin.Context, done commands.Answer) error {
	c.Header(headerPosition, strconv.FormatUint(done.Position, 10))
	c.Status(http.StatusNoContent)
	return nil
}

func (s *Server) deleteScenario(c *gin.Context) error {
	return s.deletion(c, func(m commands.Meta) (commands.Answer, error) {
		return s.Commands.DeleteScenario(c.Request.Context(), commands.DeleteScenario{
			Meta: m, ProjectID: c.Param("projectId"), ScenarioID: c.Param("scenarioId"),
		})
	})
}

func (s *Server) deleteProfile(c *gin.Context) error {
	return s.deletion(c, func(m commands.Meta) (commands.Answer, error) {
		return s.Commands.DeleteProfile(c.Request.Context(), commands.DeleteProfile{
			Meta: m, ProjectID: c.Param("projectId"), ProfileID: c.Param("profileId"),
		})
	})
}

func (s *Server) deleteRun(c *gin.Context) error {
	return s.deletion(c, func(m commands.Meta) (commands.Answer, error) {
		return s.Commands.DeleteRun(c.Request.Context(), commands.DeleteRun{
			Meta: m, ProjectID: c.Param("projectId"), RunID: c.Param("runId"),
		})
	})
}

// cancelRun gives a run its outcome; the engine stops soon after.
func (s *Server) cancelRun(c *gin.Context) error {
	meta, err := s.meta(c, nil)
	if err != nil {
		return err
	}
	done, err := s.Commands.CancelRun(c.Request.Context(), commands.CancelRun{
		Meta: meta, ProjectID: c.Param("projectId"), RunID: c.Param("runId"),
	})
	if err != nil {
		return err
	}
	c.Header(headerPosition, strconv.FormatUint(done.Position, 10))
	c.Header("Location", runPath(c.Param("projectId"), done.ID))
	return answer(c, http.StatusAccepted, RequestedRun{ID: done.ID, Status: domain.StatusCancelled})
}
