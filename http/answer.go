package http

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/commands"
	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// headerPosition is the stream position of what a command did; ?after= waits for it.
const headerPosition = "Proofload-Position"

// Author is a member as the one who did something.
type Author struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// List is a page of a list. NextCursor is the ?cursor= of the next page, empty on the last one.
type List[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor"`
}

// listOf makes a page of the API from one of the read models.
func listOf[R, T any](rows projections.Items[R], convert func(R) T) List[T] {
	l := List[T]{Items: make([]T, len(rows.Items))}
	for i, row := range rows.Items {
		l.Items[i] = convert(row)
	}
	if rows.Next != 0 {
		l.NextCursor = strconv.FormatInt(rows.Next, 10)
	}
	return l
}

// answer writes a JSON body. Documents pass as they are stored. It refuses when a part of the body could not be read.
func answer(c *gin.Context, status int, body any) error {
	if failed := c.Errors.Last(); failed != nil {
		return failed.Err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return err
	}
	c.Data(status, "application/json", b.Bytes())
	return nil
}

// answerSaved answers a command that saved a version: created at version 1 (201), or changed (200).
func answerSaved(c *gin.Context, done commands.Answer, created string, body any) error {
	c.Header("ETag", etag(done.Version))
	return answerDone(c, done, created, body)
}

// answerDone answers a command; created is the path of what it made, if it made something.
func answerDone(c *gin.Context, done commands.Answer, created string, body any) error {
	c.Header(headerPosition, strconv.FormatUint(done.Position, 10))
	if created == "" {
		return answer(c, http.StatusOK, body)
	}
	c.Header("Location", created)
	return answer(c, http.StatusCreated, body)
}

func etag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// author gives the name of a member for an answer. When it cannot be read, answer refuses.
func (s *Server) author(c *gin.Context, id string) Author {
	a, err := s.authorOf(c.Request.Context(), id)
	if err != nil {
		_ = c.Error(err)
	}
	return a
}

// authorOf gives the name of a member. A member that the read models do not show yet has its id as its name.
func (s *Server) authorOf(ctx context.Context, id string) (Author, error) {
	if known, ok := s.authors.Load(id); ok {
		return known.(Author), nil
	}
	a := Author{ID: id, Name: id}
	member, err := s.Projections.Member(ctx, id)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		return a, nil
	case err != nil:
		return a, err
	}
	a.Name = member.Name
	s.authors.Store(id, a)
	return a, nil
}

// instant is a time of the read models, or null.
func instant(t *projections.Time) *time.Time {
	if t == nil {
		return nil
	}
	return &t.Time
}
