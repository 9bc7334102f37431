package main

import (
	"errors"
	"fmt"

	"github.com/proofload/proofload/domain"
)

// unreadableError says that the text of a file is no YAML document that JSON can say.
type unreadableError struct {
	path string
	err  error
}

func (e *unreadableError) Error() string { return fmt.Sprintf("%s: %s", e.path, e.err) }

func (e *unreadableError) Unwrap() error { return e.err }

// invalidFile is what --json prints of a file that is no bundle, on standard output as a refusal is (E74).
type invalidFile struct {
	Type   string        `json:"type"` // validation_error, as over HTTP
	Title  string        `json:"title"`
	Issues []placedIssue `json:"issues"`
}

// reportInvalid prints why a file is no bundle: as JSON to standard output, or lines to standard error.
func reportInvalid(doc document, issues []domain.Issue, asJSON bool, io streams) error {
	if !asJSON {
		writeIssues(io.err, doc, issues)
		return exit{exitError}
	}
	if err := writeJSON(io.out, invalidFile{"validation_error", "The file is not a valid bundle", placed(doc, issues)}); err != nil {
		return err
	}
	return exit{exitError}
}

// reportUnreadable prints what readDocument found wrong with the text. Any other error stays as it is.
func reportUnreadable(err error, asJSON bool, io streams) error {
	var unreadable *unreadableError
	if !asJSON || !errors.As(err, &unreadable) {
		return err
	}
	issue := domain.Issue{Code: domain.CodeInvalidBundle, Message: unreadable.err.Error()}
	return reportInvalid(document{path: unreadable.path}, []domain.Issue{issue}, asJSON, io)
}
