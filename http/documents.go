package http

import (
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/projections"
)

// Document is a saved version of a model, a scenario or a profile. D says what the document is; it passes as it
// is stored.
type Document[D any] struct {
	ID       string     `json:"id"`
	Version  int        `json:"version"` // 0: the empty model that a branch starts with
	SavedAt  *time.Time `json:"savedAt"`
	SavedBy  *Author    `json:"savedBy"`
	Document D          `json:"document"`
}

// SavedDocument is the answer to a save.
type SavedDocument[D any] struct {
	ID       string `json:"id"`
	Version  int    `json:"version"`
	Document D      `json:"document"`
}

// DocumentItem is a scenario or a profile in a list, at its newest version.
type DocumentItem struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Version    int       `json:"version"`
	ScenarioID string    `json:"scenarioId,omitempty"` // of a profile
	SavedAt    time.Time `json:"savedAt"`
	SavedBy    Author    `json:"savedBy"`
}

// answerDocument answers a version with its ETag.
func (s *Server) answerDocument(c *gin.Context, id string, v projections.Saved) error {
	raw, err := s.Blobs.Blob(c.Request.Context(), v.Blob)
	if err != nil {
		return err
	}
	by := s.author(c, v.SavedBy)
	c.Header("ETag", etag(v.Version))
	return answer(c, 200, Document[json.RawMessage]{ID: id, Version: v.Version, SavedAt: &v.SavedAt.Time, SavedBy: &by, Document: raw})
}

// load reads and parses a stored document.
func load[T any](s *Server, c *gin.Context, hash string, parse func([]byte) (T, error)) (T, error) {
	raw, err := s.Blobs.Blob(c.Request.Context(), hash)
	if err != nil {
		var none T
		return none, err
	}
	return parse(raw)
}
