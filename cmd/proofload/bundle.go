package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// readBundle reads a bundle file. Issues of the file are printed (reportInvalid); the error then is an exit.
func readBundle(path string, asJSON bool, io streams) (domain.Bundle, document, error) {
	doc, err := readDocument(path, io.in)
	if err != nil {
		return domain.Bundle{}, document{}, reportUnreadable(err, asJSON, io)
	}
	bundle, err := bundleOrIssues(doc, asJSON, io)
	return bundle, doc, err
}

func bundleOrIssues(doc document, asJSON bool, io streams) (domain.Bundle, error) {
	bundle, err := domain.ParseBundle(doc.json)
	var invalid *domain.InvalidError
	if errors.As(err, &invalid) {
		return domain.Bundle{}, reportInvalid(doc, append(invalid.Issues, inBundle(bundle.ProfileIssues)...), asJSON, io)
	}
	return bundle, err
}

// writeIssues prints one line an issue: file, line, code, place, sentence.
func writeIssues(w io.Writer, doc document, issues []domain.Issue) {
	for _, issue := range issues {
		at := doc.path
		if line := doc.lineOf(issue); line > 0 {
			at = fmt.Sprintf("%s:%d", at, line)
		}
		_, _ = fmt.Fprintf(w, "%s: %s %s: %s\n", at, issue.Code, issue.Target, issue.Message)
	}
}

// input is the engine's input of a bundle.
func input(b domain.Bundle) engine.Input {
	doubts := make(map[string]engine.Doubt, len(b.Measurements))
	for _, m := range b.Measurements {
		inDoubt, stale := m.DoubtFor(b.Profile)
		doubts[m.ID] = engine.Doubt{InDoubt: inDoubt, Stale: stale}
	}
	return engine.Input{Model: b.Model, Scenario: b.Scenario, Profile: b.Profile, Doubts: doubts}
}
