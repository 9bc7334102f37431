package main

import (
	"fmt"
	"io"

	"github.com/proofload/proofload/domain"
)

// expectation is an objective of the bundle or one of --expect.
type expectation struct {
	name, text string
	domain.Expectation
}

// judged is an expectation with what became of it, once a seed.
type judged struct {
	expectation
	seeds []domain.Judgement
}

func (j judged) held() int {
	held := 0
	for _, s := range j.seeds {
		if s.Holds {
			held++
		}
	}
	return held
}

func (j judged) broken() bool { return j.held() < len(j.seeds) }

// verdict says in words what became of it.
func (j judged) verdict() string {
	if len(j.seeds) > 1 {
		return fmt.Sprintf("held in %d of %d seeds", j.held(), len(j.seeds))
	}
	value := "the run has no such value"
	if v := j.seeds[0].Value; v != nil {
		value = "it is " + number(j.InUnit(*v)) + j.unit()
	}
	if j.broken() {
		return "BROKEN: " + value
	}
	return "held: " + value
}

// unit is that of the expectation, or else what the path is in.
func (j judged) unit() string {
	unit := j.Unit
	if unit == "" && j.IsMs() {
		unit = "ms"
	}
	if unit == "" || unit == "/s" {
		return unit
	}
	return " " + unit
}

func readExpectations(objectives []domain.Objective, texts []string) ([]expectation, error) {
	for _, text := range texts {
		if _, err := domain.ParseExpectation(text); err != nil {
			return nil, fmt.Errorf("--expect: %w", err)
		}
		objectives = append(objectives, domain.Objective{Name: text, Expect: text})
	}
	expectations := make([]expectation, len(objectives))
	for i, o := range objectives {
		parsed, err := domain.ParseExpectation(o.Expect)
		if err != nil {
			return nil, fmt.Errorf("objective %s: %w", o.Name, err)
		}
		expectations[i] = expectation{o.Name, o.Expect, parsed}
	}
	return expectations, nil
}

// judgeAll judges every expectation on every result document.
func judgeAll(expectations []expectation, documents [][]byte) ([]judged, error) {
	all := make([]judged, len(expectations))
	for i, e := range expectations {
		all[i].expectation = e
		for _, document := range documents {
			judgement, err := e.Judge(document)
			if err != nil {
				return nil, fmt.Errorf("objective %s: %w", e.name, err)
			}
			all[i].seeds = append(all[i].seeds, judgement)
		}
	}
	return all, nil
}

func writeJudged(w io.Writer, all []judged) {
	for i, j := range all {
		if i == 0 {
			_, _ = fmt.Fprintln(w, "Objectives:")
		}
		_, _ = fmt.Fprintf(w, "  %s: %s\n", j.title(), j.verdict())
	}
}

// writeBroken says why the exit code is not 0.
func writeBroken(w io.Writer, all []judged) {
	for _, j := range all {
		if j.broken() {
			_, _ = fmt.Fprintf(w, "proofload: %s: %s\n", j.title(), j.verdict())
		}
	}
}

// title is the name, with the expression where it is another text.
func (j judged) title() string {
	if j.name == j.text {
		return j.name
	}
	return j.name + " (" + j.text + ")"
}

// brokenExit is exit code 1 when an expectation is broken in any seed.
func brokenExit(all []judged) error {
	for _, j := range all {
		if j.broken() {
			return exit{exitBroken}
		}
	}
	return nil
}
