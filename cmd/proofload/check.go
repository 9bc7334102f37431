package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

func checkCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check BUNDLE",
		Short: "List everything that is wrong with a bundle, without running it",
		Args:  arguments("BUNDLE"),
		RunE: func(_ *cobra.Command, args []string) error {
			return checkBundle(args[0], asJSON, io)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the issues as JSON")
	return cmd
}

// placedIssue is an issue as --json prints it of a file; pointers lead into the bundle.
type placedIssue struct {
	domain.Issue
	Line int `json:"line,omitzero"` // of the file; none: the issue is about no place in it
}

func checkBundle(path string, asJSON bool, io streams) error {
	doc, err := readDocument(path, io.in)
	if err != nil {
		return reportUnreadable(err, asJSON, io)
	}
	issues, code, err := bundleIssues(doc)
	if err != nil {
		return err
	}
	switch {
	case asJSON && code == exitError:
		return reportInvalid(doc, issues, asJSON, io)
	case asJSON:
		if err := writeJSON(io.out, map[string]any{"issues": placed(doc, issues)}); err != nil {
			return err
		}
	case len(issues) == 0:
		_, _ = fmt.Fprintf(io.out, "%s: nothing is wrong\n", path)
	default:
		writeIssues(io.out, doc, issues)
	}
	if code != exitOK {
		return exit{code}
	}
	return nil
}

func placed(doc document, issues []domain.Issue) []placedIssue {
	all := make([]placedIssue, len(issues))
	for i, issue := range issues {
		all[i] = placedIssue{issue, doc.lineOf(issue)}
	}
	return all
}

// bundleIssues gives the issues of the file, or else those that would refuse its run, and the exit code.
func bundleIssues(doc document) ([]domain.Issue, int, error) {
	bundle, err := domain.ParseBundle(doc.json)
	var invalid *domain.InvalidError
	if errors.As(err, &invalid) {
		return append(invalid.Issues, inBundle(bundle.ProfileIssues)...), exitError, nil
	}
	if err == nil && len(bundle.ProfileIssues) > 0 {
		return inBundle(bundle.ProfileIssues), exitRefused, nil
	}
	if err == nil {
		err = engine.Check(input(bundle))
	}
	var refused *domain.RefusedError
	if errors.As(err, &refused) {
		return inBundle(refused.Issues), exitRefused, nil
	}
	return nil, exitOK, err
}
