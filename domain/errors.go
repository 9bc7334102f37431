package domain

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Errors that callers tell apart. They are wrapped with %w and the identifiers: "profile peak: not found".
var (
	ErrNotFound            = errors.New("not found")
	ErrStale               = errors.New("stale")                // another version was saved meanwhile: HTTP 412
	ErrConflict            = errors.New("conflict")             // limits and states: HTTP 409; see Conflict
	ErrIdempotencyMismatch = errors.New("idempotency mismatch") // the same key with another body: HTTP 422
)

// ConflictError says in words which limit or state does not allow a command. It is an ErrConflict.
type ConflictError struct{ Reason string }

func (e *ConflictError) Error() string { return e.Reason }

// Is makes a ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Conflict makes a ConflictError.
func Conflict(format string, args ...any) error {
	return &ConflictError{Reason: fmt.Sprintf(format, args...)}
}

// Codes of a refused run, in the order of the page's table (Refusals; E65).
const (
	CodeInvalidProfile           = "invalid-profile"
	CodeInvalidScenario          = "invalid-scenario"
	CodeUnknownScenario          = "unknown-scenario"
	CodeMissingConcurrency       = "missing-concurrency"
	CodeMissingServiceTime       = "missing-service-time"
	CodeMissingConsumers         = "missing-consumers"
	CodeMissingBranchProbability = "missing-branch-probability"
	CodeUnknownTarget            = "unknown-target"
	CodeStressTooLarge           = "stress-too-large"
)

// Codes of a document that a save refuses, beside CodeInvalidProfile and CodeInvalidScenario.
const (
	CodeInvalidModel       = "invalid-model"
	CodeInvalidBundle      = "invalid-bundle"
	CodeInvalidMeasurement = "invalid-measurement"
	CodeInvalidObjectives  = "invalid-objectives"
	CodeInvalidSettings    = "invalid-settings"
	CodeInvalidDocument    = "invalid-document"
)

// Issue is one thing that is wrong with an input.
type Issue struct {
	Code string `json:"code"`
	// Target is a JSON Pointer into the document, or the id that the issue is about (E66).
	Target string `json:"target"`
	// Limit names the limit that a run is over; empty for all other codes.
	Limit   string `json:"limit,omitempty"`
	Message string `json:"message"`
}

// InvalidError refuses a document. It has at least one issue, each with a JSON Pointer.
type InvalidError struct{ Issues []Issue }

func (e *InvalidError) Error() string { return joinIssues(e.Issues) }

// Types of a refusal.
const (
	StressRefused  = "stress-refused"
	StressTooLarge = "stress-too-large"
)

// RefusedError refuses a run (the page's Refusals). It has at least one issue.
type RefusedError struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Issues []Issue `json:"issues"`
}

func (e *RefusedError) Error() string { return e.Title + ": " + joinIssues(e.Issues) }

// inWords is the issue for a person. The empty target is the whole document: the message is a sentence about it, or
// says what it is.
func (i Issue) inWords() string {
	first, _ := utf8.DecodeRuneInString(i.Message)
	switch {
	case i.Target != "":
		return i.Target + ": " + i.Message
	case unicode.IsUpper(first):
		return i.Message
	default:
		return "the document " + i.Message
	}
}

func joinIssues(issues []Issue) string {
	texts := make([]string, len(issues))
	for i, issue := range issues {
		texts[i] = issue.inWords()
	}
	return strings.Join(texts, "; ")
}

// Refused makes the refusal of a run from its issues.
func Refused(issues []Issue) *RefusedError {
	return &RefusedError{Type: StressRefused, Title: "The run is refused", Issues: issues}
}

// TooLarge makes the refusal of a run that is over a limit (the page, Limits; E66). The unit of the most that the limit
// allows stands after a space, or is empty.
func TooLarge(limit string, most float64, unit string) *RefusedError {
	message := fmt.Sprintf("The run is over the limit %s (%s%s).", limit, spaced(most), unit)
	return &RefusedError{
		Type:   StressTooLarge,
		Title:  "The run is too large",
		Issues: []Issue{{Code: CodeStressTooLarge, Target: limit, Limit: limit, Message: message}},
	}
}
