package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// readBundle reads a bundle file.
func readBundle(path string, io streams) (domain.Bundle, document, error) {
	doc, err := readDocument(path, io.in)
	if err != nil {
		return domain.Bundle{}, document{}, err
	}
	bundle, err := parseBundle(doc, io)
	return bundle, doc, err
}

// parseBundle reads a bundle. Issues of the file are printed with their lines; the error then is an exit.
func parseBundle(doc document, io streams) (domain.Bundle, error) {
	bundle, err := domain.ParseBundle(doc.json)
	var invalid *domain.InvalidError
	if errors.As(err, &invalid) {
		writeIssues(io.err, doc, "", invalid.Issues)
		return domain.Bundle{}, exit{exitError}
	}
	return bundle, err
}

// writeIssues prints one line an issue: file, line, code, place, sentence. Targets that are JSON Pointers
// point below prefix.
func writeIssues(w io.Writer, doc document, prefix string, issues []domain.Issue) {
	for _, issue := range issues {
		where := issue.Target
		if where == "" || where[0] == '/' {
			_, _ = fmt.Fprintf(w, "%s:%d: %s %s: %s\n", doc.path, doc.line(prefix+where), issue.Code, prefix+where, issue.Message)
			continue
		}
		_, _ = fmt.Fprintf(w, "%s: %s %s: %s\n", doc.path, issue.Code, where, issue.Message)
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
