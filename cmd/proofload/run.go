package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

// wallClock is the real-time limit of one run (the page, Limits). It never changes a result.
const wallClock = 20 * time.Second

type runOptions struct {
	json  bool
	check bool
}

func runCommand(io streams) *cobra.Command {
	var options runOptions
	cmd := &cobra.Command{
		Use:   "run BUNDLE",
		Short: "Run a bundle without a server",
		Long: "Run the scenario of a bundle (JSON or YAML, - for standard input) under its profile and print the result.\n" +
			"Exit codes: 0 done, 2 the run is refused, 3 the file cannot be used, 130 interrupted.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBundle(cmd.Context(), args[0], options, io)
		},
	}
	cmd.Flags().BoolVar(&options.json, "json", false, "print the result document, or the refusal, as JSON")
	cmd.Flags().BoolVar(&options.check, "check", false, "check conservation of work and Little's law during the run")
	return cmd
}

func runBundle(ctx context.Context, path string, options runOptions, io streams) error {
	bundle, doc, err := readBundle(path, io)
	if err != nil {
		return err
	}
	in := input(bundle)
	in.Check = options.check
	result, err := runEngine(ctx, in, bundle.ProfileIssues)
	var refused *domain.RefusedError
	switch {
	case errors.As(err, &refused):
		return writeRefusal(doc, refused, options, io)
	case err != nil:
		return err
	case options.json:
		return writeDocument(result, io)
	}
	writeResult(io.out, title(bundle), result)
	return nil
}

// runEngine runs one input within the real-time limit. A profile that is out of range refuses the run.
func runEngine(ctx context.Context, in engine.Input, profileIssues []domain.Issue) (*engine.Result, error) {
	if len(profileIssues) > 0 {
		return nil, domain.Refused(profileIssues)
	}
	limited, cancel := context.WithTimeout(ctx, wallClock)
	defer cancel()
	result, err := engine.Run(limited, in)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, domain.TooLarge("wall-clock")
	}
	return result, err
}

func title(b domain.Bundle) string {
	return fmt.Sprintf("%s, %s", b.Scenario.Name, b.Profile.Name)
}

func writeDocument(result *engine.Result, io streams) error {
	data, err := result.Document()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(io.out, "%s\n", data)
	return err
}

// writeRefusal prints a refusal; as JSON it goes to standard output like a result (E74).
func writeRefusal(doc document, refused *domain.RefusedError, options runOptions, io streams) error {
	if options.json {
		data, err := json.Marshal(refused)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(io.out, "%s\n", data); err != nil {
			return err
		}
		return exit{exitRefused}
	}
	_, _ = fmt.Fprintf(io.err, "%s: %s\n", refused.Type, refused.Title)
	writeIssues(io.err, doc, "/profile", refused.Issues)
	return exit{exitRefused}
}
