package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"

	"github.com/proofload/proofload/engine"
)

const (
	chartHeight = 6
	chartWidth  = 72
	barWidth    = 48
)

// writeCharts draws the percentile curve of the flow, and depth and utilisation over time of the resource
// that matters most.
func writeCharts(w io.Writer, r *engine.Result, plain bool) {
	if plain {
		return
	}
	writePercentiles(w, r.Flow.Latency)
	id, workers := busiest(r)
	for _, s := range r.Series.Resources {
		if s.ID != id || len(s.Depth) < 2 {
			continue
		}
		until := float64(r.Series.PointsMs[len(r.Series.PointsMs)-1]) / 1000
		drawSeries(w, fmt.Sprintf("%s: work that waits, 0 to %.6g s", id, until), s.Depth, 1)
		drawSeries(w, fmt.Sprintf("%s: busy workers, %% of %d, 0 to %.6g s", id, workers, until), s.Busy, 100/float64(workers))
	}
}

// busiest is the bottleneck, or else the resource with the highest utilisation.
func busiest(r *engine.Result) (id string, workers int) {
	highest := -1.0
	for _, e := range r.Elements {
		if e.Utilisation > highest || isBottleneck(r, e.ID) {
			id, workers, highest = e.ID, e.Workers, weight(r, e.ID, e.Utilisation)
		}
	}
	for _, s := range r.Subscriptions {
		if s.Utilisation > highest || isBottleneck(r, s.ID) {
			id, workers, highest = s.ID, s.Workers, weight(r, s.ID, s.Utilisation)
		}
	}
	return id, workers
}

func isBottleneck(r *engine.Result, id string) bool {
	return r.Bottleneck.ResourceID != nil && *r.Bottleneck.ResourceID == id
}

// weight puts the bottleneck above every utilisation.
func weight(r *engine.Result, id string, utilisation float64) float64 {
	if isBottleneck(r, id) {
		return 2
	}
	return utilisation
}

func drawSeries(w io.Writer, caption string, values []int64, factor float64) {
	points := make([]float64, len(values))
	for i, v := range values {
		points[i] = float64(v) * factor
	}
	height := int(min(chartHeight, max(1, slices.Max(points)))) // no two lines with one whole number
	_, _ = fmt.Fprintf(w, "\n%s\n%s\n", caption, asciigraph.Plot(points,
		asciigraph.Height(height), asciigraph.Width(chartWidth), asciigraph.LowerBound(0), asciigraph.Precision(0)))
}

// writePercentiles draws one bar a percentile.
func writePercentiles(w io.Writer, s engine.Summary) {
	if s.MaxMs == nil || *s.MaxMs == 0 {
		return
	}
	_, _ = fmt.Fprintln(w, "\nflow latency by percentile")
	rows := []struct {
		name  string
		value *float64
	}{{"p50", s.P50Ms}, {"p90", s.P90Ms}, {"p95", s.P95Ms}, {"p99", s.P99Ms}, {"p99.9", s.P999Ms}, {"max", s.MaxMs}}
	for _, row := range rows {
		bar := strings.Repeat("█", int(*row.value / *s.MaxMs * barWidth))
		_, _ = fmt.Fprintf(w, "%6s  %s %s\n", row.name, bar, millis(row.value))
	}
}
