package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/proofload/proofload/domain"
	"github.com/proofload/proofload/engine"
)

type compareOptions struct{ json, all bool }

func compareCommand(io streams) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "What two results differ in: inputs first, then each number. No verdict",
		Long:  "Compare two results (run --json) or bundles, which are run first. Left is A, right is B, delta is right minus left.",
		Args:  arguments("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return compareFiles(cmd.Context(), args[0], args[1], o, io)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print the comparison as JSON")
	cmd.Flags().BoolVar(&o.all, "all", false, "print equal numbers too")
	return cmd
}

func compareFiles(ctx context.Context, left, right string, o compareOptions, io streams) error {
	if left == "-" && right == "-" {
		return errors.New("both sides are -; standard input holds one")
	}
	var sides [2]domain.StoredResult
	for i, path := range []string{left, right} {
		document, err := resultOf(ctx, path, o, io)
		if err != nil {
			return err
		}
		sides[i].Document = document
	}
	comparison, err := domain.CompareResults(sides[0], sides[1])
	if err != nil {
		return err
	}
	if !o.json {
		writeComparison(io.out, comparison, o.all)
		return writeOldRules(io.out, sides)
	}
	return writeJSON(io.out, comparison)
}

// resultOf reads a result, or runs a bundle.
func resultOf(ctx context.Context, path string, o compareOptions, io streams) ([]byte, error) {
	doc, err := readDocument(path, io.in)
	if err != nil {
		return nil, reportUnreadable(err, o.json, io)
	}
	var result struct {
		EngineVersion int `json:"engineVersion"`
	}
	if json.Unmarshal(doc.json, &result) == nil && result.EngineVersion > 0 {
		return doc.json, nil
	}
	bundle, err := bundleOrIssues(doc, o.json, io)
	if err != nil {
		return nil, err
	}
	run, err := runEngine(ctx, input(bundle), bundle.ProfileIssues)
	if err != nil {
		return nil, reportRefusal(err, doc, runOptions{json: o.json}, io)
	}
	return run.Document()
}

// ruleOfVersion1 named the bottleneck of a run of engine version 1; such a result keeps it.
const ruleOfVersion1 = "version-1"

// writeOldRules says which side names its bottleneck by a rule that is not the one of today.
func writeOldRules(w io.Writer, sides [2]domain.StoredResult) error {
	for i, side := range [2]string{"left", "right"} {
		var result struct {
			Bottleneck engine.Bottleneck `json:"bottleneck"`
		}
		if err := json.Unmarshal(sides[i].Document, &result); err != nil {
			return err
		}
		if b := result.Bottleneck; b.Rule == ruleOfVersion1 {
			named := "no bottleneck"
			if b.ResourceID != nil {
				named = "the bottleneck " + *b.ResourceID
			}
			_, _ = fmt.Fprintf(w, "The %s result names %s by the rule of engine version 1.\n", side, named)
		}
	}
	return nil
}

func writeComparison(w io.Writer, c domain.Comparison, all bool) {
	same := "The results differ."
	if c.SameResult {
		same = "Both sides have the same result: their hashes are equal."
	}
	_, _ = fmt.Fprintf(w, "%s\n\n", same)
	rows := [][]string{{"input", "left", "right"}}
	for _, d := range c.Inputs {
		rows = append(rows, []string{d.Key, inputText(d.Left, d.LeftSource), inputText(d.Right, d.RightSource)})
	}
	if len(rows) > 1 {
		table(w, rows)
	}
	rows = [][]string{{"number", "left", "right", "delta"}}
	for _, m := range c.Metrics {
		if all || !sameNumber(m) {
			rows = append(rows, []string{m.Key, numberText(m.Left), numberText(m.Right), numberText(m.Delta)})
		}
	}
	if len(rows) > 1 {
		table(w, rows)
	}
}

// sameNumber says whether both sides have the value, or both have none.
func sameNumber(m domain.MetricRow) bool {
	if m.Left == nil || m.Right == nil {
		return m.Left == m.Right
	}
	return *m.Left == *m.Right
}

func numberText(v *float64) string {
	if v == nil {
		return "-"
	}
	return number(*v)
}

// inputText is an input with where it comes from.
func inputText(value any, source *domain.Source) string {
	text := "-"
	switch v := value.(type) {
	case nil:
	case float64:
		text = number(v)
	default:
		text = fmt.Sprint(v)
	}
	if source == nil {
		return text
	}
	text += " (" + source.Label
	if source.MeasurementRef != "" {
		text += " by " + source.MeasurementRef
	}
	return text + ")"
}
