package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
	"github.com/proofload/proofload/engine/worker"
)

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
		Args: arguments("BUNDLE"),
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
	flags.IntVar(&o.engine, "engine", engine.Newest, "engine version: "+engineVersions())
	flags.StringVar(&o.seed, "seed", "", "use this seed instead of the profile's")
	flags.Float64Var(&o.rate, "rate", 0, "use this arrival rate per second instead of the profile's (constant and poisson)")
	flags.IntVar(&o.seeds, "seeds", 1, "run this many seeds from the profile's on and print the spread of the key figures")
	flags.BoolVar(&o.plain, "no-charts", false, "print no charts")
	return cmd
}

func runBundle(ctx context.Context, path string, o runOptions, io streams) error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	bundle, doc, err := readBundle(path, o.json, io)
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
	results, err := o.runAll(ctx, bundle, io)
	if err != nil {
		return reportRefusal(err, doc, o, io)
	}
	return o.report(bundle, results, expectations, io)
}

func (o runOptions) checkFlags() error {
	if !slices.Contains(engine.Versions(), o.engine) {
		return fmt.Errorf("--engine %d: there is no such engine version; this program has %s", o.engine, engineVersions())
	}
	if o.seeds < 1 || o.seeds > maxSeeds {
		return fmt.Errorf("--seeds %d: must be from 1 to %d", o.seeds, maxSeeds)
	}
	return nil
}

func engineVersions() string {
	var numbers []string
	for _, version := range engine.Versions() {
		numbers = append(numbers, strconv.Itoa(version))
	}
	return strings.Join(numbers, " and ")
}

// report prints the results, what became of the expectations, and writes the files that flags ask for.
func (o runOptions) report(bundle domain.Bundle, results []*engine.Result, expectations []expectation, io streams) error {
	documents := make([][]byte, len(results))
	for i, r := range results {
		var err error
		if documents[i], err = r.Document(); err != nil {
			return err
		}
	}
	judged, err := judgeAll(expectations, documents)
	if err != nil {
		return err
	}
	switch {
	case o.seeds > 1:
		err = writeSpread(io, title(bundle), results, judged, o.json)
	case o.json:
		_, err = fmt.Fprintf(io.out, "%s\n", documents[0])
	default:
		writeResult(io.out, title(bundle), results[0])
		writeCharts(io.out, results[0], o.plain)
		if len(judged) > 0 {
			_, _ = fmt.Fprintln(io.out)
		}
	}
	if err != nil {
		return err
	}
	if o.json {
		writeBroken(io.err, judged)
	} else {
		writeJudged(io.out, judged)
	}
	if err := o.writeFiles(title(bundle), judged, results, documents); err != nil {
		return err
	}
	return brokenExit(judged)
}

// changeProfile puts the flags in the place of what the profile says. One that is out of range stays as it is.
func (o runOptions) changeProfile(b *domain.Bundle) error {
	if len(b.ProfileIssues) > 0 {
		return nil
	}
	if o.flagsOfInput["seed"] {
		b.Profile.Seed = o.seed
	}
	if o.flagsOfInput["rate"] {
		if kind := b.Profile.Arrivals.Kind; kind != domain.ArrivalsConstant && kind != domain.ArrivalsPoisson {
			return fmt.Errorf("--rate replaces the rate of constant and poisson arrivals; those of the bundle are %q", kind)
		}
		b.Profile.Arrivals.RatePerSecond = o.rate
	}
	b.ProfileIssues = domain.CheckProfile(b.Profile)
	return nil
}

func (o runOptions) input(b domain.Bundle) engine.Input {
	in := input(b)
	in.Check, in.Version = o.check, o.engine
	return in
}

// writeFiles writes what --junit and --csv ask for.
func (o runOptions) writeFiles(title string, judged []judged, results []*engine.Result, documents [][]byte) error {
	if o.junit != "" {
		if err := writeJUnit(o.junit, title, judged); err != nil {
			return err
		}
	}
	if o.csv == "" {
		return nil
	}
	return writeCSV(o.csv, results, documents)
}

// runEngine runs one input within the real-time limit. A profile that is out of range refuses the run.
func runEngine(ctx context.Context, in engine.Input, profileIssues []domain.Issue) (*engine.Result, error) {
	if len(profileIssues) > 0 {
		return nil, domain.Refused(profileIssues)
	}
	return worker.Run(ctx, in)
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
		if err := writeJSON(io.out, refused); err != nil {
			return err
		}
		return exit{exitRefused}
	}
	_, _ = fmt.Fprintf(io.err, "%s: %s\n", refused.Type, refused.Title)
	writeIssues(io.err, doc, inBundle(refused.Issues))
	return exit{exitRefused}
}
