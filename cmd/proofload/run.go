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

// runOptions are the flags of run.
type runOptions struct {
	json, check  bool
	expect       []string
	junit, csv   string
	engine       int
	seed         string
	rate         float64
	seeds        int
	plain        bool
	flagsOfInput map[string]bool // which of engine, seed and rate were given
}

func runCommand(io streams) *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run BUNDLE",
		Short: "Run a bundle without a server",
		Long: `Run the scenario of a bundle (JSON or YAML, - for standard input) under its profile and print the result.

An expectation is PATH OP NUMBER[unit]: 'flow.p99 < 500ms', 'elements[pay].utilisation <= 80%'. PATH is a path of the
result document (--json shows it). The objectives of the bundle count too.

Exit codes: 0 done, 1 an objective is broken, 2 the run is refused, 3 the file or a flag cannot be used, 130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.flagsOfInput = map[string]bool{"seed": cmd.Flags().Changed("seed"), "rate": cmd.Flags().Changed("rate")}
			return runBundle(cmd.Context(), args[0], o, io)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "print the result document, or the refusal, as JSON")
	flags.BoolVar(&o.check, "check", false, "check conservation of work and Little's law during the run")
	flags.StringArrayVar(&o.expect, "expect", nil, "an expectation, repeatable; a broken one gives exit code 1")
	flags.StringVar(&o.junit, "junit", "", "write the expectations as JUnit XML to this file")
	flags.StringVar(&o.csv, "csv", "", "write the series and all numbers as CSV files into this folder")
	flags.IntVar(&o.engine, "engine", engine.Newest, "engine version: 2 or 3")
	flags.StringVar(&o.seed, "seed", "", "use this seed instead of the profile's")
	flags.Float64Var(&o.rate, "rate", 0, "use this arrival rate per second instead of the profile's (constant and poisson)")
	flags.IntVar(&o.seeds, "seeds", 1, "run this many seeds from the profile's on and print the spread of the key figures")
	flags.BoolVar(&o.plain, "no-charts", false, "print no charts")
	return cmd
}

func runBundle(ctx context.Context, path string, o runOptions, io streams) error {
	bundle, doc, err := readBundle(path, io)
	if err != nil {
		return err
	}
	expectations, err := readExpectations(bundle.Objectives, o.expect)
	if err != nil {
		return err
	}
	if err := o.changeProfile(&bundle); err != nil {
		return err
	}
	if o.seeds != 1 {
		return runSeeds(ctx, bundle, doc, expectations, o, io)
	}
	result, err := runEngine(ctx, o.input(bundle), bundle.ProfileIssues, progressBar(io, 1))
	if err != nil {
		return reportRefusal(err, doc, o, io)
	}
	document, err := result.Document()
	if err != nil {
		return err
	}
	judged, err := judgeAll(expectations, [][]byte{document})
	if err != nil {
		return err
	}
	if o.json {
		_, err = fmt.Fprintf(io.out, "%s\n", document)
	} else {
		writeResult(io.out, title(bundle), result)
		writeCharts(io.out, result, o.plain)
		writeJudged(io.out, judged)
	}
	return errors.Join(err, o.writeFiles(title(bundle), judged, []*engine.Result{result}), brokenExit(judged))
}

// changeProfile puts the flags in the place of what the profile says.
func (o runOptions) changeProfile(b *domain.Bundle) error {
	if o.flagsOfInput["seed"] {
		b.Profile.Seed = o.seed
	}
	if o.flagsOfInput["rate"] {
		if kind := b.Profile.Arrivals.Kind; kind != domain.ArrivalsConstant && kind != domain.ArrivalsPoisson {
			return fmt.Errorf("--rate replaces the rate of constant and poisson arrivals; those of the bundle are %q", kind)
		}
		b.Profile.Arrivals.RatePerSecond = o.rate
	}
	if len(b.ProfileIssues) == 0 {
		b.ProfileIssues = domain.CheckProfile(b.Profile)
	}
	return nil
}

func (o runOptions) input(b domain.Bundle) engine.Input {
	in := input(b)
	in.Check, in.Version = o.check, o.engine
	return in
}

// writeFiles writes what --junit and --csv ask for.
func (o runOptions) writeFiles(title string, judged []judged, results []*engine.Result) error {
	if o.junit != "" {
		if err := writeJUnit(o.junit, title, judged); err != nil {
			return err
		}
	}
	if o.csv == "" {
		return nil
	}
	return writeCSV(o.csv, results)
}

// runEngine runs one input within the real-time limit. A profile that is out of range refuses the run.
func runEngine(ctx context.Context, in engine.Input, profileIssues []domain.Issue, watch func(engine.Progress)) (*engine.Result, error) {
	if len(profileIssues) > 0 {
		return nil, domain.Refused(profileIssues)
	}
	if watch != nil {
		in.Observer = &engine.Observer{Progress: watch}
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

// reportRefusal prints a refusal; as JSON it goes to standard output like a result (E74).
func reportRefusal(err error, doc document, o runOptions, io streams) error {
	var refused *domain.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	if o.junit != "" {
		if err := writeJUnitRefusal(o.junit, refused); err != nil {
			return err
		}
	}
	if o.json {
		data, err := json.Marshal(refused)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.out, "%s\n", data)
		return exit{exitRefused}
	}
	_, _ = fmt.Fprintf(io.err, "%s: %s\n", refused.Type, refused.Title)
	writeIssues(io.err, doc, "/profile", refused.Issues)
	return exit{exitRefused}
}
