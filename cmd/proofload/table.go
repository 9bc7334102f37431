package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/proofload/proofload/engine"
)

// writeResult prints a result for a person: the flow, each resource, the bottleneck in words.
func writeResult(w io.Writer, title string, r *engine.Result) {
	_, _ = fmt.Fprintf(w, "%s\nengine %d, seed %s, result hash %s\n\n", title, r.EngineVersion, r.Seed, r.Hash)
	writeFlow(w, r)
	writeResources(w, r)
	writeOperations(w, r)
	_, _ = fmt.Fprintf(w, "Bottleneck: %s\n", bottleneckWords(r))
	_, _ = fmt.Fprintf(w, "Confidence: %s\n", confidenceWords(r.Confidence))
	_, _ = fmt.Fprintln(w, "An estimate is not a measurement: see docs/explanation.md for what the engine leaves out.")
}

// table aligns columns of text; the first column to the left, the others to the right.
func table(w io.Writer, rows [][]string) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	for _, row := range rows {
		_, _ = fmt.Fprintf(out, "%-*s\t", width, row[0])
		for _, cell := range row[1:] {
			_, _ = fmt.Fprintf(out, "%s\t", cell)
		}
		_, _ = fmt.Fprintln(out)
	}
	_ = out.Flush()
	_, _ = fmt.Fprintln(w)
}

func writeFlow(w io.Writer, r *engine.Result) {
	f := r.Flow
	table(w, [][]string{
		{"flow", "started", "completed", "failed", "open", "throughput", "p50", "p95", "p99", "p99.9", "max"},
		{
			"", count(f.Started), count(f.Completed), count(f.Failed), count(f.Open), perSecond(f.ThroughputPerSecond),
			millis(f.Latency.P50Ms), millis(f.Latency.P95Ms), millis(f.Latency.P99Ms), millis(f.Latency.P999Ms), millis(f.Latency.MaxMs),
		},
	})
}

func writeResources(w io.Writer, r *engine.Result) {
	rows := [][]string{{"resource", "workers", "utilisation", "depth mean", "depth max", "noise bound", "turned away", "wasted", "wait p99", "saturated"}}
	for _, e := range r.Elements {
		rows = append(rows, resourceRow(e.ID, e.Workers, count(e.Wasted), e.ResourceResult))
	}
	for _, s := range r.Subscriptions {
		rows = append(rows, resourceRow(s.ID, s.Workers, "", s.ResourceResult))
	}
	if len(rows) == 1 {
		_, _ = fmt.Fprint(w, "The flow uses no element and no subscription.\n\n")
		return
	}
	table(w, rows)
}

func resourceRow(id string, workers int, wasted string, r engine.ResourceResult) []string {
	saturated := "no"
	if r.Saturated {
		saturated = "YES"
	}
	return []string{
		id, fmt.Sprint(workers), percent(r.Utilisation), fmt.Sprintf("%.2f", r.Depth.Mean), count(r.Depth.Max), count(r.Noise.Bound),
		count(r.TurnedAway), wasted, millis(r.Wait.P99Ms), saturated,
	}
}

func writeOperations(w io.Writer, r *engine.Result) {
	if len(r.Operations) == 0 {
		return
	}
	rows := [][]string{{"operation", "attempts", "succeeded", "timed out", "rejected", "outage", "failed inside", "retries", "p50", "p99"}}
	for _, o := range r.Operations {
		rows = append(rows, []string{
			o.ID, count(o.Attempts), count(o.Succeeded), count(o.TimedOut), count(o.Rejected), count(o.FailedByOutage),
			count(o.FailedInside), count(o.Retries), millis(o.Latency.P50Ms), millis(o.Latency.P99Ms),
		})
	}
	table(w, rows)
}
