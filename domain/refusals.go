package domain

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrRunEnded: the run has its one outcome already (a conflict).
	ErrRunEnded = Conflict("the run has ended")
	// ErrUnavailable: the store does not answer, or takes nothing. The command was not done; it may be sent again.
	ErrUnavailable = errors.New("unavailable")
	// ErrStoreFull: the store takes nothing until there is room on its disk or under its limits (an ErrUnavailable).
	ErrStoreFull = fmt.Errorf("%w: the event store takes nothing more", ErrUnavailable)
	// ErrUnknownOutcome: the store stopped answering while it was asked to store something. The command may have been done;
	// sent again with the same id it is done once.
	ErrUnknownOutcome = errors.New("it is unknown whether it was done")
	// ErrUnauthenticated: no member has the token, or it has expired (HTTP 401).
	ErrUnauthenticated = errors.New("no valid token")
)

// Codes of what cannot be made as asked, beside those of the documents.
const (
	CodeInvalidProject   = "invalid-project"
	CodeInvalidBranch    = "invalid-branch"
	CodeInvalidWorkspace = "invalid-workspace"
	CodeInvalidMember    = "invalid-member"
	CodeInvalidRole      = "invalid-role"
	CodeInvalidToken     = "invalid-token"
)

// StaleError refuses a save that was made on an older version. It is an ErrStale.
type StaleError struct {
	What    string    // the document: "profile 4k…"
	Event   string    // the name of the event that saves it
	Version int       // the version that stands
	Member  string    // who saved it; empty when nobody did
	At      time.Time // when, UTC
}

func (e *StaleError) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("%s is at version %d, which nobody saved", e.What, e.Version)
	}
	return fmt.Sprintf("%s is at version %d, saved by %s at %s", e.What, e.Version, e.Member, e.At.Format(time.RFC3339))
}

// Is makes a StaleError an ErrStale.
func (e *StaleError) Is(target error) bool { return target == ErrStale }

// RateLimitedError refuses a run because its workspace has too many (HTTP 429, rate_limited).
type RateLimitedError struct {
	Bound      string        // which bound, in words
	RetryAfter time.Duration // when it is worth to ask again
}

func (e *RateLimitedError) Error() string {
	return fmt.Sprintf("%s; try again in %s", e.Bound, inSeconds(e.RetryAfter))
}

// BusyError refuses a run because the instance has too many at the same time (HTTP 429, busy).
type BusyError struct {
	Most       int           // runs that the instance has at the same time
	RetryAfter time.Duration // when it is worth to ask again
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("the instance has %d runs in progress, the most that its policy allows; try again in %s", e.Most, inSeconds(e.RetryAfter))
}

// inSeconds words a duration as Retry-After states it: in whole seconds, rounded up, at least one.
func inSeconds(d time.Duration) string {
	return fmt.Sprintf("%d s", max((d+time.Second-1)/time.Second, 1))
}
