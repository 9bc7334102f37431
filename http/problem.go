package http

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/projections"
)

// Problem is the body of every answer that refuses a request (RFC 9457).
type Problem struct {
	Type    string         `json:"type"`
	Title   string         `json:"title"`
	Status  int            `json:"status"`
	Detail  string         `json:"detail,omitempty"`
	Field   string         `json:"field,omitempty"`   // 400: the target of the first issue
	Issues  []domain.Issue `json:"issues,omitempty"`  // all of them
	Current *SavedVersion  `json:"current,omitempty"` // 412: the version that stands
	Limit   int64          `json:"limit,omitempty"`   // 413: bytes
	RunID   string         `json:"runId,omitempty"`   // the run that was refused or failed
}

// SavedVersion says who saved a version and when. By and At are null for version 0, which nobody saved.
type SavedVersion struct {
	Version int        `json:"version"`
	By      *Author    `json:"by"`
	At      *time.Time `json:"at"`
}

// fullRetry is when a store without room is worth to be asked again: an operator has to make some.
const fullRetry = 30 * time.Second

// refusal is an error that says which problem it is.
type refusal struct {
	kind       kind
	detail     string
	retryAfter time.Duration
	limit      int64
	runID      string
	title      string // in place of the kind's
	issues     []domain.Issue
}

func (r *refusal) Error() string { return r.kind.Type + ": " + r.detail }

func refuse(k kind, format string, args ...any) error {
	return &refusal{kind: k, detail: fmt.Sprintf(format, args...)}
}

// invalidParam refuses a query parameter or a header.
func invalidParam(name, message string) error {
	return &domain.InvalidError{Issues: []domain.Issue{{Code: "invalid-parameter", Target: name, Message: message}}}
}

// fail answers an error. The cause of one that is ours, or the store's, is for the log, not for the client.
func (s *Server) fail(c *gin.Context, err error) {
	c.Abort()
	p, retryAfter := s.problemOf(c.Request.Context(), err)
	if refused := new(refusal); !errors.As(err, &refused) && (p.Type == internalError.Type || p.Type == unavailable.Type || p.Type == unknownOutcome.Type) {
		s.logFailure(c, err)
	}
	if p.Current != nil {
		c.Header("ETag", etag(p.Current.Version))
	}
	if p.Status == http.StatusUnauthorized {
		c.Header("WWW-Authenticate", `Bearer realm="proofload"`)
	}
	if retryAfter > 0 {
		c.Header("Retry-After", strconv.Itoa(int(math.Ceil(retryAfter.Seconds()))))
	}
	writeProblem(c.Writer, p)
}

// logFailure tells what failed here from what was given up because its client went away: anybody can do that, and often.
func (s *Server) logFailure(c *gin.Context, err error) {
	level, message := slog.LevelError, "request failed"
	ctx := c.Request.Context()
	if errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled) {
		level, message = slog.LevelInfo, "the client is gone"
	}
	s.Logger.Log(ctx, level, message, "id", c.GetString(keyRequestID), "route", c.FullPath(), "err", err)
}

// problemOf gives the problem of an error, and when it is worth to try again.
func (s *Server) problemOf(ctx context.Context, err error) (Problem, time.Duration) {
	var (
		refused *refusal
		invalid *domain.InvalidError
		old     *domain.StaleError
		rate    *domain.RateLimitedError
		full    *domain.BusyError
		stress  *domain.RefusedError
		halt    *projections.HaltError
		away    *projections.UnreachableError
	)
	switch {
	case errors.As(err, &refused):
		return refused.problem(), refused.retryAfter
	case errors.As(err, &invalid):
		return validationProblem(invalid), 0
	case errors.As(err, &old):
		return s.staleProblem(ctx, old), 0
	case errors.As(err, &rate):
		return rateLimited.problem(rate.Error()), max(rate.RetryAfter, time.Second)
	case errors.As(err, &full):
		return busy.problem(full.Error()), max(full.RetryAfter, time.Second)
	case errors.As(err, &stress):
		return stressProblem(stress), 0
	case errors.As(err, &halt):
		return unavailable.problem("the read models cannot be read; GET /readyz and the log of the server say what to do"), time.Minute
	case errors.As(err, &away):
		return unavailable.problem("the database of the read models does not answer at the moment, or cannot do its work; the same request may be sent again, and GET /readyz says more"), time.Second
	case errors.Is(err, domain.ErrUnauthenticated):
		return unauthenticated.problem("send Authorization: Bearer with a token that is neither revoked nor expired, or log in"), 0
	case errors.Is(err, domain.ErrNotFound):
		return notFound.problem(err.Error()), 0
	case errors.Is(err, domain.ErrIdempotencyMismatch):
		return idempotencyMismatch.problem("the Idempotency-Key was used on this path for another request; send that request again, or choose another key"), 0
	case errors.Is(err, domain.ErrConflict):
		return conflict.problem(err.Error()), 0
	case errors.Is(err, domain.ErrUnknownOutcome): // before the others: it may be one of them too
		return unknownOutcome.problem("the event store stopped answering while it was asked to store this, and may have stored it. Sent again with the same " +
			"Idempotency-Key it is done once; without one, look before you send it again"), time.Second
	case errors.Is(err, domain.ErrStoreFull):
		return unavailable.problem("the event store has no room: its disk is full, or the limit of a stream is reached. Reads go on. The request was not carried " +
			"out; it may be sent again when the operator has made room"), fullRetry
	case errors.Is(err, domain.ErrUnavailable):
		return unavailable.problem("the event store does not answer, or takes nothing. The request was not carried out; it may be sent again"), time.Second
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded): // the server stops, or the client is gone
		return unavailable.problem("the request was given up; it may be sent again"), time.Second
	}
	return internalError.problem(""), 0
}

func (r *refusal) problem() Problem {
	p := r.kind.problem(r.detail)
	p.Limit, p.RunID, p.Issues = r.limit, r.runID, r.issues
	if r.title != "" {
		p.Title = r.title
	}
	return p
}

func validationProblem(invalid *domain.InvalidError) Problem {
	p := validationError.problem(invalid.Error())
	p.Issues, p.Field = invalid.Issues, invalid.Issues[0].Target
	return p
}

func stressProblem(stress *domain.RefusedError) Problem {
	k := stressRefused
	if stress.Type == stressTooLarge.Type {
		k = stressTooLarge
	}
	p := k.problem(stress.Error())
	p.Title, p.Issues = stress.Title, stress.Issues
	return p
}

// staleProblem names the version that stands, who saved it and when.
func (s *Server) staleProblem(ctx context.Context, old *domain.StaleError) Problem {
	current := &SavedVersion{Version: old.Version}
	detail := fmt.Sprintf("%s is at version %d", old.What, old.Version)
	if old.Member != "" && old.Version > 0 {
		by, _ := s.authorOf(ctx, old.Member) // without a name the id has to do
		current.By, current.At = &by, &old.At
		detail += fmt.Sprintf(", saved by %s at %s", by.Name, old.At.UTC().Format(time.RFC3339))
	}
	p := stale.problem(detail + ". Load it, make the change again and save with its ETag")
	p.Current = current
	return p
}

// wholeDocument is a problem whose field is the whole document: the empty JSON Pointer, which omitempty would leave out.
type wholeDocument struct {
	Problem
	Field string `json:"field"`
}

// writeProblem writes a problem document.
func writeProblem(w http.ResponseWriter, p Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	body := any(p)
	if p.Status == http.StatusBadRequest && p.Field == "" {
		body = wholeDocument{Problem: p}
	}
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
