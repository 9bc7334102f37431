package main

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

func checkCommand(io streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check BUNDLE",
		Short: "List everything that is wrong with a bundle, without running it",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return checkBundle(args[0], asJSON, io)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the issues as JSON")
	return cmd
}

func checkBundle(path string, asJSON bool, io streams) error {
	doc, err := readDocument(path, io.in)
	if err != nil {
		return err
	}
	issues, prefix, code := bundleIssues(doc)
	switch {
	case asJSON:
		data, err := json.Marshal(map[string]any{"issues": issues})
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.out, "%s\n", data)
	case len(issues) == 0:
		_, _ = fmt.Fprintf(io.out, "%s: nothing is wrong\n", path)
	default:
		writeIssues(io.out, doc, prefix, issues)
	}
	if code != exitOK {
		return exit{code}
	}
	return nil
}

// bundleIssues gives the issues of the file, or else those that would refuse its run; where their JSON
// Pointers start; and the exit code.
func bundleIssues(doc document) ([]domain.Issue, string, int) {
	bundle, err := domain.ParseBundle(doc.json)
	var invalid *domain.InvalidError
	if errors.As(err, &invalid) {
		return append(invalid.Issues, below("/profile", bundle.ProfileIssues)...), "", exitError
	}
	if len(bundle.ProfileIssues) > 0 {
		return bundle.ProfileIssues, "/profile", exitRefused
	}
	var refused *domain.RefusedError
	if errors.As(engine.Check(input(bundle)), &refused) {
		return refused.Issues, "/profile", exitRefused
	}
	return []domain.Issue{}, "", exitOK
}

// below moves the pointers of issues under a member.
func below(member string, issues []domain.Issue) []domain.Issue {
	moved := make([]domain.Issue, len(issues))
	for i, issue := range issues {
		issue.Target = member + issue.Target
		moved[i] = issue
	}
	return moved
}
